// SPDX-License-Identifier: BSD-2-Clause
// Knights Corner's metrics: their values against tests/vectors/knc-metrics.tab, and the number of
// runs of metrics and profiles.

#include "../core/metrics.h"
#include "profile.h"

static int start(void **state)
{
	(void)state;
	return start_driver("knc");
}

// With two counters, n events of which m count on counter 0 only take n / 2 runs, or m if that is
// more.
static unsigned least_runs(const struct pmu_metric_plan *plan)
{
	unsigned of_counter_0 = 0, by_two = (plan->count + 1) / 2;

	for (unsigned i = 0; i < plan->count; i++)
		of_counter_0 += plan->event[i].request.event->counters == 1;
	return of_counter_0 > by_two ? of_counter_0 : by_two;
}

static void must_take(const char *name, const struct pmu_metric_plan *plan, unsigned runs)
{
	if (plan->runs != runs || plan->least != runs)
		fail_msg("%s takes %u runs (at least %u), not %u", name, plan->runs, plan->least,
			 runs);
}

static void each_metric_takes_as_few_runs_as_there_can_be(void **state)
{
	(void)state;
	for (size_t i = 0; i < driver.metrics->count; i++) {
		struct pmu_metric_plan plan = {0};

		must_plan(&driver.metrics->metric[i], &plan);
		assert_int_equal(pmu_metric_schedule(&driver, &plan, &refusal), METRIC_OK);
		must_take(driver.metrics->metric[i].name, &plan, least_runs(&plan));
	}
}

static void events_of_counter_0_take_a_run_each(void **state)
{
	(void)state;
	needs_runs("CPI", 1);
	needs_runs("L1_hit_rate", 2);			// three events
	needs_runs("L2_read_miss_part", 4);		// C8, C9, CA and CB
	needs_runs("L2_fills_from_caches", 4);		// F1, F2, F6 and F7
	needs_runs("Memory_read_demand", 2);		// F6 and F7; cycles with one of them
	needs_runs("Memory_write", 2);			// D7 and E7; cycles
}

// Counted in Table 1-6: events, and those of counter 0 only.
static void each_profile_takes_as_few_runs_as_there_can_be(void **state)
{
	static const struct {
		const char *name;
		unsigned events, runs;
	} profiles[] = {
		{"GENERAL_EXPLORATION", 4, 2}, {"PIPELINE", 10, 5}, {"BRANCH_ANALYSIS", 4, 2},
		{"VECTORIZATION", 8, 4},
		{"MEMORY_ACCESS", 9, 5},	// four of counter 0, five others
		{"PREFETCH", 10, 5},		// four of counter 0, six others
		{"INSTRUCTION_FETCH", 6, 3},
	};

	(void)state;
	assert_int_equal(driver.profiles->count, LENGTH(profiles));
	for (size_t i = 0; i < LENGTH(profiles); i++) {
		const struct pmu_profile *p = pmu_profile_find(driver.profiles, profiles[i].name);
		struct pmu_metric_plan plan = {0};

		assert_non_null(p);
		assert_int_equal(pmu_profile_plan(&driver, p, &plan, &refusal), METRIC_OK);
		assert_int_equal(plan.count, profiles[i].events);
		assert_int_equal(pmu_metric_schedule(&driver, &plan, &refusal), METRIC_OK);
		must_take(p->name, &plan, profiles[i].runs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_metric_has_the_value_that_its_formula_gives),
		TEST(no_metric_has_the_name_of_an_event),
		TEST(each_metric_takes_as_few_runs_as_there_can_be),
		TEST(events_of_counter_0_take_a_run_each),
		TEST(each_profile_takes_as_few_runs_as_there_can_be),
	};

	return cmocka_run_group_tests_name("knc metrics", tests, NULL, NULL);
}
