// SPDX-License-Identifier: BSD-2-Clause
// The memory controllers' events against Table 10-7 of the SPARC T4 Supplement, their metrics'
// values against tests/vectors/sparct4-dram-metrics.tab, and the number of runs.

#include "../core/metrics.h"

static int start(void **state)
{
	(void)state;
	return start_driver("sparct4-dram");
}

//
// Events
//

#define CONTROLLERS	4
#define COUNTERS	4

static const struct {
	unsigned code;
	const char *name;
	bool of_port;		// "from its respective COU port only"
} selects[] = {
	{0x0, "READS", true}, {0x1, "WRITES", true}, {0x2, "READS_WRITES", true},
	{0x3, "BANK_BUSY_STALLS", false},
	{0x4, "READ_QUEUE_LATENCY", false}, {0x5, "WRITE_QUEUE_LATENCY", false},
	{0x6, "READ_WRITE_QUEUE_LATENCY", false}, {0x7, "WRITEBACK_BUFFER_HITS", false},
	{0x8, "READS", false},
	{0x9, "WRITES_STARVED", false}, {0xA, "WRITES", false},
	{0xB, "READS_WRITES_CHANNEL0", false},
	{0xC, "READS_WRITES_CHANNEL1", false},
};

static void check_event(const char *name, unsigned code, uint64_t counters)
{
	const struct pmu_event *e = event_find(driver.events, name, strlen(name));

	if (!e)
		fail_msg("there is no event %s", name);
	assert_int_equal(e->code, code);
	assert_int_equal(e->counters, counters);
	assert_string_equal(e->source, "Table 10-7");
}

// Table 10-4: counter 0 has the events of COU 0, port 0; 1 those of COU 0, port 1; 2 and 3 those of
// COU 1.
static void each_select_is_an_event_of_each_controller(void **state)
{
	size_t events = 0;
	char name[64];

	(void)state;
	for (unsigned c = 0; c < CONTROLLERS; c++)
		for (size_t i = 0; i < LENGTH(selects); i++) {
			if (!selects[i].of_port) {
				snprintf(name, sizeof name, "%s.MCU%u", selects[i].name, c);
				check_event(name, selects[i].code, 0xFULL << 4 * c);
				events++;
			}
			for (unsigned n = 0; n < COUNTERS && selects[i].of_port; n++, events++) {
				snprintf(name, sizeof name, "%s_COU%u_PORT%u.MCU%u",
					 selects[i].name, n / 2, n % 2, c);
				check_event(name, selects[i].code, 1ULL << (4 * c + n));
			}
		}
	assert_int_equal(events, driver.events->count);
}

//
// Metrics
//

// Two of a controller's counters are ours: a ratio to all its transactions needs three counts.
static void what_needs_three_counts_of_a_controller_needs_two_runs(void **state)
{
	unsigned two = 0;

	(void)state;
	for (size_t i = 0; i < driver.metrics->count; i++) {
		const struct pmu_metric *m = &driver.metrics->metric[i];
		const bool three = !strncmp(m->name, "TRANSACTION_LATENCY", 19) ||
				   !strncmp(m->name, "BANK_BUSY_PENALTY", 17);
		struct pmu_metric_plan plan = {0};

		must_plan(m, &plan);
		assert_int_equal(pmu_metric_schedule(&driver, &plan, &refusal), METRIC_OK);
		assert_int_equal(plan.runs, three ? 2 : 1);
		two += three;
		for (unsigned j = 0; j < plan.count; j++)
			assert_true(0x3333 >> plan.event[j].counter & 1);
	}
	assert_int_equal(two, 2 * CONTROLLERS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_select_is_an_event_of_each_controller),
		TEST(each_metric_has_the_value_that_its_formula_gives),
		TEST(no_metric_has_the_name_of_an_event),
		TEST(what_needs_three_counts_of_a_controller_needs_two_runs),
	};

	return cmocka_run_group_tests_name("sparct4-dram metrics", tests, NULL, NULL);
}
