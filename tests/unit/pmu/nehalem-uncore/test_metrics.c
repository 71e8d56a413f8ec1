// SPDX-License-Identifier: BSD-2-Clause
// The Core i7 / Xeon 5500 uncore's metrics: their values against
// tests/vectors/nehalem-uncore-metrics.tab, and their number of runs.

#include "../core/metrics.h"

static int start(void **state)
{
	(void)state;
	return start_driver("nehalem-uncore");
}

// A bandwidth counts the uncore's clock on the fixed counter.
static void bandwidths_use_the_uncore_clock(void **state)
{
	unsigned bandwidths = 0;

	(void)state;
	for (size_t i = 0; i < driver.metrics->count; i++) {
		const struct pmu_metric *m = &driver.metrics->metric[i];
		struct pmu_metric_plan plan = {0};
		bool clock = false;

		must_plan(m, &plan);
		assert_int_equal(pmu_metric_schedule(&driver, &plan, &refusal), METRIC_OK);
		for (unsigned j = 0; j < plan.count; j++)
			clock |= !strcmp(plan.event[j].text, "UNC_CLK_UNHALTED") &&
				 driver.shape->fixed >> plan.event[j].counter & 1;
		assert_int_equal(clock, !strcmp(m->unit, "bytes/cycle"));
		bandwidths += clock;
	}
	// home logic, reads, writes, both, by kind
	assert_int_equal(bandwidths, 2 + 4 + 4 + 1 + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_metric_has_the_value_that_its_formula_gives),
		TEST(no_metric_has_the_name_of_an_event),
		// no formula of the guide needs more than nine counters
		TEST(each_metric_needs_one_run),
		TEST(bandwidths_use_the_uncore_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
