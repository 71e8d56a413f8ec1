// SPDX-License-Identifier: BSD-2-Clause
// Overflow in the nehalem model: status, interrupt, freeze, headroom.

#include "steps.h"

//
// Overflow
//

// Appendix II: a counter overflows "on a transition from maximum count to zero".
static void overflow_is_the_step_from_highest_to_zero(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNTERS; i++) {
		reset(-1);
		set_counter(i, 0, before_overflow(i, 3));
		busy();
		run(2);
		assert_int_equal(get(counter_address(i)), COUNTER_MAX);
		assert_int_equal(get(GLOBAL_STATUS), 0);
		run(1);
		assert_int_equal(get(counter_address(i)), 0);
		assert_int_equal(get(GLOBAL_STATUS), counter_bit(i));
	}
}

static void what_counts_after_an_overflow_is_kept(void **state)
{
	(void)state;
	set_counter(0, 0, before_overflow(0, 3));
	SIGNALS({RETIRED, 0, 4, 0, 0});
	run(1);
	assert_int_equal(get(PMC0), 1);
	run(2);
	assert_int_equal(get(PMC0), 9);
	assert_int_equal(get(GLOBAL_STATUS), 1);
}

static void threshold_counts_overflow_too(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EVENT(UOPS, 1) | ON | CMASK(2));
	put(PMC0, before_overflow(0, 2));
	SIGNALS({UOPS, 1, 200, 0, 0});
	run(1);
	assert_int_equal(get(GLOBAL_STATUS), 0);
	run(1);
	assert_int_equal(get(GLOBAL_STATUS), 1);
	assert_int_equal(get(PMC0), 0);
}

static void overflow_status_stays_until_it_is_cleared(void **state)
{
	(void)state;
	set_counter(5, 0, before_overflow(5, 1));
	busy();
	run(100);
	put(FIXED_CTR0 + 1, 0);
	put(FIXED_CTR_CTRL, 0);
	put(GLOBAL_CTRL, 0);
	run(100);
	assert_int_equal(get(GLOBAL_STATUS), counter_bit(5));
	put(GLOBAL_OVF_CTRL, counter_bit(5));
	assert_int_equal(get(GLOBAL_STATUS), 0);
	assert_int_equal(get_of(1, GLOBAL_STATUS), 0);
}

static void simultaneous_overflows_all_show(void **state)
{
	(void)state;
	overflow_all();
	assert_int_equal(get(GLOBAL_STATUS), ALL_BITS);
}

// SDM 3B: IA32_PERF_GLOBAL_OVF_CTRL clears the conditions whose bits are written as 1.
static void overflow_control_clears_the_given_bits_only(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNTERS; i++) {
		overflow_all();
		put(GLOBAL_OVF_CTRL, counter_bit(i));
		assert_int_equal(get(GLOBAL_STATUS), ALL_BITS & ~counter_bit(i));
	}
	put(GLOBAL_OVF_CTRL, 0);
	assert_int_equal(get(GLOBAL_STATUS), ALL_BITS & ~counter_bit(COUNTERS - 1));
	put(GLOBAL_OVF_CTRL, 7ULL << 61);
	assert_int_equal(get(GLOBAL_STATUS), ALL_BITS & ~counter_bit(COUNTERS - 1));
	put(GLOBAL_OVF_CTRL, ALL_BITS);
	assert_int_equal(get(GLOBAL_STATUS), 0);
}

static void overflow_control_clears_its_own_threads_status(void **state)
{
	(void)state;
	set_counter_of(0, 0, 0, before_overflow(0, 1));
	set_counter_of(1, 0, 0, before_overflow(0, 1));
	busy();
	run(1);
	put_of(1, GLOBAL_OVF_CTRL, 1);
	assert_int_equal(get_of(0, GLOBAL_STATUS), 1);
	assert_int_equal(get_of(1, GLOBAL_STATUS), 0);
}

// Appendix II: INT; SDM 3B: PMI, bit 3 of a fixed counter's four.
static void overflow_with_int_raises_the_threads_line(void **state)
{
	(void)state;
	for (unsigned thread = 0; thread < THREADS; thread++)
		for (unsigned i = 0; i < COUNTERS; i++) {
			reset(-1);
			set_counter_of(thread, i, INT, before_overflow(i, 2));
			busy();
			run(1);
			assert_int_equal(outputs()->requests, 0);
			run(1);
			assert_int_equal(outputs()->requests, 1U << thread);
		}
}

static void overflow_without_int_raises_nothing(void **state)
{
	(void)state;
	overflow_all();
	assert_int_equal(get(GLOBAL_STATUS), ALL_BITS);
	assert_int_equal(outputs()->requests, 0);
}

// model.h: until the backend clears the bit.
static void line_stays_risen_until_the_backend_takes_it(void **state)
{
	(void)state;
	set_counter(0, INT, before_overflow(0, 1));
	busy();
	run(10);
	put(GLOBAL_OVF_CTRL, 1);
	put(PERFEVTSEL0, 0);
	assert_int_equal(outputs()->requests, 1);
	outputs()->requests = 0;
	run(10);
	assert_int_equal(outputs()->requests, 0);
}

// The condition for an interrupt is the counter's overflow, not a change of its status bit.
static void overflow_with_status_still_set_interrupts_again(void **state)
{
	(void)state;
	set_counter(0, INT, before_overflow(0, 1));
	busy();
	run(1);
	outputs()->requests = 0;
	put(PMC0, before_overflow(0, 3));
	run(2);
	assert_int_equal(outputs()->requests, 0);
	run(1);
	assert_int_equal(outputs()->requests, 1);
	assert_int_equal(get(GLOBAL_STATUS), 1);
}

static void writing_a_counter_is_no_overflow(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNTERS; i++) {
		set_counter(i, INT, before_overflow(i, 1));
		put(counter_address(i), 0);
	}
	assert_int_equal(get(GLOBAL_STATUS), 0);
	assert_int_equal(outputs()->requests, 0);
}

// A counter whose status bit is set can be written, and the bit stays.
static void overflowed_counter_can_be_reloaded(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNTERS; i++) {
		set_counter(i, 0, before_overflow(i, 1));
		busy();
		run(1);
		put(counter_address(i), 100);
		run(5);
		assert_int_equal(get(counter_address(i)), 105);
	}
	assert_int_equal(get(GLOBAL_STATUS), ALL_BITS);
}

//
// Freeze. SDM 3B, IA32_DEBUGCTL bit 12: "a PMI request clears each of the ENABLE field of
// MSR_PERF_GLOBAL_CTRL to disable all the counters", general and fixed, of the logical processor
//

static void freeze_clears_global_control_in_the_overflow_cycle(void **state)
{
	(void)state;
	for (unsigned first = 0; first < COUNTERS; first++) {
		reset(-1);
		set_race(first);
		run(4);
		assert_int_equal(get(GLOBAL_CTRL), ALL_BITS);
		run(1);
		assert_frozen_in_cycle_5(first);
		run(1);
		assert_frozen_in_cycle_5(first);
	}
}

static void freeze_holds_all_counters_though_one_run_goes_on(void **state)
{
	(void)state;
	for (unsigned first = 0; first < COUNTERS; first++) {
		reset(-1);
		set_race(first);
		run(1000000);
		assert_frozen_in_cycle_5(first);
	}
}

static void freeze_of_one_thread_leaves_the_other_counting(void **state)
{
	(void)state;
	set_race(0);
	run(1000);
	assert_int_equal(get_of(1, GLOBAL_CTRL), ALL_BITS);
	assert_int_equal(get_of(1, GLOBAL_STATUS), 0);
	for (unsigned i = 0; i < COUNTERS; i++)
		assert_int_equal(get_of(1, counter_address(i)), 1000);
}

// The freeze stops thread 0's counters, not its events.
static void freeze_does_not_hide_events_from_the_other_thread(void **state)
{
	(void)state;
	set_race(0);
	set_counter_of(1, 0, ANY, 0);
	set_counter_of(1, 4, ANY, 0);
	run(1000);
	assert_int_equal(get_of(1, PMC0), 2000);
	assert_int_equal(get_of(1, FIXED_CTR0), 2000);
}

static void threads_freeze_each_at_its_own_overflow(void **state)
{
	(void)state;
	set_race(0);
	put_of(1, DEBUGCTL, FREEZE_PERFMON_ON_PMI);
	set_counter_of(1, 6, INT, before_overflow(6, 700));
	run(1000);
	assert_int_equal(get_of(0, PMC0 + 1), 5);
	assert_int_equal(get_of(1, PMC0 + 1), 700);
	assert_int_equal(get_of(1, GLOBAL_CTRL), 0);
	assert_int_equal(get_of(1, GLOBAL_STATUS), counter_bit(6));
	assert_int_equal(outputs()->requests, 3);
}

static void overflows_in_the_freezing_cycle_all_show(void **state)
{
	(void)state;
	set_race(0);
	set_counter(2, 0, before_overflow(2, 5));
	set_counter(4, INT, before_overflow(4, 5));
	set_counter(5, INT, before_overflow(5, 6));
	run(1000);
	assert_int_equal(get(GLOBAL_STATUS), counter_bit(0) | counter_bit(2) | counter_bit(4));
	assert_int_equal(get(counter_address(5)), COUNTER_MAX);
}

static void without_the_freeze_bit_counting_goes_on(void **state)
{
	(void)state;
	set_race(0);
	put(DEBUGCTL, (uint32_t)~FREEZE_PERFMON_ON_PMI & 0x7FC3);
	run(1000);
	assert_int_equal(outputs()->requests, 1);
	assert_int_equal(get(GLOBAL_CTRL), ALL_BITS);
	assert_int_equal(get(PMC0), 995);
	assert_int_equal(get(PMC0 + 1), 1000);
}

// "A performance counter had an overflow and was programmed to signal a PMI": without INT there is
// no request.
static void overflow_without_int_does_not_freeze(void **state)
{
	(void)state;
	set_race(0);
	put(PERFEVTSEL0, EVENT(RETIRED, 0) | ON);
	run(1000);
	assert_int_equal(get(GLOBAL_STATUS), 1);
	assert_int_equal(get(GLOBAL_CTRL), ALL_BITS);
	assert_int_equal(get(PMC0 + 1), 1000);
}

// "Software must re-enable counts by writing 1s to the corresponding enable bits".
static void writing_global_control_ends_a_freeze(void **state)
{
	(void)state;
	set_race(0);
	run(1000);
	put(GLOBAL_CTRL, counter_bit(1) | counter_bit(6));
	run(10);
	assert_int_equal(get(PMC0), 0);
	assert_int_equal(get(PMC0 + 1), 15);
	assert_int_equal(get(FIXED_CTR0 + 2), 15);
	assert_int_equal(get(GLOBAL_STATUS), 1);
	assert_int_equal(get(GLOBAL_CTRL), counter_bit(1) | counter_bit(6));
}

//
// How far the next interrupt is. model.h: outputs.headroom is the "cycles that can pass, with
// signals and registers as they are, before an overflow raises the line: the cycle after those
// does. Never too large."
//

static void assert_headroom_is_exact(uint64_t expected)
{
	assert_int_equal(outputs()->requests, 0);
	assert_int_equal(outputs()->headroom, expected);
	run(expected);
	assert_int_equal(outputs()->requests, 0);
	run(1);
	assert_int_not_equal(outputs()->requests, 0);
}

// With n events in each cycle the `left`th comes in cycle left / n, rounded up.
static void headroom_is_exact_for_any_step(void **state)
{
	static const uint32_t steps[] = {1, 2, 3, 4, 7, 1000};

	(void)state;
	for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
		for (uint64_t left = 1; left < 40; left++) {
			reset(-1);
			set_counter(0, INT, before_overflow(0, left));
			SIGNALS({RETIRED, 0, steps[i], 0, 0});
			assert_headroom_is_exact((left + steps[i] - 1) / steps[i] - 1);
		}
}

static void headroom_is_exact_from_zero(void **state)
{
	(void)state;
	set_counter(4, INT, 0);
	SIGNALS({RETIRED, 0, 1, 0, 0});
	assert_headroom_is_exact(COUNTER_MAX);
	reset(-1);
	set_counter(4, INT, 0);
	SIGNALS({RETIRED, 0, 3, 0, 0});
	assert_headroom_is_exact(COUNTER_MAX / 3);
}

static void headroom_is_exact_for_thresholds(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EVENT(UOPS, 1) | ON | INT | INV | CMASK(3));
	put(PMC0, before_overflow(0, 20));
	SIGNALS({UOPS, 1, 2, 0, 0});
	assert_headroom_is_exact(19);
}

static void headroom_takes_the_nearest_counter_of_both_threads(void **state)
{
	(void)state;
	set_counter_of(0, 0, INT, before_overflow(0, 30));
	set_counter_of(0, 6, INT, before_overflow(6, 20));
	set_counter_of(1, 2, INT, before_overflow(2, 25));
	set_counter_of(1, 3, 0, before_overflow(3, 5));
	busy();
	assert_headroom_is_exact(19);
	assert_int_equal(outputs()->requests, 1);
	outputs()->requests = 0;
	put_of(0, GLOBAL_CTRL, 0);
	assert_headroom_is_exact(4);
	assert_int_equal(outputs()->requests, 2);
}

static void headroom_counts_down_as_cycles_pass(void **state)
{
	(void)state;
	set_counter(0, INT, before_overflow(0, 100));
	SIGNALS({RETIRED, 0, 3, 0, 0});
	for (uint64_t left = 33; left > 0; left--) {
		assert_int_equal(outputs()->headroom, left);
		run(1);
	}
	assert_int_equal(outputs()->headroom, 0);
}

static void headroom_follows_writes_and_signals(void **state)
{
	(void)state;
	set_counter(0, INT, before_overflow(0, 100));
	busy();
	assert_int_equal(outputs()->headroom, 99);
	put(PMC0, before_overflow(0, 50));
	assert_int_equal(outputs()->headroom, 49);
	SIGNALS({RETIRED, 0, 10, 0, 0});
	assert_int_equal(outputs()->headroom, 4);
	run(1);
	busy();
	assert_int_equal(outputs()->headroom, 39);
	put(PERFEVTSEL0, EVENT(RETIRED, 0) | ON);
	assert_true(outputs()->headroom >= MODEL_FAR);
}

static void headroom_is_far_when_nothing_interrupts(void **state)
{
	(void)state;
	assert_true(outputs()->headroom >= MODEL_FAR);
	set_counter(0, 0, before_overflow(0, 5));
	busy();
	assert_true(outputs()->headroom >= MODEL_FAR);
	run(1000);
	assert_true(outputs()->headroom >= MODEL_FAR);
	put(PERFEVTSEL0, EVENT(RETIRED, 0) | ON | INT);
	put(PMC0, before_overflow(0, 5));
	no_signals();
	assert_true(outputs()->headroom >= MODEL_FAR);
}

// From one overflow to the next, a counter that is not reloaded counts 2^48 events.
static void headroom_is_exact_after_an_overflow(void **state)
{
	(void)state;
	set_counter(0, INT, before_overflow(0, 5));
	busy();
	run(7);
	assert_int_equal(outputs()->headroom, COUNTER_MAX - 2);
}

static void headroom_is_exact_when_the_edge_due_overflows(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EDGE | INT);
	put(PMC0, before_overflow(0, 1));
	SIGNALS({UOPS, 1, 1, 0, 0});
	assert_headroom_is_exact(0);
}

// The edge counts in the first cycle only.
static void headroom_is_exact_when_the_edge_due_does_not_overflow(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EDGE | INT);
	put(PMC0, before_overflow(0, 2));
	SIGNALS({UOPS, 1, 1, 0, 0});
	assert_true(outputs()->headroom >= MODEL_FAR);
}

static void headroom_is_exact_next_to_an_edge_due(void **state)
{
	(void)state;
	put(PERFEVTSEL0 + 1, EDGE);
	put(PERFEVTSEL0, EVENT(UOPS, 1) | ON | INT);
	put(PMC0, before_overflow(0, 10));
	SIGNALS({UOPS, 1, 1, 0, 0});
	assert_headroom_is_exact(9);
}

static void headroom_is_never_too_large_with_an_edge_due(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EDGE);
	put(PERFEVTSEL0 + 1, EVENT(UOPS, 1) | ON | INT);
	put(PMC0 + 1, before_overflow(1, 10));
	SIGNALS({UOPS, 1, 1, 0, 0});
	for (unsigned cycle = 0; cycle < 9; cycle++) {
		assert_true(outputs()->headroom <= 9 - cycle);
		run(1);
	}
	assert_headroom_is_exact(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(overflow_is_the_step_from_highest_to_zero),
		TEST(what_counts_after_an_overflow_is_kept),
		TEST(threshold_counts_overflow_too),
		TEST(overflow_status_stays_until_it_is_cleared),
		TEST(simultaneous_overflows_all_show),
		TEST(overflow_control_clears_the_given_bits_only),
		TEST(overflow_control_clears_its_own_threads_status),
		TEST(overflow_with_int_raises_the_threads_line),
		TEST(overflow_without_int_raises_nothing),
		TEST(line_stays_risen_until_the_backend_takes_it),
		TEST(overflow_with_status_still_set_interrupts_again),
		TEST(writing_a_counter_is_no_overflow),
		TEST(overflowed_counter_can_be_reloaded),
		TEST(freeze_clears_global_control_in_the_overflow_cycle),
		TEST(freeze_holds_all_counters_though_one_run_goes_on),
		TEST(freeze_of_one_thread_leaves_the_other_counting),
		TEST(freeze_does_not_hide_events_from_the_other_thread),
		TEST(threads_freeze_each_at_its_own_overflow),
		TEST(overflows_in_the_freezing_cycle_all_show),
		TEST(without_the_freeze_bit_counting_goes_on),
		TEST(overflow_without_int_does_not_freeze),
		TEST(writing_global_control_ends_a_freeze),
		TEST(headroom_is_exact_for_any_step),
		TEST(headroom_is_exact_from_zero),
		TEST(headroom_is_exact_for_thresholds),
		TEST(headroom_takes_the_nearest_counter_of_both_threads),
		TEST(headroom_counts_down_as_cycles_pass),
		TEST(headroom_follows_writes_and_signals),
		TEST(headroom_is_far_when_nothing_interrupts),
		TEST(headroom_is_exact_after_an_overflow),
		TEST(headroom_is_exact_when_the_edge_due_overflows),
		TEST(headroom_is_exact_when_the_edge_due_does_not_overflow),
		TEST(headroom_is_exact_next_to_an_edge_due),
		TEST(headroom_is_never_too_large_with_an_edge_due),
	};

	return cmocka_run_group_tests_name("nehalem model: overflow", tests, find_model,
					   release_model);
}
