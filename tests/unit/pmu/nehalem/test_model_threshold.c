// SPDX-License-Identifier: BSD-2-Clause
// Thresholds, inversion and edges of the nehalem model's counters.

#include "steps.h"

//
// Threshold and inversion (Appendix II: CMASK and INV)
//

static void cmask_zero_adds_the_events(void **state)
{
	(void)state;
	for (uint32_t n = 0; n <= 5; n++)
		assert_int_equal(COUNT(EVENT(UOPS, 1) | ON, 10, {UOPS, 1, n, 0, 0}), 10 * n);
	assert_int_equal(COUNT(EVENT(UOPS, 1) | ON, 10, {UOPS, 1, 1000, 0, 0}), 10000);
}

// "If INV is clear and the event counts are greater than or equal to this field, the counter is
// incremented by one."
static void cmask_counts_cycles_with_at_least_so_many_events(void **state)
{
	(void)state;
	for (unsigned cmask = 1; cmask < 256; cmask++) {
		assert_int_equal(COUNT(EVENT(UOPS, 1) | ON | CMASK(cmask), 10,
				       {UOPS, 1, cmask - 1, 0, 0}), 0);
		assert_int_equal(COUNT(EVENT(UOPS, 1) | ON | CMASK(cmask), 10,
				       {UOPS, 1, cmask, 0, 0}), 10);
		assert_int_equal(COUNT(EVENT(UOPS, 1) | ON | CMASK(cmask), 10,
				       {UOPS, 1, cmask + 1, 0, 0}), 10);
	}
	assert_int_equal(COUNT(EVENT(UOPS, 1) | ON | CMASK(255), 10, {UOPS, 1, 256, 0, 0}), 10);
	assert_int_equal(COUNT(EVENT(UOPS, 1) | ON | CMASK(1), 10, {UOPS, 1, UINT32_MAX, 0, 0}),
			 10);
}

// "If INV is set and the event counts are less than this field, the counter is incremented by one."
static void inv_counts_cycles_with_fewer_events(void **state)
{
	(void)state;
	for (unsigned cmask = 1; cmask < 256; cmask++) {
		const uint64_t select = EVENT(UOPS, 1) | ON | INV | CMASK(cmask);

		assert_int_equal(COUNT(select, 10, {UOPS, 1, cmask - 1, 0, 0}), 10);
		assert_int_equal(COUNT(select, 10, {UOPS, 1, cmask, 0, 0}), 0);
		assert_int_equal(COUNT(select, 10, {UOPS, 1, cmask + 1, 0, 0}), 0);
		assert_int_equal(COUNT(select, 10, {UOPS, 2, cmask, 0, 0}), 10);
	}
}

// "When this field is clear, it has no effect on counting."
static void inv_without_cmask_has_no_effect(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(UOPS, 1) | ON | INV, 10, {UOPS, 1, 3, 0, 0}), 30);
	assert_int_equal(COUNT(EVENT(UOPS, 1) | ON | INV, 10, {UOPS, 1, 0, 0, 0}), 0);
}

// model.h, leave_out: for each thread separately, until the next call.
static void inv_of_a_counter_that_is_left_out_counts_nothing(void **state)
{
	const uint64_t without = EVENT(UOPS, 1) | ON | INV | CMASK(1);

	(void)state;
	for (unsigned thread = 0; thread < THREADS; thread++)
		for (unsigned i = 0; i < 2; i++)
			put_of(thread, PERFEVTSEL0 + i, without);
	SIGNALS({CYCLES, 0, 1, 0, 0}, {CYCLES, 0, 1, 1, 0});
	run(3);
	model->machine->leave_out(pmu, 1, 2);
	run(10);
	assert_int_equal(get_of(0, PMC0 + 1), 13);
	assert_int_equal(get_of(1, PMC0), 13);
	assert_int_equal(get_of(1, PMC0 + 1), 3);
	assert_int_equal(get_of(1, PERFEVTSEL0 + 1), without);
	model->machine->leave_out(pmu, 1, 0);
	run(10);
	assert_int_equal(get_of(1, PMC0 + 1), 13);
}

// model.h, set_late and count_late: random cycles, one at a time or several equal ones at once,
// count as those that `advance` passes do, and cycles that `advance` passes meanwhile do not count.
static void late_counters_count_as_others_do(void **state)
{
	static const uint64_t conditions[] = {0, CMASK(2), CMASK(2) | INV, CMASK(2) | INV | E};
	enum { IN_TIME, LATE, LATE_AT_ONCE, WAYS };
	uint64_t counts[WAYS][4];

	for (unsigned way = 0; way < WAYS; way++) {
		struct occurrence cycle[2];

		start(state);
		for (unsigned i = 0; i < 4; i++)
			put(PERFEVTSEL0 + i, EVENT(UOPS, 1) | ON | conditions[i]);
		model->machine->set_late(pmu, 0, way == IN_TIME ? 0 : 15);
		srand(1);
		for (unsigned n = 0; n < 1000; n++) {
			struct occurrence *const o = &cycle[n & 1];
			const uint64_t equal = 1 + (uint64_t)rand() % 4,
				calls = way == LATE ? equal : way == LATE_AT_ONCE;

			*o = (struct occurrence){.code = UOPS, .sub = 1, .n = (uint32_t)rand() % 5};
			model->advance(pmu, equal, o, 1);
			for (uint64_t call = 0; call < calls; call++)
				model->machine->count_late(pmu, outputs()->late, equal / calls, o,
							   1);
		}
		no_signals();
		for (unsigned i = 0; i < 4; i++)
			counts[way][i] = get(PMC0 + i);
	}
	assert_memory_equal(counts[IN_TIME], counts[LATE], sizeof *counts);
	assert_memory_equal(counts[IN_TIME], counts[LATE_AT_ONCE], sizeof *counts);
	assert_true(counts[IN_TIME][3] > 0);
}

// Counters may receive their cycles in turns: the edges of one do not depend on the others.
static void late_counters_may_count_separately(void **state)
{
	const struct occurrence o = {.code = UOPS, .sub = 1, .n = 1};

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		put(PERFEVTSEL0 + i, EVENT(UOPS, 1) | ON | CMASK(1) | E);
	model->machine->set_late(pmu, 0, 3);
	for (unsigned n = 0; n < 10; n++) {
		model->machine->count_late(pmu, 1, 1, &o, 1);
		model->machine->count_late(pmu, 2, 1, &o, n % 2 ? 0 : 1);
	}
	assert_int_equal(get(PMC0), 1);
	assert_int_equal(get(PMC0 + 1), 5);
}

// It counts frozen, too; its overflow raises the line.
static void a_late_counter_overflows(void **state)
{
	const struct occurrence o = {.code = UOPS, .sub = 1, .n = 1};
	uint32_t late;

	(void)state;
	put(PERFEVTSEL0, EVENT(UOPS, 1) | ON | INT);
	put(PMC0, (uint32_t)-2);
	model->machine->set_late(pmu, 0, 1);
	late = outputs()->late;
	assert_int_equal(late, 1);
	put(GLOBAL_CTRL, 0);
	assert_int_equal(outputs()->late, 0);
	model->machine->count_late(pmu, late, 1, &o, 1);
	assert_int_equal(outputs()->requests, 0);
	model->machine->count_late(pmu, late, 1, &o, 1);
	assert_int_equal(outputs()->requests, 1);
	assert_int_equal(get(GLOBAL_STATUS), 1);
	assert_int_equal(get(PMC0), 0);
}

// model.h, headroom: 99 more events do not overflow it; a cycle has up to 4.
static void headroom_includes_late_counters(void **state)
{
	const struct model_most most[14] = {{.cycle = 4}};
	struct model_headroom h;

	(void)state;
	put(PERFEVTSEL0, EVENT(UOPS, 1) | ON | INT);
	put(PMC0, (uint32_t)-100);
	model->machine->set_late(pmu, 0, 1);
	model->headroom(pmu, most, &h);
	assert_int_equal(h.cycles, 24);
}

static void threshold_is_compared_with_the_sum_of_a_cycle(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(UOPS, 3) | ON | CMASK(4), 10, {UOPS, 1, 2, 0, 0},
			       {UOPS, 2, 2, 0, 3}), 10);
	assert_int_equal(COUNT(EVENT(UOPS, 3) | ON | CMASK(5), 10, {UOPS, 1, 2, 0, 0},
			       {UOPS, 2, 2, 0, 3}), 0);
}

// Events at levels that are not counted do not reach the threshold.
static void threshold_sees_the_counted_levels_only(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(UOPS, 1) | EN | OS | CMASK(1), 10, {UOPS, 1, 2, 0, 3}), 0);
	assert_int_equal(COUNT(EVENT(UOPS, 1) | EN | OS | CMASK(1), 10, {UOPS, 1, 2, 0, 0}), 10);
}

// SDM volume 3B on IA32_PERF_GLOBAL_CTRL: a counter is enabled by the AND of its bit there with its
// level bits.
static void inverted_threshold_counts_at_the_selected_levels_only(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(UOPS, 1) | EN | OS | CMASK(3) | INV, 10, {UOPS, 1, 2, 0, 3}),
			 0);
	assert_int_equal(COUNT(EVENT(UOPS, 1) | EN | OS | CMASK(3) | INV, 10, {UOPS, 1, 2, 0, 0}),
			 10);
	assert_int_equal(COUNT(EVENT(UOPS, 1) | EN | USR | CMASK(3) | INV, 10, {UOPS, 1, 2, 0, 3}),
			 10);
	assert_int_equal(COUNT(EVENT(UOPS, 1) | EN | USR | CMASK(3) | INV, 10, {UOPS, 1, 2, 0, 0}),
			 0);
}

static void halted_thread_stays_at_its_level(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EVENT(UOPS, 1) | EN | OS | CMASK(1) | INV);
	put(PERFEVTSEL0 + 1, EVENT(UOPS, 1) | EN | USR | CMASK(1) | INV);
	SIGNALS({UOPS, 1, 2, 0, 0});
	run(5);
	no_signals();
	run(7);
	assert_int_equal(get(PMC0), 7);
	assert_int_equal(get(PMC0 + 1), 0);
}

// The guide: "the sum of the counts for inv=0 and inv=1 for a non-zero cmask will always be the
// total core cycles".
static void cycles_at_and_below_any_threshold_are_all_cycles(void **state)
{
	(void)state;
	for (unsigned cmask = 1; cmask < 256; cmask++) {
		uint64_t total = 0, reached = 0;

		put(PERFEVTSEL0, EVENT(UOPS, 1) | ON | CMASK(cmask));
		put(PERFEVTSEL0 + 1, EVENT(UOPS, 1) | ON | CMASK(cmask) | INV);
		put(PMC0, 0);
		put(PMC0 + 1, 0);
		for (unsigned change = 0; change < 50; change++) {
			uint64_t cycles = random_below(100);
			uint32_t n = (uint32_t)random_below(300);

			SIGNALS({UOPS, 1, n, 0, (uint8_t)random_below(4)});
			run(cycles);
			total += cycles;
			reached += n >= cmask ? cycles : 0;
		}
		assert_int_equal(get(PMC0), reached);
		assert_int_equal(get(PMC0) + get(PMC0 + 1), total);
	}
}

// The guide: CPU_CLK_UNHALTED.TOTAL_CYCLES is cmask 2 with inv, "a condition that is always true".
static void total_cycles_counts_halted_and_unhalted(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EVENT(CYCLES, 0) | ON | INV | CMASK(2));
	SIGNALS({CYCLES, 0, 1, 0, 0});
	run(30);
	no_signals();
	run(12);
	assert_int_equal(get(PMC0), 42);
}

//
// Edge detection. Appendix II: "when a deasserted to asserted transition occurs for the conditions
// that can be expressed by any of the fields in this register"
//

static void assert_condition(uint32_t n, uint64_t cycles)
{
	SIGNALS({UOPS, 1, n, 0, 0});
	run(cycles);
}

static void edge_counts_each_rising_condition_once(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EDGE);
	for (unsigned i = 1; i <= 20; i++) {
		assert_condition(1, i % 3 + 1);
		assert_int_equal(get(PMC0), i);
		assert_condition(0, i % 4 + 1);
		assert_int_equal(get(PMC0), i);
	}
}

// SDM 3B: "The mechanism does not permit back-to-back assertions to be distinguished."
static void edge_takes_back_to_back_assertions_for_one(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EDGE);
	assert_condition(1, 3);
	assert_condition(2, 1);
	assert_condition(1, 5);
	SIGNALS({UOPS, 1, 7, 0, 3}, {UOPS, 2, 1, 0, 0});
	run(100);
	assert_int_equal(get(PMC0), 1);
}

// The guide: UOPS_EXECUTED:CMASK=1:INV=1:EDGE=1 counts the number of stalls.
static void edge_of_an_inverted_condition_counts_stalls(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EDGE | INV);
	for (unsigned i = 1; i <= 10; i++) {
		assert_condition(3, 4);
		no_signals();
		run(i);
		assert_int_equal(get(PMC0), i);
	}
}

static void edge_of_a_higher_threshold_needs_that_many(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EVENT(UOPS, 1) | ON | E | CMASK(3));
	assert_condition(2, 5);
	assert_int_equal(get(PMC0), 0);
	assert_condition(3, 5);
	assert_condition(2, 5);
	assert_condition(4, 5);
	assert_int_equal(get(PMC0), 2);
}

// The guide, before table 1: "For the Edge Detect to work, a non zero cmask value must also be
// used."
static void edge_without_cmask_does_not_work(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(UOPS, 1) | ON | E, 10, {UOPS, 1, 3, 0, 0}), 30);
}

// The level is one of the register's conditions: each visit to level 3 is a transition.
static void edge_counts_visits_to_a_counted_level(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EVENT(UOPS, 1) | EN | USR | E | CMASK(1));
	for (unsigned i = 1; i <= 5; i++) {
		SIGNALS({UOPS, 1, 1, 0, 3});
		run(7);
		SIGNALS({UOPS, 1, 1, 0, 0});
		run(7);
		assert_int_equal(get(PMC0), i);
	}
}

// model.h: signals describe the following cycles; between two changes without a cycle nothing
// occurs.
static void change_of_signals_without_a_cycle_is_no_edge(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EDGE);
	assert_condition(1, 5);
	assert_condition(0, 0);
	assert_condition(1, 5);
	assert_int_equal(get(PMC0), 1);
}

// EN is one of the register's fields: a disabled counter's condition is false.
static void edge_counts_a_condition_that_holds_when_en_is_set(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EDGE & ~EN);
	assert_condition(1, 5);
	assert_int_equal(get(PMC0), 0);
	for (unsigned i = 1; i <= 3; i++) {
		put(PERFEVTSEL0, EDGE);
		run(5);
		assert_int_equal(get(PMC0), i);
		put(PERFEVTSEL0, EDGE & ~EN);
		run(5);
		assert_int_equal(get(PMC0), i);
	}
}

// SDM 3B: a counter is enabled if both its EN and its bit in IA32_PERF_GLOBAL_CTRL are.
static void edge_counts_a_condition_that_holds_when_globally_enabled(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EDGE);
	assert_condition(1, 5);
	put(GLOBAL_CTRL, 0);
	run(5);
	put(GLOBAL_CTRL, 1);
	run(5);
	assert_int_equal(get(PMC0), 2);
}

// Nor is it an edge if an interrupt handler stops and starts all counters within no cycle.
static void disabling_without_a_cycle_is_no_edge(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EDGE);
	assert_condition(1, 5);
	put(GLOBAL_CTRL, 0);
	put(GLOBAL_CTRL, 1);
	run(5);
	assert_int_equal(get(PMC0), 1);
}

// Writes that leave the condition alone are no edge.
static void edge_ignores_writes_to_other_registers(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EDGE);
	assert_condition(1, 5);
	put(PERFEVTSEL0 + 1, EVENT(UOPS, 1) | ON);
	put(GLOBAL_CTRL, ALL_BITS);
	put_of(1, PERFEVTSEL0, EDGE);
	put(PMC0, 100);
	run(5);
	assert_int_equal(get(PMC0), 100);
}

static void each_counter_detects_its_own_edges(void **state)
{
	(void)state;
	for (unsigned i = 0; i < GENERAL; i++)
		put(PERFEVTSEL0 + i, EVENT(UOPS, 1) | ON | E | CMASK(i + 1));
	for (uint32_t n = 0; n <= GENERAL; n++) {
		assert_condition(n, 3);
		assert_condition(0, 3);
	}
	for (unsigned i = 0; i < GENERAL; i++)
		assert_int_equal(get(PMC0 + i), GENERAL - i);
}

// Returns the count of counter 0 if E is set while its condition holds, next to a counter 1 with
// this select.
static uint64_t edge_switched_on_with(uint64_t other_select)
{
	reset(-1);
	put(PERFEVTSEL0, EDGE & ~E);
	put(PERFEVTSEL0 + 1, other_select);
	assert_condition(1, 10);
	put(PMC0, 0);
	put(PERFEVTSEL0, EDGE);
	run(10);
	return get(PMC0);
}

// A counter's conditions are those of its own register's fields.
static void edge_detection_does_not_depend_on_other_counters(void **state)
{
	(void)state;
	assert_int_equal(edge_switched_on_with(0), edge_switched_on_with(EDGE));
}

// Appendix II, E: each counter's condition is its own.
static void writing_a_select_leaves_the_edges_of_others(void **state)
{
	(void)state;
	put(PERFEVTSEL0 + 1, EDGE);
	no_signals();
	run(1);
	put(PERFEVTSEL0, EVENT(CYCLES, 0) | ON);
	SIGNALS({UOPS, 1, 1, 0, 0});
	run(10);
	assert_int_equal(get(PMC0 + 1), 1);
	put(PERFEVTSEL0, EVENT(RETIRED, 0) | ON);
	run(10);
	assert_int_equal(get(PMC0 + 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(cmask_zero_adds_the_events),
		TEST(cmask_counts_cycles_with_at_least_so_many_events),
		TEST(inv_counts_cycles_with_fewer_events),
		TEST(inv_without_cmask_has_no_effect),
		TEST(inv_of_a_counter_that_is_left_out_counts_nothing),
		TEST(late_counters_count_as_others_do),
		TEST(late_counters_may_count_separately),
		TEST(a_late_counter_overflows),
		TEST(headroom_includes_late_counters),
		TEST(threshold_is_compared_with_the_sum_of_a_cycle),
		TEST(threshold_sees_the_counted_levels_only),
		TEST(inverted_threshold_counts_at_the_selected_levels_only),
		TEST(halted_thread_stays_at_its_level),
		TEST(cycles_at_and_below_any_threshold_are_all_cycles),
		TEST(total_cycles_counts_halted_and_unhalted),
		TEST(edge_counts_each_rising_condition_once),
		TEST(edge_takes_back_to_back_assertions_for_one),
		TEST(edge_of_an_inverted_condition_counts_stalls),
		TEST(edge_of_a_higher_threshold_needs_that_many),
		TEST(edge_without_cmask_does_not_work),
		TEST(edge_counts_visits_to_a_counted_level),
		TEST(change_of_signals_without_a_cycle_is_no_edge),
		TEST(edge_counts_a_condition_that_holds_when_en_is_set),
		TEST(edge_counts_a_condition_that_holds_when_globally_enabled),
		TEST(disabling_without_a_cycle_is_no_edge),
		TEST(edge_ignores_writes_to_other_registers),
		TEST(each_counter_detects_its_own_edges),
		TEST(edge_detection_does_not_depend_on_other_counters),
		TEST(writing_a_select_leaves_the_edges_of_others),
	};

	return cmocka_run_group_tests_name("nehalem model: thresholds and edges", tests, find_model,
					   release_model);
}
