// SPDX-License-Identifier: BSD-2-Clause
// The Core i7 / Xeon 5500 core's metrics: their values against tests/vectors/nehalem-metrics.tab,
// the guide's identities, and the number of runs.

#include "../core/metrics.h"
#include "../core/random.h"

static int start(void **state)
{
	(void)state;
	return start_driver("nehalem");
}

//
// Identities, for any counts
//

// Returns the value of a metric for counts that follow from the events' names, so an event has the
// same count in each metric.
static struct pmu_value value_of(const char *name, uint64_t seed)
{
	struct pmu_metric_plan plan = {0};
	uint64_t counts[PMU_METRIC_EVENTS];
	struct pmu_value v;

	must_plan(must_find(name), &plan);
	for (unsigned i = 0; i < plan.count; i++) {
		counts[i] = seed;
		for (const char *c = plan.event[i].text; *c; c++)
			counts[i] = (counts[i] ^ (uint64_t)*c) * 0x100000001B3;
		counts[i] >>= 40;
	}
	assert_int_equal(pmu_metric_evaluate(&driver, must_find(name), "", &plan, counts, &v,
					     &refusal), METRIC_OK);
	return v;
}

static void is_sum(uint64_t seed, const char *sum, const char *a, const char *b)
{
	struct pmu_value s = value_of(sum, seed), x = value_of(a, seed), y = value_of(b, seed);

	assert_int_equal(s.kind, VALUE_NUMBER);
	if (s.numerator * x.denominator * y.denominator !=
	    (x.numerator * y.denominator + y.numerator * x.denominator) * s.denominator)
		fail_msg("%s is not %s + %s", sum, a, b);
}

static void is_product(uint64_t seed, const char *product, const char *a, const char *b)
{
	struct pmu_value p = value_of(product, seed), x = value_of(a, seed), y = value_of(b, seed);

	assert_int_equal(p.kind, VALUE_NUMBER);
	if (p.numerator * x.denominator * y.denominator != x.numerator * y.numerator *
	    p.denominator)
		fail_msg("%s is not %s * %s", product, a, b);
}

// "Measuring Penalties": penalty = latency / average queue depth.
static void latency_is_penalty_times_depth(void **state)
{
	uint64_t seed = 0x70656E616C7479;

	(void)state;
	for (unsigned turn = 0; turn < 100; turn++)
		is_product(random_next(&seed), "L1D_MISS_LATENCY", "L1D_MISS_PENALTY",
			   "L1D_MISS_DEPTH");
}

// Unaccounted stalls are the difference.
static void counted_and_unaccounted_stalls_are_all_stalls(void **state)
{
	uint64_t seed = 0x7374616C6C73;

	(void)state;
	for (unsigned turn = 0; turn < 100; turn++) {
		uint64_t counts = random_next(&seed);

		is_sum(counts, "THREAD_EXECUTION_STALLS_MOST", "UNACCOUNTED_STALLS_PER_THREAD_MOST",
		       "COUNTED_STALL_CYCLES_LEAST");
		is_sum(counts, "THREAD_EXECUTION_STALLS_MOST",
		       "UNACCOUNTED_STALLS_PER_THREAD_LEAST",
		       "COUNTED_STALL_CYCLES_MOST");
		is_sum(counts, "THREAD_EXECUTION_STALLS_MOST", "ALL_UNACCOUNTED_STALLS_MOST",
		       "ALL_COUNTED_STALLS_LEAST");
		is_sum(counts, "THREAD_EXECUTION_STALLS_MOST", "ALL_UNACCOUNTED_STALLS_LEAST",
		       "ALL_COUNTED_STALLS_MOST");
	}
}

static void fractions_of_misses_add_up_to_one(void **state)
{
	uint64_t seed = 0x6D6973736573;

	(void)state;
	for (unsigned turn = 0; turn < 100; turn++) {
		uint64_t counts = random_next(&seed);
		struct pmu_value qpi = value_of("M_QPI", counts), qhl = value_of("M_QHL", counts);

		assert_true(qpi.numerator * qhl.denominator + qhl.numerator * qpi.denominator ==
			    qpi.denominator * qhl.denominator);
	}
}

//
// Runs
//

static void metrics_need_as_few_runs_as_the_counters_allow(void **state)
{
	(void)state;
	needs_runs("CPI", 1);				// two fixed counters
	needs_runs("WASTED_WORK", 1);
	needs_runs("INSTRUCTION_STARVATION_HT", 1);	// four general counters
	needs_runs("L1D_MISS_LATENCY", 1);		// counters 0 and 1
	needs_runs("LOADS_BY_SOURCE", 2);		// six events for four counters
	needs_runs("UNACCOUNTED_STALLS_MOST", 2);	// five
	needs_runs("READ_BANDWIDTH", 1);
}

// All offcore requests share one register.
static void offcore_values_need_a_run_each(void **state)
{
	(void)state;
	needs_runs("L3_HIT_SHARED_RATIO", 2);
	needs_runs("M_QPI", 2);
	needs_runs("L3_HIT_LATENCY", 4);
}

static void each_metric_can_be_measured(void **state)
{
	(void)state;
	for (size_t i = 0; i < driver.metrics->count; i++) {
		struct pmu_metric_plan plan = {0};

		must_plan(&driver.metrics->metric[i], &plan);
		assert_int_equal(pmu_metric_schedule(&driver, &plan, &refusal), METRIC_OK);
		assert_int_equal(plan.runs, plan.least);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_metric_has_the_value_that_its_formula_gives),
		TEST(no_metric_has_the_name_of_an_event),
		TEST(latency_is_penalty_times_depth),
		TEST(counted_and_unaccounted_stalls_are_all_stalls),
		TEST(fractions_of_misses_add_up_to_one),
		TEST(metrics_need_as_few_runs_as_the_counters_allow),
		TEST(offcore_values_need_a_run_each),
		TEST(each_metric_can_be_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
