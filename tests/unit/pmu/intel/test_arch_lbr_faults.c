// SPDX-License-Identifier: BSD-2-Clause
// The defects of architectural branch records: the self test finds each one on the processor that
// has them, by the check that is meant to find it.

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "begin.h"
#include "vpmu.h"

#define PROCESSOR	"intel-arch-lbr"
#define ARCH		"branch records, architectural: "
#define BOTH		"branch records: "

static const struct {
	const char *fault, *check;
} rows[] = {
	{"lbr-arch-always", ARCH "none unless enabled"},
	{"lbr-arch-levels-ignored", ARCH "level 3"},
	{"lbr-arch-kinds-ignored", ARCH "all other ones"},
	{"lbr-arch-shift-lost", ARCH "record 0 is the youngest"},
	{"lbr-arch-swapped", BOTH "the last rounds of a loop"},
	{"lbr-arch-type-wrong", ARCH "type and valid cycles"},
	{"lbr-arch-invalid", ARCH "type and valid cycles"},
	{"lbr-arch-freeze-hollow", BOTH "none while they are frozen"},
	{"lbr-arch-depth-unchecked", ARCH "other depths fault"},
	{"lbr-arch-depth-stuck", ARCH "each depth"},
	{"lbr-arch-depth-keeps", ARCH "a write of the depth clears"},
};
#define ROWS	(sizeof rows / sizeof *rows)

// True if a line "not ok NUMBER - CHECK ..." is in the report.
static bool has_failed(const char *report, const char *check)
{
	for (const char *line = strstr(report, "not ok"); line; line = strstr(line + 1, "not ok")) {
		const char *name = strstr(line, " - ");

		if (name && !strncmp(name + 3, check, strlen(check)))
			return true;
	}
	return false;
}

static void each_is_found_by_its_check(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ROWS; i++) {
		char *report = NULL;

		run_selftest(PROCESSOR, rows[i].fault, &report);
		if (!has_failed(report, rows[i].check))
			fail_msg("%s is not found by '%s'", rows[i].fault, rows[i].check);
		free(report);
	}
}

static void each_has_a_row(void **state)
{
	const char *const *faults = vpmu_faults(pmu_model_find(PROCESSOR));
	unsigned count = 0;

	(void)state;
	for (; faults[count]; count++) {
		bool found = false;

		for (unsigned i = 0; i < ROWS; i++)
			found |= !strcmp(rows[i].fault, faults[count]);
		assert_true(found);
	}
	assert_int_equal(count, ROWS);
}

// Checks for architectural branch records alone, each of which some defect fails.
static void each_check_has_a_defect(void **state)
{
	char *sound = NULL, *end;

	(void)state;
	run_selftest(PROCESSOR, "", &sound);
	for (char *at = strstr(sound, ARCH); at; at = strstr(end + 1, ARCH)) {
		bool found = false;

		end = strstr(at, " (expected");
		assert_non_null(end);
		*end = '\0';
		for (unsigned i = 0; i < ROWS && !found; i++) {
			char *report = NULL;

			run_selftest(PROCESSOR, rows[i].fault, &report);
			found = has_failed(report, at);
			free(report);
		}
		if (!found)
			fail_msg("no defect fails '%s'", at);
	}
	free(sound);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(each_is_found_by_its_check, driver_end),
		cmocka_unit_test_teardown(each_has_a_row, driver_end),
		cmocka_unit_test_teardown(each_check_has_a_defect, driver_end),
	};

	return cmocka_run_group_tests_name("architectural branch records: faults", tests, NULL,
					   NULL);
}
