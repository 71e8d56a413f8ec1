// SPDX-License-Identifier: BSD-2-Clause
// The nehalem model's precise records: their time, contents and place, and their counter
// afterwards. `busy` raises each event once in a cycle: a counter with 5 events left overflows in
// cycle 5, its shadow is cycles 6 to 13, and its record is written in cycle 14.

#include "steps.h"

#include "machine.h"

//
// Time of a record
//

// The guide, "Core Precise Events": the overflow arms, the next event is captured. "Shadowing": not
// at once.
static void record_comes_with_the_first_event_behind_the_shadow(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	set_precise(1, 0, 5);
	busy();
	run(13);
	assert_int_equal(records(), 0);
	assert_int_equal(get(GLOBAL_STATUS), 1);
	assert_int_equal(get(PMC0), 13 - 5);
	run(1);
	assert_int_equal(records(), 1);
	assert_int_equal(get(GLOBAL_STATUS), 0);
	assert_int_equal(get(PMC0), COUNTER_MAX + 1 - 1000);
	assert_int_equal(outputs()->requests, 0);
}

static void headroom_ends_before_the_cycle_of_the_record(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	set_precise(1, 0, 5);
	busy();
	assert_int_equal(outputs()->headroom, 13);
	run(4);
	assert_int_equal(outputs()->headroom, 9);
	run(3);
	assert_int_equal(get(GLOBAL_STATUS), 1);
	assert_int_equal(outputs()->headroom, 6);
	run(6);
	assert_int_equal(outputs()->headroom, 0);
	run(1);
	// 1000 cycles to the overflow, 8 of shadow, then the record's cycle.
	assert_int_equal(outputs()->headroom, 1000 + 8);
}

static void armed_record_waits_for_an_event(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	set_precise(1, 0, 5);
	busy();
	run(5);
	no_signals();
	assert_true(outputs()->headroom >= MODEL_FAR);
	run(100);
	assert_int_equal(records(), 0);
	SIGNALS({UOPS, 1, 1, 0, 0});
	run(100);
	assert_int_equal(records(), 0);
	busy();
	assert_int_equal(outputs()->headroom, 0);
	run(1);
	assert_int_equal(records(), 1);
}

static void events_in_the_shadow_are_counted_and_not_recorded(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	set_precise(1, 0, 5);
	busy();
	run(5 + SHADOW);
	no_signals();
	run(50);
	assert_int_equal(records(), 0);
	assert_int_equal(get(PMC0), SHADOW);
	assert_int_equal(get(GLOBAL_STATUS), 1);
}

// After a write in cycle 8 the counter overflows again in cycle 11.
static void another_overflow_does_not_delay_the_record(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	set_precise(1, 0, 5);
	busy();
	run(8);
	put(PMC0, before_overflow(0, 3));
	run(5);
	assert_int_equal(get(PMC0), 2);
	assert_int_equal(records(), 0);
	run(1);
	assert_int_equal(records(), 1);
}

// The counter is reloaded in cycle 14 with 5 events left: the next records are in cycles 28 and 42.
static void records_follow_each_other_exactly(void **state)
{
	(void)state;
	for (unsigned pieces = 0; pieces < 2; pieces++) {
		reset(-1);
		attach();
		set_area(8, 8, 5);
		set_precise(1, 0, 5);
		set_counter(4, 0, 0);
		busy();
		for (unsigned i = 0; i < 41; i++)
			run(pieces);
		run(pieces ? 0 : 41);
		assert_int_equal(records(), 2);
		assert_int_equal(get(PMC0), 41 - 28 - 5);
		run(1);
		assert_int_equal(records(), 3);
		assert_int_equal(get(FIXED_CTR0), 42);
	}
}

// Table 8's UOPS_RETIRED.STALL_CYCLES: CMASK 1, INV. In a halt each cycle is one.
static void conditions_are_recorded_in_the_cycles_they_count(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	put(PMC0, before_overflow(0, 5));
	put(PERFEVTSEL0, EVENT(0xC2, 1) | ON | INV | CMASK(1));
	put(PEBS_ENABLE, 1);
	SIGNALS({0xC2, 1, 1, 0, 0});
	run(100);
	no_signals();
	assert_int_equal(outputs()->headroom, 13);
	run(10);
	SIGNALS({0xC2, 1, 1, 0, 0});
	run(100);
	assert_int_equal(records(), 0);
	no_signals();
	run(1);
	assert_int_equal(records(), 1);
}

static void edges_are_recorded_where_they_are(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	put(PMC0, before_overflow(0, 1));
	put(PERFEVTSEL0, EDGE);
	put(PEBS_ENABLE, 1);
	for (unsigned i = 0; i < 3; i++) {
		SIGNALS({UOPS, 1, 1, 0, 0});
		assert_int_equal(records(), 0);
		if (i == 1)
			run(20);	// the second edge is in the shadow; no edge follows
		else
			run(1);
		no_signals();
		run(2);
	}
	assert_int_equal(records(), 1);
}

static void a_counter_that_is_not_precise_overflows_as_ever(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	set_precise(2, INT, 5);
	set_counter(0, INT, before_overflow(0, 5));
	put(PEBS_ENABLE, 2);
	busy();
	assert_int_equal(outputs()->headroom, 4);
	run(5);
	assert_int_equal(outputs()->requests, 1);
	assert_int_equal(get(GLOBAL_STATUS), 3);
}

//
// Contents and place
//

// SDM 3B, the record's format: 18 registers, the status before the record was written, three words
// of load latency.
static void record_holds_registers_and_status(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	set_precise(1, 0, 5);
	busy();
	run(13);
	machine.mark = 77000;
	run(1);
	for (unsigned i = 0; i < 18; i++)
		assert_int_equal(record_word(0, i), 77000 + i);
	assert_int_equal(record_word(0, STATUS_WORD), 1);
	assert_int_equal(record_word(0, ADDRESS_WORD), 0);
	assert_int_equal(record_word(0, SOURCE_WORD), 0);
	assert_int_equal(record_word(0, LATENCY_WORD), 0);
	assert_int_equal(machine.thread, 0);
}

// SDM 3B: "the overflow status for all counters, regardless of whether they were programmed for
// PEBS".
static void status_in_the_record_is_that_of_all_counters(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	set_precise(1, 0, 5);
	set_counter(3, 0, before_overflow(3, 14));
	set_counter(4, 0, before_overflow(4, 2));
	put(PEBS_ENABLE, 1);
	busy();
	run(14);
	assert_int_equal(record_word(0, STATUS_WORD), 1 | 8 | 1ULL << 32);
	assert_int_equal(get(GLOBAL_STATUS), 8 | 1ULL << 32);
}

static void acknowledged_overflow_leaves_a_record_without_its_status(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	set_precise(1, 0, 5);
	busy();
	run(8);
	put(GLOBAL_OVF_CTRL, 1);
	run(6);
	assert_int_equal(records(), 1);
	assert_int_equal(record_word(0, STATUS_WORD), 0);
	assert_int_equal(get(PMC0), COUNTER_MAX + 1 - 1000);
}

static void counters_recorded_in_one_cycle_share_a_record(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	set_precise(0xB, 0, 5);
	busy();
	run(14);
	assert_int_equal(records(), 1);
	assert_int_equal(record_word(0, STATUS_WORD), 0xB);
	assert_int_equal(get(GLOBAL_STATUS), 0);
	for (unsigned i = 0; i < GENERAL; i++)
		assert_int_equal(get(PMC0 + i), i == 2 ? 0 : COUNTER_MAX + 1 - 1000);
}

// SDM 3B, "PEBS CounterX Reset": with each record the processor loads the reset value of each
// counter that has overflowed and is enabled for PEBS.
static void a_record_sets_back_every_counter_that_has_overflowed(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	set_precise(3, 0, 5);
	put(PMC0 + 1, before_overflow(1, 7));
	busy();
	run(14);
	assert_int_equal(records(), 1);
	assert_int_equal(record_word(0, STATUS_WORD), 3);
	assert_int_equal(get(GLOBAL_STATUS), 0);
	assert_int_equal(get(PMC0), COUNTER_MAX + 1 - 1000);
	assert_int_equal(get(PMC0 + 1), COUNTER_MAX + 1 - 1000);
	run(2);
	assert_int_equal(records(), 1);
}

// The reset word sets all 48 bits; higher bits are ignored.
static void reset_words_are_taken_as_they_are(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	set_area_word(PEBS_RESET, 0xFFFF123480000000);
	set_area_word(PEBS_RESET + 1, 0x80000000);
	set_precise(3, 0, 5);
	busy();
	run(14);
	assert_int_equal(get(PMC0), 0x123480000000);
	assert_int_equal(get(PMC0 + 1), 0x80000000);
}

static void threads_have_debug_stores_of_their_own(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	memcpy(machine.memory + 0x800, machine.memory, 12 * 8);
	set_memory_word(MEMORY + 0x800 + 8 * PEBS_INDEX, MEMORY + 0xA00);
	set_memory_word(MEMORY + 0x800 + 8 * PEBS_MAXIMUM, MEMORY + 0xF00);
	put_of(1, DS_AREA, MEMORY + 0x800);
	set_counter_of(1, 2, 0, before_overflow(2, 5));
	put_of(1, PEBS_ENABLE, 4);
	busy();
	run(14);
	assert_int_equal(records(), 0);
	assert_int_equal(memory_word(MEMORY + 0x800 + 8 * PEBS_INDEX), MEMORY + 0xA00 + RECORD);
	assert_int_equal(memory_word(MEMORY + 0xA00 + 8 * STATUS_WORD), 4);
	assert_int_equal(machine.thread, 1);
}

//
// The interrupt
//

static void threshold_interrupts_when_it_is_reached(void **state)
{
	(void)state;
	attach();
	set_area(4, 2, 5);
	set_precise(1, 0, 5);
	busy();
	run(27);
	assert_int_equal(records(), 1);
	assert_int_equal(outputs()->requests, 0);
	assert_int_equal(get(GLOBAL_STATUS), 1);
	run(1);
	assert_int_equal(records(), 2);
	assert_int_equal(outputs()->requests, 1);
	assert_int_equal(get(GLOBAL_STATUS), OVF_BUF);
	outputs()->requests = 0;
	put(GLOBAL_OVF_CTRL, OVF_BUF);
	assert_int_equal(get(GLOBAL_STATUS), 0);
	run(14);
	assert_int_equal(records(), 3);
	assert_int_equal(outputs()->requests, 1);
}

// SDM 3B, "Freezing LBR and Performance Counters on PMI": also "the PEBS buffer [...] reaches the
// interrupt threshold".
static void threshold_freezes(void **state)
{
	(void)state;
	attach();
	set_area(4, 1, 5);
	set_precise(1, 0, 5);
	set_counter(4, 0, 0);
	put(DEBUGCTL, FREEZE_PERFMON_ON_PMI);
	busy();
	run(100);
	assert_int_equal(get(GLOBAL_CTRL), 0);
	assert_int_equal(get(FIXED_CTR0), 14);
	assert_int_equal(get(PMC0), COUNTER_MAX + 1 - 5);
	assert_int_equal(records(), 1);
}

// SDM 3B: "the PEBS assist is serviced before the counter overflow interrupt".
static void int_interrupts_with_the_record(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	set_precise(1, INT, 5);
	busy();
	assert_int_equal(outputs()->headroom, 13);
	run(13);
	assert_int_equal(outputs()->requests, 0);
	run(1);
	assert_int_equal(outputs()->requests, 1);
	assert_int_equal(get(GLOBAL_STATUS), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(record_comes_with_the_first_event_behind_the_shadow),
		TEST(headroom_ends_before_the_cycle_of_the_record),
		TEST(armed_record_waits_for_an_event),
		TEST(events_in_the_shadow_are_counted_and_not_recorded),
		TEST(another_overflow_does_not_delay_the_record),
		TEST(records_follow_each_other_exactly),
		TEST(conditions_are_recorded_in_the_cycles_they_count),
		TEST(edges_are_recorded_where_they_are),
		TEST(a_counter_that_is_not_precise_overflows_as_ever),
		TEST(record_holds_registers_and_status),
		TEST(status_in_the_record_is_that_of_all_counters),
		TEST(acknowledged_overflow_leaves_a_record_without_its_status),
		TEST(counters_recorded_in_one_cycle_share_a_record),
		TEST(a_record_sets_back_every_counter_that_has_overflowed),
		TEST(reset_words_are_taken_as_they_are),
		TEST(threads_have_debug_stores_of_their_own),
		TEST(threshold_interrupts_when_it_is_reached),
		TEST(threshold_freezes),
		TEST(int_interrupts_with_the_record),
	};

	return cmocka_run_group_tests_name("nehalem model: PEBS", tests, find_model, release_model);
}
