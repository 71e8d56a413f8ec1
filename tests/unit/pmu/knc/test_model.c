// SPDX-License-Identifier: BSD-2-Clause
// The Knights Corner model: registers, counting, the time-stamp counter.

#include "steps.h"

static const uint32_t registers[] = {TSC, CNTR0, CNTR1, SEL0, SEL1, SPFLT, STATUS, OVF_CTRL,
				     GLOBAL};

#define REGISTERS (sizeof registers / sizeof *registers)

static bool can_read(uint32_t address)
{
	uint64_t value;

	return model->read(pmu, 0, address, &value);
}

static bool can_write(uint32_t address, uint64_t value)
{
	return model->write(pmu, 0, address, value, 0);
}

//
// Registers
//

// Tables 1-2 to 1-5 and 1-7 to 1-10, "Default Value"; 1.4.4: cold and warm reset do the same.
static void all_is_0_after_reset(void **state)
{
	(void)state;
	for (unsigned thread = 0; thread < THREADS; thread++)
		for (size_t i = 0; i < REGISTERS; i++)
			if (registers[i] != OVF_CTRL)
				assert_int_equal(get_of(thread, registers[i]), 0);
}

// Table 1-2 has nine registers; all other addresses fault.
static void no_other_address_is_a_register(void **state)
{
	(void)state;
	for (uint32_t address = 0; address < 0x1000; address++) {
		bool exists = false;

		for (size_t i = 0; i < REGISTERS; i++)
			exists |= registers[i] == address;
		assert_int_equal(can_read(address), exists && address != OVF_CTRL);
		assert_int_equal(can_write(address, 0), exists && address != STATUS);
	}
	assert_false(can_read(UINT32_MAX));
}

// Writable bits of Tables 1-3 to 1-5 and 1-7 to 1-10; all others, up to bit 63, are reserved.
static void writable_bits_hold_and_others_fault(void **state)
{
	static const struct {
		uint32_t address;
		uint64_t bits;
	} rows[] = {
		{TSC, ~0ULL}, {CNTR0, COUNTER_MAX}, {CNTR1, COUNTER_MAX}, {SEL0, 0xFFF7FFFF},
		{SEL1, 0xFFF7FFFF},
		{SPFLT, USER_PREF | 3}, {GLOBAL, 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (unsigned thread = 0; thread < THREADS; thread++)
			for (unsigned bit = 0; bit < 64; bit++) {
				const uint64_t value = 1ULL << bit;

				put_of(thread, rows[i].address, 0);
				assert_int_equal(model->write(pmu, thread, rows[i].address, value,
							      0),
						 rows[i].bits >> bit & 1);
				assert_int_equal(get_of(thread, rows[i].address),
						 rows[i].bits & value);
			}
}

static void refused_writes_take_no_time(void **state)
{
	(void)state;
	put(TSC, 0);
	assert_false(model->write(pmu, 0, SEL0, 1U << 19, 5));
	assert_false(model->write(pmu, 0, STATUS, 0, 5));
	assert_false(model->write(pmu, 0, 0x22, 0, 5));
	assert_int_equal(get(TSC), 0);
}

// Table 1-9: bits 1:0; all other bits of 64 are reserved.
static void overflow_control_takes_two_bits(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 64; bit++)
		assert_int_equal(can_write(OVF_CTRL, 1ULL << bit), bit < 2);
}

// 1.4.3.2: "Reads and writes to this register set all 40 bits".
static void counter_writes_are_not_extended(void **state)
{
	(void)state;
	put(CNTR0, 0x80000000);
	assert_int_equal(get(CNTR0), 0x80000000);
	put(CNTR0, 0x8000000000);
	assert_int_equal(get(CNTR0), 0x8000000000);
}

// Table 1-2, "Threaded?"
static void each_thread_has_its_own_registers(void **state)
{
	(void)state;
	for (unsigned thread = 0; thread < THREADS; thread++) {
		put_of(thread, CNTR0, 100 + thread);
		put_of(thread, CNTR1, 200 + thread);
		put_of(thread, SEL0, 0x10 + thread);
		put_of(thread, SEL1, 0x20 + thread);
		put_of(thread, SPFLT, thread & 1 ? USER_PREF | thread : thread);
		put_of(thread, GLOBAL, 3 - thread);
	}
	for (unsigned thread = 0; thread < THREADS; thread++) {
		assert_int_equal(get_of(thread, CNTR0), 100 + thread);
		assert_int_equal(get_of(thread, CNTR1), 200 + thread);
		assert_int_equal(get_of(thread, SEL0), 0x10 + thread);
		assert_int_equal(get_of(thread, SEL1), 0x20 + thread);
		assert_int_equal(get_of(thread, SPFLT), thread & 1 ? USER_PREF | thread : thread);
		assert_int_equal(get_of(thread, GLOBAL), 3 - thread);
	}
}

// Table 1-1: counters 0 and 1, zero-extended, at all levels.
static void rdpmc_reads_both_counters_of_its_thread(void **state)
{
	uint64_t value;

	(void)state;
	for (uint8_t level = 0; level < 4; level++) {
		SIGNALS({INSTRUCTIONS, 0, 1, 2, level});
		put_of(2, CNTR0, COUNTER_MAX);
		put_of(2, CNTR1, 0x8000000001);
		assert_true(model->user->read_counter(pmu, 2, 0, &value));
		assert_int_equal(value, COUNTER_MAX);
		assert_true(model->user->read_counter(pmu, 2, 1, &value));
		assert_int_equal(value, 0x8000000001);
		assert_true(model->user->read_counter(pmu, 0, 1, &value));
		assert_int_equal(value, 0);
	}
	for (unsigned bit = 1; bit < 32; bit++) {
		assert_false(model->user->read_counter(pmu, 2, 1U << bit, &value));
		assert_int_equal(value, 0);
	}
}

//
// Counting
//

// Table 1-6. true: Linux counts it on counter 0 only (knc_event_constraints).
static const struct {
	uint8_t umask, code;
	bool counter_0;
} events[] = {
	{0x00, 0x00}, {0x00, 0x01}, {0x00, 0x02}, {0x00, 0x03}, {0x00, 0x04}, {0x00, 0x06},
	{0x00, 0x09}, {0x00, 0x0A},
	{0x00, 0x0C}, {0x00, 0x0D}, {0x00, 0x0E}, {0x00, 0x11}, {0x00, 0x12}, {0x00, 0x15},
	{0x00, 0x16}, {0x00, 0x17},
	{0x00, 0x1C}, {0x00, 0x1E}, {0x00, 0x1F}, {0x00, 0x20}, {0x00, 0x21}, {0x00, 0x28},
	{0x00, 0x29}, {0x00, 0x2A},
	{0x00, 0x2B}, {0x00, 0x2C}, {0x00, 0x2D}, {0x00, 0x2E}, {0x00, 0x37}, {0x00, 0x38},
	{0x00, 0x3A}, {0x00, 0x3B},
	{0x10, 0xC8, 1}, {0x10, 0xC9, 1}, {0x10, 0xCA, 1}, {0x10, 0xCB, 1}, {0x10, 0xCC, 1},
	{0x10, 0xD7, 1},
	{0x10, 0xE3, 1}, {0x10, 0xE6, 1}, {0x10, 0xE7, 1}, {0x10, 0xF0}, {0x10, 0xF1, 1},
	{0x10, 0xF2, 1},
	{0x10, 0xF5}, {0x10, 0xF6, 1}, {0x10, 0xF7, 1}, {0x10, 0xFC, 1}, {0x10, 0xFD, 1},
	{0x10, 0xFE, 1},
	{0x10, 0xFF, 1}, {0x20, 0x00}, {0x20, 0x01}, {0x20, 0x03}, {0x20, 0x04}, {0x20, 0x05},
	{0x20, 0x16},
	{0x20, 0x17}, {0x20, 0x18},
};

static unsigned counters_of(unsigned code, unsigned umask)
{
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if (events[i].code == code && events[i].umask == umask)
			return events[i].counter_0 ? 1 : 2;
	return 0;
}

// Table 1-5, Event Select: illegal encodings neither fault nor count, even with INV.
static void events_of_table_1_6_count_and_no_others(void **state)
{
	(void)state;
	put(GLOBAL, 3);
	for (unsigned umask = 0; umask < 256; umask++)
		for (unsigned code = 0; code < 256; code++) {
			const unsigned counters = counters_of(code, umask);

			no_signals();
			set(0, EVENT(code, umask) | ON, 0);
			set(1, EVENT(code, umask) | ON, 0);
			SIGNALS({(uint16_t)code, (uint16_t)umask, 1});
			run(3);
			assert_int_equal(get(CNTR0), counters > 0 ? 3 : 0);
			assert_int_equal(get(CNTR1), counters > 1 ? 3 : 0);
			set(0, EVENT(code, umask) | ON | INV | CMASK(2), 0);
			run(3);
			assert_int_equal(get(CNTR0), counters > 0 ? 3 : 0);
		}
}

static void code_and_unit_mask_must_both_match(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(0x16, 0x00) | ON, 5, {0x16, 0x20, 1}, {0x17, 0x00, 1},
			       {0x116, 0x00, 1}), 0);
	assert_int_equal(COUNT(EVENT(0x16, 0x20) | ON, 5, {0x16, 0x00, 1}, {0x16, 0x30, 1},
			       {0x16, 0x20, 2}), 10);
	assert_int_equal(COUNT(EVENT(DATA_READ, 0) | ON, 5, {DATA_READ, 0, 2}, {0x00, 0x20, 1}),
			 10);
}

// Table 1-5, EN, and Table 1-10: both bits of the counter's own thread are needed.
static void a_counter_needs_en_and_global_control(void **state)
{
	(void)state;
	busy();
	for (unsigned bits = 0; bits < 8; bits++) {
		uint64_t en = bits & 1 ? EN : 0;

		put(GLOBAL, bits >> 1);
		set(0, EVENT(INSTRUCTIONS, 0) | USR | OS | en, 0);
		set(1, EVENT(INSTRUCTIONS, 0) | USR | OS | en, 0);
		run(7);
		assert_int_equal(get(CNTR0), (bits & 3) == 3 ? 7 : 0);
		assert_int_equal(get(CNTR1), (bits & 5) == 5 ? 7 : 0);
	}
}

// Table 1-5: OS is ring 0, USR rings 1, 2, 3.
static void levels_are_those_of_os_and_usr(void **state)
{
	(void)state;
	for (uint8_t level = 0; level < 4; level++) {
		const struct occurrence o = {INSTRUCTIONS, 0, 1, 0, level};

		assert_int_equal(counted(EVENT(INSTRUCTIONS, 0) | EN, 5, &o, 1), 0);
		assert_int_equal(counted(EVENT(INSTRUCTIONS, 0) | EN | OS, 5, &o, 1),
				 level == 0 ? 5 : 0);
		assert_int_equal(counted(EVENT(INSTRUCTIONS, 0) | EN | USR, 5, &o, 1),
				 level ? 5 : 0);
		assert_int_equal(counted(EVENT(INSTRUCTIONS, 0) | EN | OS | USR, 5, &o, 1), 5);
	}
}

static void level_matters_while_a_counter_counts_at_some_levels(void **state)
{
	(void)state;
	set(0, EVENT(INSTRUCTIONS, 0) | EN | USR, 0);
	assert_false(outputs()->level_matters);
	put(GLOBAL, 1);
	assert_true(outputs()->level_matters);
	put(SEL0, EVENT(INSTRUCTIONS, 0) | EN | USR | OS);
	assert_false(outputs()->level_matters);
	put(SEL0, EVENT(INSTRUCTIONS, 0) | EN | OS);
	assert_true(outputs()->level_matters);
	put(GLOBAL, 2);
	assert_false(outputs()->level_matters);
}

static void branches_matter_while_they_are_counted(void **state)
{
	(void)state;
	set_of(3, 1, EVENT(BRANCHES, 0) | ON, 0);
	assert_false(outputs()->branches_matter);
	put_of(3, GLOBAL, 2);
	assert_true(outputs()->branches_matter);
	put_of(3, SEL1, EVENT(INSTRUCTIONS, 0) | ON);
	assert_false(outputs()->branches_matter);
}

// Table 1-5, Thread Count Mode.
static void thread_count_mode_counts_all_threads(void **state)
{
	(void)state;
	enable_all();
	for (unsigned thread = 0; thread < THREADS; thread++) {
		set_of(thread, 0, EVENT(INSTRUCTIONS, 0) | ON, 0);
		set_of(thread, 1, EVENT(INSTRUCTIONS, 0) | ON | ANY, 0);
	}
	SIGNALS({INSTRUCTIONS, 0, 1, 0}, {INSTRUCTIONS, 0, 2, 1, 3}, {INSTRUCTIONS, 0, 3, 2},
		{INSTRUCTIONS, 0, 4, 3});
	run(10);
	for (unsigned thread = 0; thread < THREADS; thread++) {
		assert_int_equal(get_of(thread, CNTR0), 10 * (thread + 1));
		assert_int_equal(get_of(thread, CNTR1), 10 * (1 + 2 + 3 + 4));
	}
}

// Another thread's events count at that thread's level.
static void thread_count_mode_filters_by_the_executing_threads_level(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(INSTRUCTIONS, 0) | EN | USR | ANY, 10,
			       {INSTRUCTIONS, 0, 1, 0, 0},
			       {INSTRUCTIONS, 0, 2, 1, 3}), 20);
	assert_int_equal(COUNT(EVENT(INSTRUCTIONS, 0) | EN | OS | ANY, 10,
			       {INSTRUCTIONS, 0, 1, 0, 0},
			       {INSTRUCTIONS, 0, 2, 1, 3}), 10);
}

// Table 1-5, Thread Count Mode: "Events which have no thread-specific context will always be
// counted regardless of Thread Count Mode"; 1.2, item 3. pmu/knc/README.md lists these events. The
// level is that of the executing thread.
static void events_of_no_thread_count_in_each_thread(void **state)
{
	static const uint8_t of_none[] = {0xD7, 0xE3, 0xE6, 0xE7};

	(void)state;
	enable_all();
	for (size_t i = 0; i < sizeof of_none; i++)
		for (unsigned executing = 0; executing < THREADS; executing++) {
			const struct occurrence o = {of_none[i], 0x10, 2, (uint8_t)executing, 3};

			no_signals();
			set_of(0, 0, EVENT(of_none[i], 0x10) | EN | USR | ANY, 0);
			set_of(1, 0, EVENT(of_none[i], 0x10) | EN | USR, 0);
			set_of(2, 0, EVENT(of_none[i], 0x10) | EN | OS, 0);
			set_of(3, 0, EVENT(of_none[i], 0x10) | ON, 0);
			connect(&o, 1);
			run(5);
			assert_int_equal(get_of(0, CNTR0), 10);
			assert_int_equal(get_of(1, CNTR0), 10);
			assert_int_equal(get_of(2, CNTR0), 0);
			assert_int_equal(get_of(3, CNTR0), 10);
		}
}

// All other events belong to the thread whose instruction causes them.
static void all_other_events_are_the_executing_threads(void **state)
{
	unsigned others = 0;

	(void)state;
	enable_all();
	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		const struct occurrence o = {events[i].code, events[i].umask, 1, 2};

		no_signals();
		set_of(0, 0, EVENT(events[i].code, events[i].umask) | ON, 0);
		set_of(2, 0, EVENT(events[i].code, events[i].umask) | ON, 0);
		connect(&o, 1);
		run(5);
		assert_int_equal(get_of(2, CNTR0), 5);
		others += get_of(0, CNTR0) == 0;
	}
	assert_int_equal(others, sizeof events / sizeof *events - 4);
}

// Table 1-5, CMASK: a cycle counts 1 if it has at least CMASK events, else 0.
static void cmask_counts_cycles_with_enough_events(void **state)
{
	(void)state;
	for (uint32_t events = 0; events < 4; events++) {
		const struct occurrence o[] = {{INSTRUCTIONS, 0, events}, {INSTRUCTIONS, 0, 1}};

		assert_int_equal(counted(EVENT(INSTRUCTIONS, 0) | ON, 6, o, 2), 6 * (events + 1));
		for (uint64_t cmask = 1; cmask < 6; cmask++) {
			bool enough = events + 1 >= cmask;

			assert_int_equal(counted(EVENT(INSTRUCTIONS, 0) | ON | CMASK(cmask), 6, o,
						 2), enough ? 6 : 0);
			assert_int_equal(counted(EVENT(INSTRUCTIONS, 0) | ON | CMASK(cmask) | INV,
						 6, o, 2),
					 enough ? 0 : 6);
		}
	}
	for (uint32_t cmask = 1; cmask < 256; cmask++) {
		const uint64_t select = EVENT(INSTRUCTIONS, 0) | ON | CMASK(cmask);

		assert_int_equal(COUNT(select, 6, {INSTRUCTIONS, 0, cmask}), 6);
		assert_int_equal(COUNT(select, 6, {INSTRUCTIONS, 0, cmask - 1}), 0);
	}
}

// Table 1-5: INV inverts the comparison with CMASK. Without CMASK the events are added.
static void inv_without_cmask_changes_nothing(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(INSTRUCTIONS, 0) | ON | INV, 6, {INSTRUCTIONS, 0, 2}), 12);
	assert_int_equal(COUNT(EVENT(INSTRUCTIONS, 0) | ON | INV, 6, {CYCLES, 0, 1}), 0);
}

// DECISIONS.md: cycles without events count while the thread, or any thread whose events the
// counter sees, is at one of the levels.
static void inverted_conditions_hold_at_the_levels_only(void **state)
{
	const uint64_t none = EVENT(INSTRUCTIONS, 0) | EN | INV | CMASK(1);

	(void)state;
	assert_int_equal(COUNT(none | USR, 5, {CYCLES, 0, 1, 0, 3}), 5);
	assert_int_equal(COUNT(none | USR, 5, {CYCLES, 0, 1, 0, 0}), 0);
	assert_int_equal(COUNT(none | USR, 5, {CYCLES, 0, 1, 0, 0}, {CYCLES, 0, 1, 2, 3}), 0);
	assert_int_equal(COUNT(none | USR | ANY, 5, {CYCLES, 0, 1, 0, 0}, {CYCLES, 0, 1, 2, 3}), 5);
	no_signals();
	assert_int_equal(get(CNTR0), 5);
	run(5);
	assert_int_equal(get(CNTR0), 10);	// thread 2 stays at its level
	// also for an event of no thread: a cycle without events is no event
	assert_int_equal(COUNT(EVENT(0xE6, 0x10) | EN | INV | CMASK(1) | USR, 5,
			       {CYCLES, 0, 1, 0, 0},
			       {CYCLES, 0, 1, 2, 3}), 0);
}

// model.h, leave_out.
static void inverted_conditions_of_a_counter_that_is_left_out_hold_never(void **state)
{
	const uint64_t without = EVENT(DATA_READ, 0) | ON | INV | CMASK(1);

	(void)state;
	enable_all();
	set_of(3, 0, without, 0);
	set_of(3, 1, without, 0);
	model->machine->leave_out(pmu, 3, 1);
	SIGNALS({CYCLES, 0, 1, 3, 0});
	run(10);
	assert_int_equal(get_of(3, CNTR0), 0);
	assert_int_equal(get_of(3, CNTR1), 10);
}

// One cycle with each of these numbers of events.
static uint64_t counted_in(uint64_t select, const uint32_t *events, size_t cycles)
{
	no_signals();
	put(SEL0, 0);
	run(1);
	set(0, select, 0);
	put(GLOBAL, 3);
	for (size_t i = 0; i < cycles; i++) {
		const struct occurrence o = {INSTRUCTIONS, 0, events[i]};

		connect(&o, 1);
		run(1);
	}
	return get(CNTR0);
}

// Table 1-5, E: counts transitions; back-to-back assertions are one. With CMASK 2 the cycles are 0
// 1 1 0 1 0 0 1, which rise three times; inverted they are 1 0 0 1 0 1 1 0, also three times.
// Without CMASK they are 0 1 1 1 1 0 1 1, twice, with INV or without. Without the first cycle they
// still rise twice, while an inverted condition would rise only once.
static void edges_count_beginnings_of_conditions(void **state)
{
	static const uint32_t events[] = {0, 2, 3, 1, 2, 0, 1, 2};
	const uint64_t edge = EVENT(INSTRUCTIONS, 0) | ON | E;

	(void)state;
	assert_int_equal(counted_in(edge | CMASK(2), events, 8), 3);
	assert_int_equal(counted_in(edge | CMASK(2) | INV, events, 8), 3);
	assert_int_equal(counted_in(edge, events, 8), 2);
	assert_int_equal(counted_in(edge | INV, events, 8), 2);
	assert_int_equal(counted_in(edge | INV, events + 1, 7), 2);
	assert_int_equal(counted_in((edge & ~(uint64_t)E) | CMASK(2), events, 8), 4);
}

static void a_long_assertion_is_one_edge(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(INSTRUCTIONS, 0) | ON | E, 1ULL << 50, {INSTRUCTIONS, 0, 1}),
			 1);
}

// The condition of a disabled counter is false, so enabling it is a transition.
static void enabling_a_counter_begins_its_condition(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(INSTRUCTIONS, 0) | ON | E, 5, {INSTRUCTIONS, 0, 1}), 1);
	put(GLOBAL, 0);
	put(GLOBAL, 1);
	run(5);
	assert_int_equal(get(CNTR0), 1);	// no cycle passes in between
	put(GLOBAL, 0);
	run(1);
	put(GLOBAL, 1);
	run(5);
	assert_int_equal(get(CNTR0), 2);
}

// DECISIONS.md: a write of the select keeps the last cycle's condition. If the same event continues
// there is no transition; after a CMASK that it does not reach there is one.
static void an_edge_is_looked_for_across_a_write_of_the_select(void **state)
{
	const uint64_t edge = EVENT(INSTRUCTIONS, 0) | ON | E;

	(void)state;
	assert_int_equal(COUNT(edge, 5, {INSTRUCTIONS, 0, 1}), 1);
	put(SEL0, edge | INT);
	run(5);
	assert_int_equal(get(CNTR0), 1);
	put(SEL0, edge | CMASK(2));
	run(5);
	assert_int_equal(get(CNTR0), 1);
	put(SEL0, edge);
	run(5);
	assert_int_equal(get(CNTR0), 2);
}

//
// SPFLT
//

// Table 1-7: counters with their enable bit, and no others, need the user filter to be on.
static void spflt_filters_the_counters_that_are_left_to_it(void **state)
{
	(void)state;
	busy();
	put(GLOBAL, 3);
	for (uint64_t enables = 0; enables < 4; enables++)
		for (unsigned on = 0; on < 2; on++) {
			set(0, EVENT(INSTRUCTIONS, 0) | ON, 0);
			set(1, EVENT(INSTRUCTIONS, 0) | ON, 0);
			put(SPFLT, enables | (on ? USER_PREF : 0));
			run(5);
			assert_int_equal(get(CNTR0), enables & 1 && !on ? 0 : 5);
			assert_int_equal(get(CNTR1), enables & 2 && !on ? 0 : 5);
		}
}

// Table 1-1: SPFLT changes USER_PREF of its own thread only, after its own cycle.
static void the_instruction_sets_the_preference(void **state)
{
	(void)state;
	SIGNALS({INSTRUCTIONS, 0, 1, 1});
	put_of(1, GLOBAL, 3);
	put_of(1, SPFLT, 1);
	put_of(2, SPFLT, 3);
	set_of(1, 0, EVENT(INSTRUCTIONS, 0) | ON, 0);
	model->user->spflt(pmu, 1, true, 1);
	assert_int_equal(get_of(1, SPFLT), USER_PREF | 1);
	assert_int_equal(get_of(2, SPFLT), 3);
	assert_int_equal(get_of(1, CNTR0), 0);
	run(5);
	model->user->spflt(pmu, 1, true, 1);
	model->user->spflt(pmu, 1, false, 1);
	assert_int_equal(get_of(1, SPFLT), 1);
	run(5);
	assert_int_equal(get_of(1, CNTR0), 7);
}

//
// The time-stamp counter
//

// 1.4.3.1: one clock for all threads. Table 1-2: global control does not affect it.
static void the_clock_counts_every_cycle(void **state)
{
	(void)state;
	assert_int_equal(model->clock_address, TSC);
	run(10);
	busy();
	run(5);
	put(GLOBAL, 3);
	set(0, EVENT(CYCLES, 0) | ON, 0);
	assert_true(model->write(pmu, 0, GLOBAL, 0, 3));
	for (unsigned thread = 0; thread < THREADS; thread++)
		assert_int_equal(get_of(thread, TSC), 18);
}

static void the_clock_is_one_for_all_threads(void **state)
{
	(void)state;
	assert_true(model->write(pmu, 2, TSC, UINT64_MAX - 1, 4));
	for (unsigned thread = 0; thread < THREADS; thread++)
		assert_int_equal(get_of(thread, TSC), UINT64_MAX - 1);
	run(4);
	for (unsigned thread = 0; thread < THREADS; thread++)
		assert_int_equal(get_of(thread, TSC), 2);
}

static void the_clock_keeps_up_with_long_runs(void **state)
{
	(void)state;
	run(UINT64_MAX);
	run(UINT64_MAX);
	assert_int_equal(get(TSC), UINT64_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_is_0_after_reset),
		TEST(no_other_address_is_a_register),
		TEST(writable_bits_hold_and_others_fault),
		TEST(refused_writes_take_no_time),
		TEST(overflow_control_takes_two_bits),
		TEST(counter_writes_are_not_extended),
		TEST(each_thread_has_its_own_registers),
		TEST(rdpmc_reads_both_counters_of_its_thread),
		TEST(events_of_table_1_6_count_and_no_others),
		TEST(code_and_unit_mask_must_both_match),
		TEST(a_counter_needs_en_and_global_control),
		TEST(levels_are_those_of_os_and_usr),
		TEST(level_matters_while_a_counter_counts_at_some_levels),
		TEST(branches_matter_while_they_are_counted),
		TEST(thread_count_mode_counts_all_threads),
		TEST(thread_count_mode_filters_by_the_executing_threads_level),
		TEST(events_of_no_thread_count_in_each_thread),
		TEST(all_other_events_are_the_executing_threads),
		TEST(cmask_counts_cycles_with_enough_events),
		TEST(inv_without_cmask_changes_nothing),
		TEST(inverted_conditions_hold_at_the_levels_only),
		TEST(inverted_conditions_of_a_counter_that_is_left_out_hold_never),
		TEST(edges_count_beginnings_of_conditions),
		TEST(a_long_assertion_is_one_edge),
		TEST(enabling_a_counter_begins_its_condition),
		TEST(an_edge_is_looked_for_across_a_write_of_the_select),
		TEST(spflt_filters_the_counters_that_are_left_to_it),
		TEST(the_instruction_sets_the_preference),
		TEST(the_clock_counts_every_cycle),
		TEST(the_clock_is_one_for_all_threads),
		TEST(the_clock_keeps_up_with_long_runs),
	};

	return cmocka_run_group_tests_name("knc model", tests, find_model, release_model);
}
