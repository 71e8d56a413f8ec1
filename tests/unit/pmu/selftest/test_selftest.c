// SPDX-License-Identifier: BSD-2-Clause
// The boot-time self test can fail: each fault of the model fails the check meant for it. That each
// check fails for some mutant or fault, tests/command/mutants.t checks.

#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal.h"
#include "model.h"
#include "selftest.h"
#include "shim.h"

#define CHECKS_MAX	1000
#define NAME_LENGTH	128

// The output of a run: the checks' names, whether each passed, and its text about a faulting
// register access.
struct outcome {
	unsigned count, failed, planned;
	struct {
		char name[NAME_LENGTH], fault[NAME_LENGTH];
		bool ok;
	} check[CHECKS_MAX];
};

static const char *target;		// the target of the self test
static struct outcome healthy, faulty;

// "ok 12 - name (expected 0x1, found 0x1)" or "not ok ... found 0x2: reading REGISTER, 0x3,
// faulted)"
static void read_line(struct outcome *o, const char *line)
{
	bool ok = !strncmp(line, "ok ", 3);
	const char *dash = strstr(line, " - "), *end = strstr(line, " (expected ");

	if (sscanf(line, "1..%u", &o->planned) == 1 || (!ok && strncmp(line, "not ok ", 7)))
		return;
	assert_non_null(dash);
	assert_non_null(end);
	assert_true(o->count < CHECKS_MAX);
	snprintf(o->check[o->count].name, NAME_LENGTH, "%.*s", (int)(end - dash - 3), dash + 3);
	if (strstr(end, ": "))
		snprintf(o->check[o->count].fault, NAME_LENGTH, "%s", strstr(end, ": ") + 2);
	o->check[o->count++].ok = ok;
	o->failed += !ok;
}

// Runs the self test on a machine with a fault.
static void run_selftest(const char *fault, struct outcome *o)
{
	static struct selftest_snapshot snapshot;
	const struct selftest_suite *suite = selftest_find(target);
	FILE *console = stdout;
	char *text = NULL;
	size_t size;
	struct selftest_tally tally = {0};

	memset(o, 0, sizeof *o);
	assert_true(shim_start(target, fault));
	stdout = open_memstream(&text, &size);
	assert_non_null(stdout);
	selftest_take_snapshot(suite, &snapshot);
	selftest_plan(&suite, 1);
	selftest_run_suite(suite, &snapshot, &tally);
	fclose(stdout);
	stdout = console;
	for (char *save, *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		read_line(o, line);
	free(text);
	shim_end();
	assert_int_equal(o->planned, o->count);
	assert_int_equal(o->failed, tally.failed);
}

static bool has_failed(const struct outcome *o, const char *name)
{
	for (unsigned i = 0; i < o->count; i++)
		if (!o->check[i].ok && !strncmp(o->check[i].name, name, strlen(name)))
			return true;
	return false;
}

static void healthy_model_passes_every_check(void **state)
{
	(void)state;
	run_selftest("", &healthy);
	for (unsigned i = 0; i < healthy.count; i++)
		if (!healthy.check[i].ok)
			fail_msg("failed: %s", healthy.check[i].name);
	assert_true(healthy.count > selftest_find(target)->cases_count);
}

static void nothing_depends_on_what_is_undefined(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		shim_seed(seed * 0x9E3779B97F4A7C15);
		run_selftest("", &faulty);
		for (unsigned i = 0; i < faulty.count; i++)
			if (!faulty.check[i].ok)
				fail_msg("seed %u: failed: %s", (unsigned)seed,
					 faulty.check[i].name);
	}
	shim_seed(0);
}

static void names_are_different(void **state)
{
	(void)state;
	for (unsigned i = 0; i < healthy.count; i++)
		for (unsigned j = i + 1; j < healthy.count; j++)
			assert_string_not_equal(healthy.check[i].name, healthy.check[j].name);
}

// The check meant for each fault: the table that the booted test also uses. In addition to the
// model's faults it may name stuck bits, and faults of another model, prefixed by that model's name
// and a slash.
#define MEANT_TABLE	"tests/vectors/%s-faults.tab"
#define MEANT_MAX	128

// A fault in events that an instruction clock never raises: no check fails.
#define NO_CHECK	"-"

static struct {
	char fault[NAME_LENGTH], check[NAME_LENGTH];
} meant[MEANT_MAX];
static size_t meant_count;

static int read_meant(void **state)
{
	char line[2 * NAME_LENGTH], name[NAME_LENGTH];
	FILE *table;

	(void)state;
	snprintf(name, sizeof name, MEANT_TABLE, target);
	table = fopen(name, "r");
	assert_non_null(table);
	meant_count = 0;
	while (fgets(line, sizeof line, table)) {
		if (line[0] == '#')
			continue;
		assert_true(meant_count < MEANT_MAX);
		assert_int_equal(2, sscanf(line, "%127s %127[^\n]", meant[meant_count].fault,
					   meant[meant_count].check));
		meant_count++;
	}
	fclose(table);
	return 0;
}

static void each_fault_is_caught_by_the_check_meant_for_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < meant_count; i++) {
		run_selftest(meant[i].fault, &faulty);
		if (!strcmp(meant[i].check, NO_CHECK) ? faulty.failed != 0 :
		    !has_failed(&faulty, meant[i].check))
			fail_msg("%s: not caught by '%s'", meant[i].fault, meant[i].check);
	}
}

static void each_fault_of_the_model_is_in_the_table(void **state)
{
	const struct pmu_model *model = pmu_model_find(target);
	size_t faults = 0, others = 0;

	(void)state;
	for (size_t i = 0; i < meant_count; i++)
		others += !strncmp(meant[i].fault, "stuck:", 6) || strchr(meant[i].fault, '/');
	for (; vpmu_faults(model)[faults]; faults++) {
		bool found = false;

		for (size_t i = 0; i < meant_count; i++)
			found |= !strcmp(meant[i].fault, vpmu_faults(model)[faults]);
		if (!found)
			fail_msg("%s", vpmu_faults(model)[faults]);
	}
	assert_int_equal(faults, meant_count - others);
}

// Returns whether a check of a register has failed in the faulty run.
static bool has_failed_for(const struct selftest_register *r, const char *check)
{
	char name[NAME_LENGTH];

	assert_true(snprintf(name, sizeof name, "%s: %s", check, r->name) < NAME_LENGTH);
	return has_failed(&faulty, name);
}

// A bit that reads as the inverse of its reset value fails the reset check, if it has such a value.
// If it should hold written values or ignore them, it fails that check, too. The line names field
// and bit.
static void each_stuck_bit_of_each_register_is_caught(void **state)
{
	struct selftest_register registers[SELFTEST_REGISTERS_MAX];
	const unsigned count = selftest_registers(selftest_find(target), registers);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const struct selftest_register *r = &registers[i];
		char fault[64];

		for (unsigned bit = 0; bit < 64; bit++) {
			snprintf(fault, sizeof fault, "stuck:0x%x:%u:%d", r->address, bit,
				 !(r->reset >> bit & 1));
			run_selftest(fault, &faulty);
			if (r->defined >> bit & 1)
				assert_true(has_failed_for(r, "reset"));
			if (r->holds >> bit & 1)
				assert_true(has_failed_for(r, "holds"));
			if (r->ignored >> bit & 1)
				assert_true(has_failed_for(r, "ignored bits read 0"));
		}
	}
}

// Each access to an absent register faults. The self test runs to its end and reports the fault: a
// line about reading or writing the register, by name. Expected faults are not reported.
static void each_register_can_be_absent(void **state)
{
	struct selftest_register registers[SELFTEST_REGISTERS_MAX];
	const unsigned count = selftest_registers(selftest_find(target), registers);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const struct selftest_register *r = &registers[i];
		char fault[64], said[2][NAME_LENGTH];
		bool named = false;

		snprintf(fault, sizeof fault, "absent:0x%x", r->address);
		snprintf(said[0], NAME_LENGTH, "reading %.90s, 0x%x, faulted)", r->name,
			 r->address);
		snprintf(said[1], NAME_LENGTH, "writing %.90s, 0x%x, faulted)", r->name,
			 r->address);
		run_selftest(fault, &faulty);
		for (unsigned c = 0; c < faulty.count; c++) {
			const char *fault_said = faulty.check[c].fault;

			named |= !strcmp(fault_said, said[0]) || !strcmp(fault_said, said[1]);
			assert_false(*fault_said && faulty.check[c].ok);
		}
		if (!named)
			fail_msg("%s", r->name);
	}
}

#define TESTS(F)							\
	F(healthy_model_passes_every_check)				\
	F(nothing_depends_on_what_is_undefined)				\
	F(names_are_different)						\
	F(each_fault_of_the_model_is_in_the_table)			\
	F(each_fault_is_caught_by_the_check_meant_for_it)		\
	F(each_stuck_bit_of_each_register_is_caught)			\
	F(each_register_can_be_absent)

#define TEST(function) {#function, function, NULL, NULL, NULL},
#define TARGETS_MAX 8

static int start_target(void **state)
{
	target = *state;
	return read_meant(state);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {TESTS(TEST)};
	struct CMUnitTest all[TARGETS_MAX * sizeof tests / sizeof *tests];
	size_t count = 0;

	for (const struct selftest_suite *const *suite = selftest_suites; *suite; suite++)
		for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
			static char names[sizeof all / sizeof *all][100];
			const char *name = (*suite)->driver->name;

			snprintf(names[count], sizeof *names, "%s_%s", name, tests[i].name);
			all[count] = tests[i];
			all[count].name = names[count];
			all[count].setup_func = i == 0 ? start_target : NULL;
			all[count++].initial_state = (void *)name;
		}
	return _cmocka_run_group_tests("self test", all, count, NULL, NULL);
}
