// SPDX-License-Identifier: BSD-2-Clause
// The nehalem model: events that a counter counts, levels, threads, enables.

#include "steps.h"

//
// Events that a counter counts (Appendix II: EVTSEL and EVTMSK)
//

static void counter_counts_its_event_code_only(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(UOPS, 0) | ON, 10, {UOPS, 0, 1, 0, 0}), 10);
	assert_int_equal(COUNT(EVENT(UOPS, 0) | ON, 10, {UOPS ^ 1, 0, 1, 0, 0}), 0);
	assert_int_equal(COUNT(EVENT(UOPS, 0) | ON, 10, {UOPS ^ 0x80, 0, 1, 0, 0}), 0);
	assert_int_equal(COUNT(EVENT(UOPS, 0) | ON, 10, {UOPS | 0x100, 0, 1, 0, 0}), 0);
	assert_int_equal(COUNT(EVENT(0, 0) | ON, 10, {0, 0, 1, 0, 0}), 10);
}

// model.h: an occurrence of unit-mask bits 0 is the event's unqualified form.
static void unit_mask_zero_selects_the_unqualified_form(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(UOPS, 0) | ON, 10, {UOPS, 0, 1, 0, 0}, {UOPS, 1, 1, 0, 0}),
			 10);
	assert_int_equal(COUNT(EVENT(UOPS, 0) | ON, 10, {UOPS, 0xFF, 1, 0, 0}), 0);
}

// Also for events that another register qualifies: Tables 9 (B7H) and 10 (0BH) have unit masks for
// the qualified sub-events.
static void unqualified_forms_are_not_qualified(void **state)
{
	(void)state;
	put(LD_LAT, 0xFFFF);
	put(OFFCORE_RSP_0, 0);
	assert_int_equal(COUNT(EVENT(0x0B, 0) | ON, 10, {0x0B, 0, 1, 0, 0}, {0x0B, 0x10, 1, 0, 0}),
			 10);
	assert_int_equal(COUNT(EVENT(0xB7, 0) | ON, 10, {0xB7, 0, 1, 0, 0}, {0xB7, 1, 1, 0, 0}),
			 10);
}

static void unit_mask_selects_by_common_bits(void **state)
{
	(void)state;
	for (unsigned mask = 1; mask < 256; mask++)
		for (unsigned bit = 0; bit < 8; bit++)
			assert_int_equal(COUNT(EVENT(UOPS, mask) | ON, 3,
					       {UOPS, 1U << bit, 1, 0, 0}),
					 mask >> bit & 1 ? 3 : 0);
	assert_int_equal(COUNT(EVENT(UOPS, 0xFF) | ON, 3, {UOPS, 0, 1, 0, 0}), 0);
	assert_int_equal(COUNT(EVENT(UOPS, 0x06) | ON, 3, {UOPS, 0x0C, 1, 0, 0}), 3);
}

// Table 1: unit mask 3F is the sum of ports 0 to 5.
static void occurrences_of_one_cycle_are_summed(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(UOPS, 0x3F) | ON, 10, {UOPS, 0x01, 1, 0, 0},
			       {UOPS, 0x02, 1, 0, 0},
			       {UOPS, 0x04, 1, 0, 0}, {UOPS, 0x20, 1, 0, 0}, {UOPS, 0x40, 3, 0, 0}),
			       40);
	assert_int_equal(COUNT(EVENT(UOPS, 0x01) | ON, 10, {UOPS, 0x01, 2, 0, 0},
			       {UOPS, 0x01, 3, 0, 0}), 50);
}

// One occurrence is one event, however many of the selected conditions it meets.
static void occurrence_with_two_selected_bits_counts_once(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(UOPS, 0x03) | ON, 10, {UOPS, 0x03, 2, 0, 0}), 20);
}

static void each_general_counter_has_its_own_select(void **state)
{
	(void)state;
	for (unsigned i = 0; i < GENERAL; i++)
		put(PERFEVTSEL0 + i, EVENT(UOPS, 1U << i) | ON);
	SIGNALS({UOPS, 1, 1, 0, 0}, {UOPS, 2, 2, 0, 0}, {UOPS, 4, 3, 0, 0}, {UOPS, 8, 4, 0, 0});
	run(10);
	for (unsigned i = 0; i < GENERAL; i++)
		assert_int_equal(get(PMC0 + i), 10 * (i + 1));
}

// SDM 3B, the table of this processor's events, "Counter 0, 1 only": events of the L1 data cache,
// and locks. Intel's event list of Nehalem-EP (intel/perfmon) also has "0,1" for 4C, 52 and 53.
// Counters 2 and 3 count nothing with these events, not even cycles without them.
static void events_of_counters_0_and_1_do_not_count_on_the_others(void **state)
{
	static const uint8_t codes[] = {0x40, 0x41, 0x42, 0x43, 0x48, 0x4C, 0x4E, 0x51, 0x52, 0x53,
					0x63};

	(void)state;
	for (size_t c = 0; c < sizeof codes; c++)
		for (unsigned i = 0; i < GENERAL; i++) {
			no_signals();
			put(PMC0 + i, 0);
			put(PERFEVTSEL0 + i, EVENT(codes[c], 1) | ON);
			SIGNALS({codes[c], 1, 1, 0, 0}, {UOPS, 1, 1, 0, 0});
			run(10);
			assert_int_equal(get(PMC0 + i), i < 2 ? 10 : 0);
			put(PERFEVTSEL0 + i, EVENT(codes[c], 1) | ON | INV | CMASK(2));
			run(10);
			assert_int_equal(get(PMC0 + i), i < 2 ? 20 : 0);
			put(PERFEVTSEL0 + i, EVENT(UOPS, 1) | ON);
			run(10);
			assert_int_equal(get(PMC0 + i), i < 2 ? 30 : 10);
			put(PERFEVTSEL0 + i, 0);
		}
}

// SDM 3B, fixed-function counters: 0 instructions retired, 1 core cycles, 2 reference cycles.
static void fixed_counters_count_their_own_event(void **state)
{
	(void)state;
	put(FIXED_CTR_CTRL, 0x333);
	put(GLOBAL_CTRL, ALL_BITS);
	SIGNALS({RETIRED, 0, 2, 0, 0}, {CYCLES, 0, 3, 0, 0}, {REFERENCE, 0, 4, 0, 0},
		{UOPS, 0, 5, 0, 0});
	run(10);
	assert_int_equal(get(FIXED_CTR0), 20);
	assert_int_equal(get(FIXED_CTR0 + 1), 30);
	assert_int_equal(get(FIXED_CTR0 + 2), 40);
}

// Forms with a unit mask (reference cycles on a general counter are 3C, 01) are other events.
static void fixed_counters_count_the_unqualified_form_only(void **state)
{
	(void)state;
	put(FIXED_CTR_CTRL, 0x333);
	put(GLOBAL_CTRL, ALL_BITS);
	SIGNALS({RETIRED, 1, 1, 0, 0}, {CYCLES, 1, 1, 0, 0}, {REFERENCE, 1, 1, 0, 0});
	run(10);
	for (unsigned i = 0; i < FIXED; i++)
		assert_int_equal(get(FIXED_CTR0 + i), 0);
}

static void general_counters_cannot_select_the_fixed_reference_cycles(void **state)
{
	(void)state;
	for (unsigned mask = 0; mask < 256; mask++)
		assert_int_equal(COUNT(EVENT(0, mask) | ON, 10, {REFERENCE, 0, 1, 0, 0}), 0);
}

//
// Privilege levels (Appendix II: USR is levels 1, 2 or 3, OS is level 0)
//

static void os_counts_level_0_and_usr_the_others(void **state)
{
	(void)state;
	for (uint8_t level = 0; level < 4; level++) {
		assert_int_equal(COUNT(EVENT(UOPS, 1) | EN | OS, 10, {UOPS, 1, 1, 0, level}),
				 level == 0 ? 10 : 0);
		assert_int_equal(COUNT(EVENT(UOPS, 1) | EN | USR, 10, {UOPS, 1, 1, 0, level}),
				 level > 0 ? 10 : 0);
		assert_int_equal(COUNT(EVENT(UOPS, 1) | EN | USR | OS, 10, {UOPS, 1, 1, 0, level}),
				 10);
		assert_int_equal(COUNT(EVENT(UOPS, 1) | EN, 10, {UOPS, 1, 1, 0, level}), 0);
	}
}

// SDM 3B: a fixed counter's ENABLE field: 0 disable, 1 OS, 2 user, 3 all ring levels.
static void fixed_counter_counts_at_its_enabled_levels(void **state)
{
	(void)state;
	put(GLOBAL_CTRL, FIXED_BITS);
	for (unsigned enable = 0; enable < 4; enable++)
		for (uint8_t level = 0; level < 4; level++)
			for (unsigned i = 0; i < FIXED; i++) {
				put(FIXED_CTR0 + i, 0);
				put(FIXED_CTR_CTRL, FIXED_CONTROL(i, enable));
				SIGNALS({RETIRED, 0, 1, 0, level}, {CYCLES, 0, 1, 0, level},
					{REFERENCE, 0, 1, 0, level});
				run(10);
				assert_int_equal(get(FIXED_CTR0 + i),
						 enable & (level == 0 ? FIXED_OS : FIXED_USR) ? 10 :
						 0);
			}
}

// model.h: true if the present counts depend on the level.
static void level_matters_if_an_enabled_counter_tells_levels_apart(void **state)
{
	(void)state;
	assert_false(outputs()->level_matters);
	for (unsigned i = 0; i < GENERAL; i++) {
		put(PERFEVTSEL0 + i, EVENT(UOPS, 1) | EN | OS);
		assert_true(outputs()->level_matters);
		put(PERFEVTSEL0 + i, EVENT(UOPS, 1) | EN | USR);
		assert_true(outputs()->level_matters);
		put(PERFEVTSEL0 + i, EVENT(UOPS, 1) | EN | USR | OS);
		assert_false(outputs()->level_matters);
		put(PERFEVTSEL0 + i, EVENT(UOPS, 1) | EN);
		assert_false(outputs()->level_matters);
		put(PERFEVTSEL0 + i, EVENT(UOPS, 1) | OS);
		assert_false(outputs()->level_matters);
	}
}

static void level_matters_to_fixed_counters_that_global_control_enables(void **state)
{
	(void)state;
	put_of(1, FIXED_CTR_CTRL, FIXED_CONTROL(2, FIXED_USR));
	assert_false(outputs()->level_matters);
	put_of(1, GLOBAL_CTRL, counter_bit(GENERAL + 2));
	assert_true(outputs()->level_matters);
	put_of(1, FIXED_CTR_CTRL, FIXED_CONTROL(2, FIXED_USR | FIXED_OS));
	assert_false(outputs()->level_matters);
}

//
// Threads (Appendix II: AnyThr)
//

static void without_anythr_each_thread_counts_its_own(void **state)
{
	(void)state;
	for (unsigned thread = THREADS; thread--;) {
		put_of(thread, PERFEVTSEL0, EVENT(UOPS, 1) | ON);
		put_of(thread, FIXED_CTR_CTRL, 0x333);
		put_of(thread, GLOBAL_CTRL, ALL_BITS);
	}
	SIGNALS({UOPS, 1, 2, 0, 0}, {UOPS, 1, 3, 1, 0}, {RETIRED, 0, 1, 0, 0},
		{RETIRED, 0, 4, 1, 0});
	run(10);
	assert_int_equal(get_of(0, PMC0), 20);
	assert_int_equal(get_of(1, PMC0), 30);
	assert_int_equal(get_of(0, FIXED_CTR0), 10);
	assert_int_equal(get_of(1, FIXED_CTR0), 40);
}

static void anythr_counts_both_threads(void **state)
{
	(void)state;
	for (unsigned thread = 0; thread < THREADS; thread++) {
		put_of(thread, PERFEVTSEL0, EVENT(UOPS, 1) | ON | ANY);
		SIGNALS({UOPS, 1, 2, 0, 0}, {UOPS, 1, 3, 1, 0});
		run(10);
		assert_int_equal(get_of(thread, PMC0), 50);
		put_of(thread, PERFEVTSEL0, 0);
	}
}

// SDM 3B: AnyThread is bit 2 of a fixed counter's four.
static void anythr_of_a_fixed_counter_counts_both_threads(void **state)
{
	(void)state;
	put(GLOBAL_CTRL, FIXED_BITS);
	SIGNALS({RETIRED, 0, 1, 0, 0}, {RETIRED, 0, 2, 1, 0});
	put(FIXED_CTR_CTRL, FIXED_CONTROL(0, FIXED_OS | FIXED_USR | FIXED_ANY));
	run(10);
	assert_int_equal(get(FIXED_CTR0), 30);
}

// SDM 3B, events of later processors with the same codes: CPU_CLK_UNHALTED.THREAD_P_ANY, 3CH with
// AnyThread: "Cycles while at least one logical processor is not in a halt state"; REF_XCLK_ANY,
// unit mask 1: reference cycles likewise.
static void anythr_of_a_clock_counts_the_cycles_of_either_thread(void **state)
{
	static const struct {
		bool running[THREADS];
		uint64_t cycles;
	} cases[] = {{{true, true}, 10}, {{true, false}, 10}, {{false, true}, 10},
		     {{false, false}, 0}};

	(void)state;
	put(FIXED_CTR_CTRL, FIXED_CONTROL(1, 7) | FIXED_CONTROL(2, 7));
	put(PERFEVTSEL0, EVENT(CYCLES, 0) | ON | ANY);
	put(PERFEVTSEL0 + 1, EVENT(CYCLES, 1) | ON | ANY);
	put(GLOBAL_CTRL, ALL_BITS);
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		static struct occurrence list[2 * 3];
		size_t count = 0;

		for (uint8_t thread = 0; thread < THREADS; thread++)
			if (cases[i].running[thread]) {
				list[count++] = (struct occurrence){CYCLES, 0, 1, thread, 3, 0};
				list[count++] = (struct occurrence){CYCLES, 1, 1, thread, 3, 0};
				list[count++] = (struct occurrence){REFERENCE, 0, 1, thread, 3, 0};
			}
		for (unsigned counter = 0; counter < COUNTERS; counter++)
			put(counter_address(counter), 0);
		connect(list, count);
		run(10);
		assert_int_equal(get(PMC0), cases[i].cycles);
		assert_int_equal(get(PMC0 + 1), cases[i].cycles);
		assert_int_equal(get(FIXED_CTR0 + 1), cases[i].cycles);
		assert_int_equal(get(FIXED_CTR0 + 2), cases[i].cycles);
		no_signals();
	}
}

// An event of the other thread adds no cycle: 10 cycles with both threads active, then 10 with one
// thread that has two signals.
static void anythr_of_a_clock_tells_threads_apart(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EVENT(CYCLES, 0) | ON | ANY);
	put(GLOBAL_CTRL, ALL_BITS);
	SIGNALS({CYCLES, 0, 1, 0, 3}, {CYCLES, 0, 1, 1, 3});
	run(10);
	SIGNALS({CYCLES, 0, 1, 0, 3}, {CYCLES, 0, 1, 0, 3});
	run(10);
	assert_int_equal(get(PMC0), 10 + 20);
}

// "including matching the thread's CPL": a cycle counts if only one of the threads is at the level.
static void anythr_of_a_clock_matches_levels(void **state)
{
	const uint64_t user = EVENT(CYCLES, 0) | EN | USR | ANY;

	(void)state;
	assert_int_equal(COUNT(user, 10, {CYCLES, 0, 1, 0, 3}, {CYCLES, 0, 1, 1, 0}), 10);
	assert_int_equal(COUNT(user, 10, {CYCLES, 0, 1, 0, 0}, {CYCLES, 0, 1, 1, 3}), 10);
	assert_int_equal(COUNT(user, 10, {CYCLES, 0, 1, 0, 0}, {CYCLES, 0, 1, 1, 0}), 0);
}

// The guide: with cmask 2 and INV the clock is "a condition that is always true", whichever thread
// runs.
static void total_cycles_are_those_of_the_core(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(CYCLES, 0) | ON | ANY | INV | CMASK(2), 10,
			       {CYCLES, 0, 1, 0, 0},
			       {CYCLES, 0, 1, 1, 0}), 10);
}

// The guide: UOPS_ISSUED.ANY with cmask 1 and all threads counts "the cycles either thread issues
// uops".
static void anythr_with_cmask_counts_cycles_of_either_thread(void **state)
{
	const uint64_t select = EVENT(0x0E, 1) | ON | ANY | CMASK(1);

	(void)state;
	assert_int_equal(COUNT(select, 10, {0x0E, 1, 1, 0, 0}), 10);
	assert_int_equal(COUNT(select, 10, {0x0E, 1, 4, 1, 0}), 10);
	assert_int_equal(COUNT(select, 10, {0x0E, 1, 1, 0, 0}, {0x0E, 1, 1, 1, 0}), 10);
	assert_int_equal(COUNT(select, 10, {0x0E, 1, 0, 0, 0}, {0x0E, 1, 0, 1, 0}), 0);
	assert_int_equal(COUNT(select + CMASK(1), 10, {0x0E, 1, 1, 0, 0}, {0x0E, 1, 1, 1, 0}), 10);
}

// SDM 3B: "including matching the thread's CPL with the OS/USR setting".
static void anythr_matches_each_threads_own_level(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(UOPS, 1) | EN | OS | ANY, 10, {UOPS, 1, 1, 0, 0},
			       {UOPS, 1, 2, 1, 3}), 10);
	assert_int_equal(COUNT(EVENT(UOPS, 1) | EN | USR | ANY, 10, {UOPS, 1, 1, 0, 0},
			       {UOPS, 1, 2, 1, 3}), 20);
}

//
// Enables
//

// Appendix II: "When clear, this counter is locally disabled."
static void en_clear_stops_the_counter_where_it_is(void **state)
{
	(void)state;
	for (unsigned i = 0; i < GENERAL; i++) {
		set_counter(i, 0, 0);
		busy();
		run(10);
		put(PERFEVTSEL0 + i, EVENT(RETIRED, 0) | USR | OS);
		run(10);
		assert_int_equal(get(PMC0 + i), 10);
		put(PERFEVTSEL0 + i, EVENT(RETIRED, 0) | ON);
		run(10);
		assert_int_equal(get(PMC0 + i), 20);
	}
}

// SDM 3B: IA32_PERF_GLOBAL_CTRL enables each counter by its bit.
static void global_control_enables_each_counter_by_its_bit(void **state)
{
	(void)state;
	for (unsigned enabled = 0; enabled < COUNTERS; enabled++) {
		for (unsigned i = 0; i < COUNTERS; i++)
			set_counter(i, 0, 0);
		put(GLOBAL_CTRL, counter_bit(enabled));
		busy();
		run(10);
		for (unsigned i = 0; i < COUNTERS; i++)
			assert_int_equal(get(counter_address(i)), i == enabled ? 10 : 0);
		no_signals();
	}
}

// SDM 3A: after reset the general counters are globally enabled, the fixed ones are not.
static void after_reset_general_counters_need_no_global_enable(void **state)
{
	(void)state;
	put(PERFEVTSEL0 + 3, EVENT(RETIRED, 0) | ON);
	put(FIXED_CTR_CTRL, 0x333);
	busy();
	run(10);
	assert_int_equal(get(PMC0 + 3), 10);
	for (unsigned i = 0; i < FIXED; i++)
		assert_int_equal(get(FIXED_CTR0 + i), 0);
}

static void threads_are_enabled_apart(void **state)
{
	(void)state;
	set_counter_of(0, 0, 0, 0);
	set_counter_of(1, 0, 0, 0);
	put_of(0, GLOBAL_CTRL, 0);
	busy();
	run(10);
	assert_int_equal(get_of(0, PMC0), 0);
	assert_int_equal(get_of(1, PMC0), 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(counter_counts_its_event_code_only),
		TEST(unit_mask_zero_selects_the_unqualified_form),
		TEST(unqualified_forms_are_not_qualified),
		TEST(unit_mask_selects_by_common_bits),
		TEST(occurrences_of_one_cycle_are_summed),
		TEST(occurrence_with_two_selected_bits_counts_once),
		TEST(each_general_counter_has_its_own_select),
		TEST(events_of_counters_0_and_1_do_not_count_on_the_others),
		TEST(fixed_counters_count_their_own_event),
		TEST(fixed_counters_count_the_unqualified_form_only),
		TEST(general_counters_cannot_select_the_fixed_reference_cycles),
		TEST(os_counts_level_0_and_usr_the_others),
		TEST(fixed_counter_counts_at_its_enabled_levels),
		TEST(level_matters_if_an_enabled_counter_tells_levels_apart),
		TEST(level_matters_to_fixed_counters_that_global_control_enables),
		TEST(without_anythr_each_thread_counts_its_own),
		TEST(anythr_counts_both_threads),
		TEST(anythr_of_a_fixed_counter_counts_both_threads),
		TEST(anythr_of_a_clock_counts_the_cycles_of_either_thread),
		TEST(anythr_of_a_clock_tells_threads_apart),
		TEST(anythr_of_a_clock_matches_levels),
		TEST(total_cycles_are_those_of_the_core),
		TEST(anythr_with_cmask_counts_cycles_of_either_thread),
		TEST(anythr_matches_each_threads_own_level),
		TEST(en_clear_stops_the_counter_where_it_is),
		TEST(global_control_enables_each_counter_by_its_bit),
		TEST(after_reset_general_counters_need_no_global_enable),
		TEST(threads_are_enabled_apart),
	};

	return cmocka_run_group_tests_name("nehalem model: counting", tests, find_model,
					   release_model);
}
