// SPDX-License-Identifier: BSD-2-Clause
// The SPARC T4 model: registers, access to the counters, and counting.

#include "steps.h"

// Tables 10-1 and 10-3, "Initial Value".
static void all_registers_are_0_after_reset(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNTERS; i++) {
		assert_int_equal(get(PCR0 + i), 0);
		assert_int_equal(get(PIC0 + i), 0);
	}
}

// Table 10-1: bits 17:1 hold written values; 63:19 are read-only; ov and ntc can never be written
// to 1.
static void a_pcr_holds_all_but_status_and_reserved_bits(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNTERS; i++) {
		put(PCR0 + i, ~0ULL);
		assert_int_equal(get(PCR0 + i), 0x3FFFE);
		for (unsigned bit = 0; bit < 64; bit++) {
			put(PCR0 + i, 1ULL << bit);
			assert_int_equal(get(PCR0 + i), bit >= 1 && bit <= 17 ? 1ULL << bit : 0);
		}
		put(PCR0 + i, 0);
	}
}

// Table 10-3: 31:0 the counter, 63:32 reserved and RW.
static void a_pic_holds_64_bits(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNTERS; i++)
		put(PIC0 + i, 0x0123456789ABCDE0 + i);
	for (unsigned i = 0; i < COUNTERS; i++)
		assert_int_equal(get(PIC0 + i), 0x0123456789ABCDE0 + i);
}

// "The PIC counter contains a single 32-bit counter field."
static void counting_leaves_the_upper_half_alone(void **state)
{
	(void)state;
	put(PIC0, 0xABCD0001FFFFFFFF);
	put(PCR0, EVENT(CYCLES, 0) | ALL);
	SIGNALS({CYCLES, 0, 1});
	run(3);
	assert_int_equal(get(PIC0), 0xABCD000100000002);
}

static void there_are_no_other_registers(void **state)
{
	static const uint32_t addresses[] = {0, PCR0 - 1, PCR0 + 4, PIC0 - 1, PIC0 + 4, 0x80040800,
					     UINT32_MAX};
	uint64_t value;

	(void)state;
	for (unsigned i = 0; i < sizeof addresses / sizeof *addresses; i++) {
		assert_false(model->read(pmu, 0, addresses[i], &value));
		assert_false(model->write(pmu, 0, addresses[i], 0, 1));
	}
}

// "Note that changing a field in the PCR does not directly affect a PIC value."
static void writing_a_pcr_leaves_its_pic_alone(void **state)
{
	(void)state;
	put(PIC0 + 2, 1234);
	put(PCR0 + 2, INSTR_ALL | ALL);
	put(PCR0 + 2, EVENT(CYCLES, 0) | UT);
	put(PCR0 + 2, 0);
	assert_int_equal(get(PIC0 + 2), 1234);
}

// The descriptions by which a backend and `palmon decode` find registers.
static void the_model_describes_its_registers(void **state)
{
	(void)state;
	assert_int_equal(model->register_count, 2);
	assert_string_equal(model->registers[0].name, "PCR");
	assert_int_equal(model->registers[0].address, PCR0);
	assert_int_equal(model->registers[0].count, COUNTERS);
	assert_string_equal(model->registers[1].name, "PIC");
	assert_int_equal(model->registers[1].address, PIC0);
	assert_int_equal(model->registers[1].count, COUNTERS);
}

//
// Access to the PICs below hyperprivileged mode
//

// Table 10-1: privileged software needs picnht = 0, non-privileged software picnht = 0 and picnpt =
// 0.
static void picnht_and_picnpt_say_who_reaches_a_pic(void **state)
{
	static const struct {
		uint64_t pcr;
		bool privileged, user;
	} rows[] = {{0, true, true}, {PICNPT, true, false}, {PICNHT, false, false},
		    {PICNHT | PICNPT, false, false}};

	(void)state;
	for (unsigned row = 0; row < 4; row++)
		for (unsigned i = 0; i < COUNTERS; i++)
			for (unsigned level = HYPER; level <= USER; level++) {
				const bool opens = level == HYPER ? true :
						   level == PRIVILEGED ? rows[row].privileged :
							   rows[row].user;
				uint64_t value = 99;

				if (level == 2)
					continue;
				put(PCR0 + i, rows[row].pcr);
				put(PIC0 + i, 5);
				be_at(level);
				assert_int_equal(model->user->read_counter(pmu, 0, i, &value),
						 opens);
				assert_int_equal(value, opens ? 5 : 0);
				assert_int_equal(model->user->write_counter(pmu, 0, i, 7, 0),
						 opens);
				assert_int_equal(get(PIC0 + i), opens ? 7 : 5);
			}
}

// Each PCR opens and closes its own PIC only.
static void a_pcr_closes_only_its_own_pic(void **state)
{
	uint64_t value;

	(void)state;
	put(PCR0 + 1, PICNPT);
	be_at(USER);
	for (unsigned i = 0; i < COUNTERS; i++)
		assert_int_equal(model->user->read_counter(pmu, 0, i, &value), i != 1);
}

static void there_are_four_pics(void **state)
{
	uint64_t value;

	(void)state;
	for (unsigned level = HYPER; level <= USER; level++) {
		be_at(level);
		assert_false(model->user->read_counter(pmu, 0, 4, &value));
		assert_false(model->user->read_counter(pmu, 0, UINT32_MAX, &value));
		assert_false(model->user->write_counter(pmu, 0, 4, 0, 1));
	}
}

// A refused access changes nothing: it is a trap, and its instruction does not execute.
static void a_refused_write_takes_no_cycle(void **state)
{
	(void)state;
	set(0, EVENT(CYCLES, 0) | UT | PICNPT, 10);
	SIGNALS({CYCLES, 0, 1, 0, USER});
	assert_false(model->user->write_counter(pmu, 0, 0, 0, 1));
	assert_int_equal(get(PIC0), 10);
}

//
// Counting
//

// ht, st, ut (Table 10-1).
static void modes_select_levels(void **state)
{
	static const unsigned levels[] = {HYPER, PRIVILEGED, USER};
	static const uint64_t modes[] = {HT, ST, UT};

	(void)state;
	for (unsigned level = 0; level < 3; level++)
		for (unsigned mode = 0; mode < 8; mode++) {
			uint64_t pcr = (mode & 1 ? HT : 0) | (mode & 2 ? ST : 0) |
				(mode & 4 ? UT : 0);
			uint64_t expected = pcr & modes[level] ? 10 : 0;

			assert_int_equal(COUNT(INSTR_ALL | pcr, 10,
					       {INSTRUCTIONS, 4, 1, 0, (uint8_t)levels[level]}),
					 expected);
			assert_int_equal(COUNT(EVENT(CYCLES, 0) | pcr, 10,
					       {CYCLES, 0, 1, 0, (uint8_t)levels[level]}),
					 expected);
		}
}

// Table 10-2, the bits of each group's mask that select an event; the others "have no effect".
static const struct {
	unsigned sl, used;
} used_masks[] = {
	{1, 0x1F}, {2, 0x0F}, {3, 0x3F}, {4, 0x3F}, {5, 0x1F}, {6, 0x3F}, {7, 0x0F}, {8, 0x0F},
	{9, 0x1F}, {10, 0x3F},
	{11, 0x03}, {16, 0x07}, {17, 0x3F}, {18, 0x07}, {19, 0x0F}, {20, 0x1F}, {21, 0x3F},
	{22, 0x3F}, {23, 0x07},
	{24, 0x3F}, {25, 0x0F}, {28, 0x0F},	// 28: Solaris (DECISIONS.md)
};

static void each_mask_bit_selects_its_event(void **state)
{
	(void)state;
	for (unsigned row = 0; row < sizeof used_masks / sizeof *used_masks; row++) {
		const unsigned sl = used_masks[row].sl, used = used_masks[row].used;

		for (unsigned mask = 0; mask < 6; mask++)
			for (unsigned bit = 0; bit < 6; bit++)
				assert_int_equal(COUNT(EVENT(sl, 1U << mask) | ALL, 10,
						       {(uint16_t)sl, (uint16_t)(1U << bit), 1}),
						 mask == bit && used >> bit & 1 ? 10 : 0);
	}
}

static void other_groups_do_not_count(void **state)
{
	(void)state;
	for (unsigned sl = 0; sl < 32; sl++)
		for (unsigned code = 0; code < 40; code++)
			if (sl != code)
				assert_int_equal(COUNT(EVENT(sl, 0x3F) | ALL, 10,
						       {(uint16_t)code, 0x7F, 1}), 0);
}

// 0: "no events are counted"; 12-15 and 27 are reserved, and so are groups that the table does not
// list.
static void disabled_and_reserved_groups_count_nothing(void **state)
{
	static const unsigned groups[] = {0, 12, 13, 14, 15, 27, 29, 30, 31};

	(void)state;
	for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)
		assert_int_equal(COUNT(EVENT(groups[i], 0x3F) | ALL, 10,
				       {(uint16_t)groups[i], 0x7F, 1}), 0);
}

// sl 3: "Count instruction types identified by a 1 in the corresponding mask register bit; e.g., 3F
// counts all".
static void instruction_kinds_add_up(void **state)
{
	(void)state;
	for (unsigned mask = 0; mask < 64; mask++) {
		uint64_t expected = 10 * (2 * !!(mask & 1) + !!(mask & 4) + 3 * !!(mask & 0x20));

		assert_int_equal(COUNT(EVENT(3, mask) | ALL, 10, {3, 1, 2}, {3, 4, 1},
				       {3, 0x20, 3}), expected);
	}
}

// model.h and DECISIONS.md: an instruction of unknown kind is one of all instructions.
static void unknown_kinds_count_as_all_instructions(void **state)
{
	(void)state;
	assert_int_equal(COUNT(INSTR_ALL | ALL, 10, {3, UNKNOWN, 1}), 10);
	assert_int_equal(COUNT(EVENT(3, 0x1F) | ALL, 10, {3, UNKNOWN, 1}), 0);
	assert_int_equal(COUNT(EVENT(4, 0x3F) | ALL, 10, {4, UNKNOWN, 1}), 0);
}

// Likewise, a kind that is reported together with such an instruction is not a second instruction.
static void kinds_next_to_an_instruction_count_where_some_kinds_do(void **state)
{
	(void)state;
	for (uint64_t mask = 0; mask < 64; mask++)
		assert_int_equal(COUNT(EVENT(3, mask) | ALL, 10, {3, UNKNOWN, 1},
				       {3, ALSO_KIND | 4, 1}),
				 mask == 0x3F || mask & 4 ? 10 : 0);
}

// "Setting multiple mask bits at the same time can lead to multiple events being counted as one
// event": a taken branch is a branch.
static void an_occurrence_is_one_event(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(4, 3) | ALL, 10, {4, 3, 1}), 10);
	assert_int_equal(COUNT(EVENT(4, 1) | ALL, 10, {4, 3, 1}), 10);
	assert_int_equal(COUNT(EVENT(4, 2) | ALL, 10, {4, 3, 1}), 10);
}

// sl 9: "Although these events can overlap, the counter is only incremented once for each cycle
// that any of the waits occur." sl 1, 2, 8 (except mask 08): cycles. sl 20's mask 10: cycles.
// Events that the table does not call cycles add up: "number of times", invalidations.
static void conditions_count_once_a_cycle_and_events_add_up(void **state)
{
	static const struct {
		uint16_t group, conditions, events;
	} groups[] = {{1, 0x1F, 0}, {2, 0x0F, 0}, {8, 0x07, 0x08}, {9, 0x1F, 0}, {20, 0x10, 0x0F}};

	(void)state;
	for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
		for (uint16_t bit = 1; bit <= 0x10; bit = (uint16_t)(bit << 1))
			assert_int_equal(COUNT(EVENT(groups[g].group, bit) | ALL, 10,
					       {groups[g].group, bit, 2}),
					 groups[g].conditions & bit ? 10 : groups[g].events & bit ?
					 20 : 0);
	assert_int_equal(COUNT(EVENT(9, 0x0E) | ALL, 10, {9, 2, 1}, {9, 4, 1}, {9, 8, 3}), 10);
	assert_int_equal(COUNT(EVENT(9, 0x06) | ALL, 10, {9, 8, 1}), 0);
	assert_int_equal(COUNT(EVENT(1, 0x06) | ALL, 10, {1, 2, 1}, {1, 4, 1}), 10);
	assert_int_equal(COUNT(EVENT(20, 0x0F) | ALL, 10, {20, 1, 1}, {20, 2, 2}, {20, 4, 1},
			       {20, 8, 1}), 50);
}

// sl 26: "The mask field is ignored."
static void cycles_ignore_the_mask(void **state)
{
	(void)state;
	for (unsigned mask = 0; mask < 64; mask++)
		assert_int_equal(COUNT(EVENT(CYCLES, mask) | ALL, 10, {CYCLES, 0, 1}), 10);
}

// The column "Virtual processor-specific", and footnote 13. sl 28: Solaris' name Commit_0_all
// (DECISIONS.md).
static void events_of_other_strands_count_only_across_strands(void **state)
{
	(void)state;
	for (unsigned row = 0; row < sizeof used_masks / sizeof *used_masks; row++)
		for (unsigned bit = 0; bit < 6; bit++) {
			const unsigned sl = used_masks[row].sl, mask = 1U << bit;
			const bool across = used_masks[row].used & mask &&
					    (sl == 9 || sl == 20 || sl == 24 ||
					     (sl == 8 && mask == 2) ||
					     (sl == 18 && mask == 1) || (sl == 28 && mask == 2));

			assert_int_equal(COUNT(EVENT(sl, mask) | ALL, 10,
					       {(uint16_t)sl, (uint16_t)mask, 1, 1, USER}),
					 across ? 10 : 0);
		}
	assert_int_equal(COUNT(EVENT(CYCLES, 0) | ALL, 10, {CYCLES, 0, 1, 1}), 0);
}

// Footnote 13's example, from strand 0's side: its PCR counts fetch-0-all in user and privileged
// mode; strand 1 is in hyperprivileged mode; "that cycle will be counted in strand 0's PCR".
static void events_across_strands_count_by_the_own_level(void **state)
{
	(void)state;
	be_at(USER);
	assert_int_equal(COUNT(EVENT(8, 2) | UT | ST, 10, {8, 2, 1, 1, HYPER}), 10);
	be_at(HYPER);
	assert_int_equal(COUNT(EVENT(8, 2) | UT | ST, 10, {8, 2, 1, 1, USER}), 0);
	assert_int_equal(COUNT(EVENT(8, 2) | HT, 10, {8, 2, 1, 1, USER}), 10);
}

// "Each virtual processor has four hyperprivileged, read/write Performance Control registers".
static void each_strand_has_its_own_registers(void **state)
{
	(void)state;
	for (unsigned strand = 0; strand < STRANDS; strand++)
		for (unsigned i = 0; i < COUNTERS; i++) {
			put_of(strand, PCR0 + i, EVENT(1 + strand, 1 + i));
			put_of(strand, PIC0 + i, 16 * strand + i);
		}
	for (unsigned strand = 0; strand < STRANDS; strand++)
		for (unsigned i = 0; i < COUNTERS; i++) {
			assert_int_equal(get_of(strand, PCR0 + i), EVENT(1 + strand, 1 + i));
			assert_int_equal(get_of(strand, PIC0 + i), 16 * strand + i);
		}
}

// The column "Virtual processor-specific": a strand's own counters count its events, at its own
// level.
static void each_strand_counts_what_it_does(void **state)
{
	(void)state;
	for (unsigned strand = 0; strand < STRANDS; strand++) {
		put_of(strand, PCR0, INSTR_ALL | UT);
		put_of(strand, PCR0 + 1, EVENT(CYCLES, 0) | HT);
		put_of(strand, PCR0 + 2, EVENT(CYCLES, 0) | ALL);
	}
	SIGNALS({INSTRUCTIONS, UNKNOWN, 1, 1, USER}, {CYCLES, 0, 1, 1, USER},
		{INSTRUCTIONS, UNKNOWN, 2, 6, HYPER},
	      {CYCLES, 0, 1, 6, HYPER});
	run(10);
	for (unsigned strand = 0; strand < STRANDS; strand++) {
		assert_int_equal(get_of(strand, PIC0), strand == 1 ? 10 : 0);
		assert_int_equal(get_of(strand, PIC0 + 1), strand == 6 ? 10 : 0);
		assert_int_equal(get_of(strand, PIC0 + 2), strand == 1 || strand == 6 ? 10 : 0);
	}
}

// model.h, connect: a thread is at the level of its last occurrence. Other numbers count, even if
// the same counters count.
static void each_signals_say_modes_and_numbers_anew(void **state)
{
	(void)state;
	put(PCR0, EVENT(8, 2) | UT);		// of all strands: by the mode of this one
	put(PCR0 + 1, EVENT(4, 1) | ALL);
	SIGNALS({4, 1, 1, 0, HYPER}, {8, 2, 1, 1, HYPER});
	run(10);
	SIGNALS({4, 1, 1, 0, USER}, {8, 2, 1, 1, HYPER});
	run(10);
	SIGNALS({4, 1, 2, 0, USER}, {8, 2, 1, 1, HYPER});
	run(10);
	assert_int_equal(get(PIC0), 20);
	assert_int_equal(get(PIC0 + 1), 40);
}

// Footnote 13's example from both sides: strand 0 counts fetch-0-all in user and privileged modes;
// "strand 1 is in hyperprivileged mode, and neither strand fetches an instruction during a given
// cycle, that cycle will be counted in strand 0's PCR". Whether strand 1's counters count it
// depends on strand 1's mode.
static void each_strands_mode_says_what_its_counters_see_across_strands(void **state)
{
	(void)state;
	put_of(0, PCR0, EVENT(8, 2) | UT | ST);
	put_of(0, PCR0 + 1, EVENT(8, 2) | HT);
	put_of(1, PCR0, EVENT(8, 2) | UT | ST);
	put_of(1, PCR0 + 1, EVENT(8, 2) | HT);
	for (uint8_t cause = 0; cause < STRANDS; cause++) {
		for (unsigned i = 0; i < 2; i++)
			put_of(0, PIC0 + i, 0), put_of(1, PIC0 + i, 0);
		SIGNALS({31, 0, 1, 0, USER}, {31, 0, 1, 1, HYPER},
		      {8, 2, 1, cause, cause == 0 ? USER : cause == 1 ? HYPER : PRIVILEGED});
		run(10);
		assert_int_equal(get_of(0, PIC0), 10);
		assert_int_equal(get_of(0, PIC0 + 1), 0);
		assert_int_equal(get_of(1, PIC0), 0);
		assert_int_equal(get_of(1, PIC0 + 1), 10);
	}
}

// "STXA %pcr, WRHPT %hpstate, and WRPR %pstate affect an asynchronous count immediately (before the
// instruction changing the PCR, HPSTATE, or PSTATE has retired from the pipeline)": in that cycle
// the instruction belongs to the old mode, asynchronous events to the new one. The order of the
// reports makes no difference.
static void an_instruction_that_changes_the_mode_is_the_old_ones_its_cycle_the_new_ones(
	void **state)
{
	static const struct {
		uint8_t from, to;
		uint64_t old, new;
	} rows[] = {{HYPER, PRIVILEGED, HT, ST}, {HYPER, USER, HT, UT}, {PRIVILEGED, USER, ST, UT}};

	(void)state;
	for (unsigned row = 0; row < 3; row++)
		for (unsigned order = 0; order < 2; order++) {
			const struct occurrence mixed[] = {
				{INSTRUCTIONS, 0x10, 1, 0, rows[row].from,
				 .type = OCCURRENCE_TYPE_COMMIT},
				{CYCLES, 0, 1, 0, rows[row].to, .type = OCCURRENCE_TYPE_COMMIT},
			};
			const struct occurrence list[] = {
				{9, 1, 1, 0, rows[row].to}, {24, 1, 1, 3, USER}, mixed[order],
				mixed[!order],
			};

			no_signals();
			set(0, INSTR_ALL | rows[row].old, 0);
			set(1, INSTR_ALL | (ALL & ~rows[row].old), 0);
			set(2, EVENT(CYCLES, 0) | rows[row].new, 0);
			set(3, EVENT(CYCLES, 0) | (ALL & ~rows[row].new), 0);
			connect(list, 4);
			run(1);
			assert_int_equal(get(PIC0), 1);
			assert_int_equal(get(PIC0 + 1), 0);
			assert_int_equal(get(PIC0 + 2), 1);
			assert_int_equal(get(PIC0 + 3), 0);
			// Events of all strands are asynchronous (Table 10-2), and count by the
			// strand's mode.
			no_signals();
			set(0, EVENT(9, 1) | rows[row].new, 0);
			set(1, EVENT(9, 1) | (ALL & ~rows[row].new), 0);
			set(2, EVENT(24, 1) | rows[row].new, 0);
			set(3, EVENT(24, 1) | (ALL & ~rows[row].new), 0);
			connect(list, 4);
			run(1);
			for (unsigned i = 0; i < COUNTERS; i++)
				assert_int_equal(get(PIC0 + i), i % 2 == 0);
		}
}

// After that cycle the strand is in the new mode, even if it has no events there.
static void behind_it_the_strand_is_in_the_new_mode(void **state)
{
	uint64_t value;

	(void)state;
	put(PCR0, PICNPT);
	SIGNALS({CYCLES, 0, 1, 0, USER}, {INSTRUCTIONS, 0x10, 1, 0, PRIVILEGED});
	run(1);
	assert_false(model->user->read_counter(pmu, 0, 0, &value));
	no_signals();
	assert_false(model->user->read_counter(pmu, 0, 0, &value));
}

// "Each PCR controls only one PIC."
static void counters_are_independent(void **state)
{
	(void)state;
	set(0, EVENT(3, 1) | ALL, 100);
	set(1, EVENT(3, 4) | ALL, 200);
	set(2, EVENT(CYCLES, 0) | HT, 300);
	set(3, EVENT(CYCLES, 0) | UT, 400);
	SIGNALS({3, 1, 1}, {3, 4, 2}, {CYCLES, 0, 1});
	run(7);
	assert_int_equal(get(PIC0), 107);
	assert_int_equal(get(PIC0 + 1), 214);
	assert_int_equal(get(PIC0 + 2), 307);
	assert_int_equal(get(PIC0 + 3), 400);
}

// The first programming note of section 10.2: the transition out of hyperprivileged mode is a
// barrier.
static void leaving_hyperprivileged_mode_starts_counters_together(void **state)
{
	(void)state;
	SIGNALS({3, UNKNOWN, 1, 0, HYPER});
	for (unsigned i = 0; i < COUNTERS; i++)
		store(PCR0 + i, INSTR_ALL | UT | ST);
	run(5);
	SIGNALS({3, UNKNOWN, 1, 0, USER});
	run(9);
	for (unsigned i = 0; i < COUNTERS; i++)
		assert_int_equal(get(PIC0 + i), 9);
}

// The clock's signals: one instruction, and one cycle, of the strand, at the level.
static void the_clock_counts_instructions_and_cycles(void **state)
{
	static const uint64_t modes[] = {[HYPER] = HT, [PRIVILEGED] = ST, [USER] = UT};
	size_t count;

	(void)state;
	for (unsigned level = HYPER; level <= USER; level++) {
		const struct occurrence *clock = model_clock(model, 0, level, &count);

		set_inputs(NULL, 0);
		set(0, INSTR_ALL | modes[level], 0);
		set(1, EVENT(CYCLES, 0) | modes[level], 0);
		set(2, INSTR_ALL | (ALL & ~modes[level]), 0);
		set(3, EVENT(4, 0x3F) | ALL, 0);
		set_inputs(clock, count);
		run(11);
		assert_int_equal(get(PIC0), level == 2 ? 0 : 11);
		assert_int_equal(get(PIC0 + 1), level == 2 ? 0 : 11);
		assert_int_equal(get(PIC0 + 2), 0);
		assert_int_equal(get(PIC0 + 3), 0);
		for (unsigned strand = 0; strand < STRANDS; strand++)
			for (size_t i = 0; i < count; i++)
				assert_int_equal(model_clock(model, strand, level,
							     &count)[i].thread, strand);
	}
}

static void level_matters_while_a_counter_prefers_some(void **state)
{
	(void)state;
	assert_false(outputs()->level_matters);
	put(PCR0, INSTR_ALL | UT);
	assert_true(outputs()->level_matters);
	put(PCR0, INSTR_ALL | ALL);
	assert_false(outputs()->level_matters);
	put(PCR0, UT);
	assert_false(outputs()->level_matters);
	put(PCR0, EVENT(3, 0) | UT);
	assert_false(outputs()->level_matters);
	put(PCR0, INSTR_ALL | ALL);
	put(PCR0 + 3, EVENT(CYCLES, 0) | ST | HT);
	assert_true(outputs()->level_matters);
	put(PCR0 + 3, 0);
	assert_false(outputs()->level_matters);
	put_of(5, PCR0, INSTR_ALL | UT);
	assert_true(outputs()->level_matters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_registers_are_0_after_reset),
		TEST(a_pcr_holds_all_but_status_and_reserved_bits),
		TEST(a_pic_holds_64_bits),
		TEST(counting_leaves_the_upper_half_alone),
		TEST(there_are_no_other_registers),
		TEST(writing_a_pcr_leaves_its_pic_alone),
		TEST(the_model_describes_its_registers),
		TEST(picnht_and_picnpt_say_who_reaches_a_pic),
		TEST(a_pcr_closes_only_its_own_pic),
		TEST(there_are_four_pics),
		TEST(a_refused_write_takes_no_cycle),
		TEST(modes_select_levels),
		TEST(each_mask_bit_selects_its_event),
		TEST(other_groups_do_not_count),
		TEST(disabled_and_reserved_groups_count_nothing),
		TEST(instruction_kinds_add_up),
		TEST(unknown_kinds_count_as_all_instructions),
		TEST(kinds_next_to_an_instruction_count_where_some_kinds_do),
		TEST(an_occurrence_is_one_event),
		TEST(conditions_count_once_a_cycle_and_events_add_up),
		TEST(cycles_ignore_the_mask),
		TEST(events_of_other_strands_count_only_across_strands),
		TEST(events_across_strands_count_by_the_own_level),
		TEST(each_strand_has_its_own_registers),
		TEST(each_strand_counts_what_it_does),
		TEST(each_signals_say_modes_and_numbers_anew),
		TEST(each_strands_mode_says_what_its_counters_see_across_strands),
		TEST(an_instruction_that_changes_the_mode_is_the_old_ones_its_cycle_the_new_ones),
		TEST(behind_it_the_strand_is_in_the_new_mode),
		TEST(counters_are_independent),
		TEST(leaving_hyperprivileged_mode_starts_counters_together),
		TEST(the_clock_counts_instructions_and_cycles),
		TEST(level_matters_while_a_counter_prefers_some),
	};

	return cmocka_run_group_tests_name("sparct4 model", tests, find_model, release_model);
}
