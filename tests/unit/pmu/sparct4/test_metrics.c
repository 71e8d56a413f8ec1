// SPDX-License-Identifier: BSD-2-Clause
// The SPARC T4 core's metrics: their values against tests/vectors/sparct4-metrics.tab, and the
// number of runs.

#include "../core/metrics.h"

static int start(void **state)
{
	(void)state;
	return start_driver("sparct4");
}

// Footnote 13: these events are those of all strands, so their metrics do not describe the counting
// strand.
static void metrics_of_all_strands_say_so(void **state)
{
	unsigned warned = 0;

	(void)state;
	for (size_t i = 0; i < driver.metrics->count; i++) {
		const struct pmu_metric *m = &driver.metrics->metric[i];
		struct pmu_metric_plan plan = {0};
		bool crosses = false;

		must_plan(m, &plan);
		for (unsigned j = 0; j < plan.count; j++)
			crosses |= !(plan.event[j].request.event->modifiers & EVENT_USER);
		if (crosses != !strncmp(m->caveat, "of all strands", strlen("of all strands")))
			fail_msg("%s: '%s'", m->name, m->caveat);
		warned += crosses;
	}
	assert_int_equal(warned, 4);	// sl 8 mask 02, sl 9, 20, 24
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_metric_has_the_value_that_its_formula_gives),
		TEST(no_metric_has_the_name_of_an_event),
		TEST(metrics_of_all_strands_say_so),
		// four counters count all events; no metric needs more
		TEST(each_metric_needs_one_run),
	};

	return cmocka_run_group_tests_name("sparct4 metrics", tests, NULL, NULL);
}
