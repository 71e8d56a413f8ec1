// SPDX-License-Identifier: BSD-2-Clause
// Runs a target's self test: the checks of its registers, the other checks that all PMUs share, the
// target's own checks.

#include "suite.h"

#include <string.h>

#include "hal.h"

const struct selftest_suite *selftest_find(const char *target)
{
	for (const struct selftest_suite *const *s = selftest_suites; *s; s++)
		if (!strcmp((*s)->driver->name, target))
			return *s;
	return NULL;
}

// Selects the suite of the following checks. Returns the one for this processor.
static const struct selftest_suite *use(const struct selftest_suite *suite)
{
	if (suite->of_processor)
		suite = suite->of_processor();
	selftest_use(suite);
	selftest_now()->register_count = selftest_registers(suite, selftest_now()->registers);
	return suite;
}

void selftest_take_snapshot(const struct selftest_suite *suite, struct selftest_snapshot *snapshot)
{
	(void)pmu_probe(suite->driver);
	use(suite);
	memset(snapshot, 0, sizeof *snapshot);
	for (size_t i = 0; i < selftest_now()->register_count; i++)
		if (!reg_read(selftest_now()->registers[i].address, &snapshot->value[i]))
			snapshot->faults |= 1ULL << i;
}

static unsigned count_checks(const struct selftest_suite *suite)
{
	unsigned count;

	suite = use(suite);
	count = selftest_count_registers();
	for (size_t i = 0; i < selftest_shared_count; i++)
		count += (unsigned)__builtin_popcountll(selftest_each(&selftest_shared[i]));
	for (size_t i = 0; suite->further && i < *suite->further_count; i++)
		count += (unsigned)__builtin_popcountll(selftest_each(&suite->further[i]));
	for (size_t i = 0; i < suite->cases_count; i++)
		count += (unsigned)__builtin_popcountll(selftest_each(&suite->cases[i]));
	return count;
}

unsigned selftest_plan(const struct selftest_suite *const *suites, size_t count)
{
	unsigned checks = 0;

	for (size_t i = 0; i < count; i++)
		checks += count_checks(suites[i]);
	selftest_print_plan(checks);
	return checks;
}

static uint64_t run(const struct selftest_case *check, unsigned of)
{
	const uint64_t found = check->run(of);

	selftest_leave_thread();
	return selftest_now()->ended ? selftest_now()->present.found : found;
}

// Runs a check for a counter or item, again until it passes if it may be tried again, or a second
// time with more instructions.
static struct selftest_result take(const struct selftest_case *check, unsigned of)
{
	struct selftest_now *now = selftest_now();
	unsigned tries = 0;
	uint64_t found;

	now->session.driver = NULL;
	now->attached = false;
	now->there = hal_cpu();
	if (check->each && !check->names)
		selftest_watch(of, 0, 0);	// overflow status that should not be there must not
						// remain
	do {
		now->present = (struct selftest_result){.expected = check->expected};
		now->ended = false;
		now->more = 0;
		found = run(check, of);
	} while (++tries < check->tries && found != now->present.expected);
	if (check->more) {
		now->more = check->more;
		found = run(check, of) - found;
	}
	hal_interrupts_restore(true);
	return selftest_compare(now->present.expected, found);
}

static void run_case(struct selftest_tally *tally, const struct selftest_case *check)
{
	const struct pmu_driver *driver = selftest_now()->suite->driver;

	for (uint64_t each = selftest_each(check); each; each &= each - 1) {
		const unsigned it = (unsigned)__builtin_ctzll(each);
		const char *of = check->names ? check->names[it] : "";

		if (check->each && !check->names)
			of = selftest_register_name(check->control ? driver->control(it) :
						    driver->address(it));
		pmu_begin(driver, false);
		selftest_report(tally, check->name, of, take(check, it), NULL);
	}
}

void selftest_run_suite(const struct selftest_suite *suite,
			const struct selftest_snapshot *snapshot, struct selftest_tally *tally)
{
	suite = use(suite);
	selftest_check_registers(tally, snapshot);
	selftest_read_events();
	for (size_t i = 0; i < selftest_shared_count; i++)
		run_case(tally, &selftest_shared[i]);
	for (size_t i = 0; suite->further && i < *suite->further_count; i++)
		run_case(tally, &suite->further[i]);
	for (size_t i = 0; i < suite->cases_count; i++)
		run_case(tally, &suite->cases[i]);
	pmu_begin(suite->driver, false);
}
