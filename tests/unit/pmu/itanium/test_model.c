// SPDX-License-Identifier: BSD-2-Clause
// Counting: enabled monitors, sub-events, thresholds; long runs, the instruction clock.

#include "steps.h"

// Returns the count that counter n adds in one cycle with this occurrence.
static uint64_t added_by(uint32_t n, uint64_t control, struct occurrence o)
{
	set_counter(n, control);
	connect(&o, 1);
	run(1);
	return get(PMD + n);
}

#define ADDED(n, control, ...) added_by(n, control, (struct occurrence){__VA_ARGS__})

// Table 6-1: live requests in each of eight cycles, and new requests.
static void table_6_1(void **state)
{
	static const uint32_t live[] = {1, 2, 3, 3, 3, 2, 1, 0}, in[] = {1, 1, 1, 1, 1, 0, 0, 0};
	static const uint64_t live_sum[] = {1, 3, 6, 9, 12, 14, 15, 15},
		total[] = {1, 2, 3, 4, 5, 5, 5, 5};

	(void)state;
	for (uint32_t n = 4; n < 7; n++) {
		set_counter(n, ES(BUS_LIVE));
		set_counter(7, ES(CYCLES));
		set_counter(n == 4 ? 5 : 4, ES(BUS_ALL) | UMASK(1));
		for (unsigned i = 0; i < 8; i++) {
			HAPPENS({.code = BUS_LIVE, .n = live[i]},
				{.code = BUS_ALL, .sub = 1, .n = in[i]},
				{.code = CYCLES, .n = 1});
			assert_int_equal(get(PMD + n), live_sum[i]);
			assert_int_equal(get(PMD + (n == 4 ? 5 : 4)), total[i]);
		}
		assert_int_equal(get(PMD + 7), 8);
	}
}

// Section 6.2.1: (not fr) and plm[cpl] and (not ism[is]) and (pm ? pp : up), every combination on
// every counter.
static void monitor_enable(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4 * 2 * 16 * 4 * 4 * 2 * 4; i++) {
		unsigned n = 4 + i % 4, fr = i >> 2 & 1, plm = i >> 3 & 15, level = i >> 7 & 3,
			ism = i >> 9 & 3;
		unsigned is = i >> 11 & 1, up = i >> 12 & 1, pp = i >> 13 & 1;

		for (unsigned pm = 0; pm < 2; pm++) {
			bool enabled = !fr && (plm >> level & 1) && !(ism >> is & 1) &&
				(pm ? pp : up);

			put(PMC + n, PLM(plm) | ES(CYCLES) | ISM(ism) | pm * PM);
			put(PMD + n, 100);
			put(PSR, up * PSR_UP | pp * PSR_PP);
			put(PMC + 0, fr);
			HAPPENS({.code = CYCLES, .n = 1, .level = (uint8_t)level,
				 .isa = (uint8_t)is});
			assert_int_equal(get(PMD + n), 100 + enabled);
			put(PMC + 0, 0);
		}
	}
}

// Table 6-11, instruction set mask: 00 both, 10 Itanium only, 01 IA-32 only, 11 off.
static void instruction_set_mask(void **state)
{
	static const struct {
		unsigned ism, itanium, ia32;
	} rows[] = {{0, 1, 1}, {2, 1, 0}, {1, 0, 1}, {3, 0, 0}};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(ADDED(4, ES(CYCLES) | ISM(rows[i].ism), .code = CYCLES, .n = 1),
				 rows[i].itanium);
		assert_int_equal(ADDED(4, ES(CYCLES) | ISM(rows[i].ism), .code = CYCLES, .n = 1,
				       .isa = 1),
				 rows[i].ia32);
	}
}

// Section 6.2.2 and table 6-6: counters 4 and 5 add up to 7 in a cycle and have three threshold
// bits, 6 and 7 add up to 3 and have two. Threshold 0 adds all; otherwise a cycle with more than
// the threshold adds one. NOPS_RETIRED are up to six (7.8).
static void thresholds(void **state)
{
	(void)state;
	for (uint32_t n = 4; n < 8; n++)
		for (unsigned threshold = 0; threshold < 8; threshold++)
			for (unsigned happen = 0; happen <= 9; happen++) {
				unsigned most = n < 6 ? 6 : 3, effective = n < 6 ? threshold :
					threshold & 3;
				unsigned seen = happen < most ? happen : most;

				assert_int_equal(ADDED(n, ES(NOPS_RETIRED) | THRESHOLD(threshold),
						       .code = NOPS_RETIRED,
						       .n = happen),
						 effective ? seen > effective : seen);
			}
}

// Section 7.8, "Max. Increment/Cycle"; 6.1.1.2: at most one if the section does not name a number.
// BUS_BRQ_LIVE_REQ's halves are two bits of a count each, up to 3, although "2 (each)" is printed.
// {code, most}
static const uint8_t more_than_one[][2] = {
	{0x08, 6}, {0x09, 3}, {0x0A, 3}, {0x0B, 2}, {0x0C, 2}, {0x15, 2}, {0x2D, 6}, {0x30, 6},
	{0x31, 6}, {0x36, 2},
	{0x37, 2}, {0x38, 2}, {0x56, 3}, {0x57, 3}, {0x58, 3}, {0x5B, 3}, {0x5C, 3}, {0x63, 2},
	{0x64, 2}, {0x65, 2},
	{0x66, 2}, {0x68, 3}, {0x69, 2}, {0x6A, 2}, {0x6B, 2}, {0x6C, 2}, {0x6D, 2}, {0x6E, 2},
	{0x6F, 2}, {0x70, 2},
	{0x71, 2}, {0x72, 2},
};

static unsigned most_in_a_cycle(unsigned code)
{
	for (size_t i = 0; i < sizeof more_than_one / sizeof *more_than_one; i++)
		if (more_than_one[i][0] == code)
			return more_than_one[i][1];
	return 1;
}

// No event adds more in a cycle than its maximum, whatever a trace has, so that all counters that
// can count it agree. Thresholds compare with the limited number.
static void an_event_has_a_maximum_in_each_cycle(void **state)
{
	(void)state;
	for (unsigned code = 0; code < 128; code++)
		for (uint32_t n = 4; n < 8; n++) {
			const unsigned takes = n < 6 ? 7 : 3, most = most_in_a_cycle(code);
			const unsigned adds = most < takes ? most : takes,
				sub = code == RETIRED ? 0 : 15;
			const uint64_t control = ES(code) | UMASK(sub);

			assert_int_equal(ADDED(n, control, .code = (uint16_t)code,
					       .sub = (uint16_t)sub, .n = 100),
					 adds);
			assert_int_equal(ADDED(n, control | THRESHOLD(adds), .code = (uint16_t)code,
					       .sub = (uint16_t)sub, .n = 100), 0);
			if (adds > 1)
				assert_int_equal(ADDED(n, control | THRESHOLD(adds - 1),
						       .code = (uint16_t)code,
						       .sub = (uint16_t)sub, .n = 100), 1);
		}
	// The maximum also applies to the sum of several occurrences.
	set_counter(4, ES(LOADS_RETIRED));
	set_counter(7, ES(LOADS_RETIRED));
	HAPPENS({.code = LOADS_RETIRED, .n = 1}, {.code = LOADS_RETIRED, .n = 1},
		{.code = LOADS_RETIRED, .n = 1});
	assert_int_equal(get(PMD + 4), 2);
	assert_int_equal(get(PMD + 7), 2);
}

// FP_OPS_RETIRED.d is 4 x HI + LO (table 7-6): bits of the sum of the weights in a cycle. PMC8 tags
// the operations that are added; opcode 0 here excludes those with one of bits 12:0 set.
static void weights_are_added_in_a_cycle(void **state)
{
	(void)state;
	set_counter(4, ES(FP_OPS_RETIRED_LO));
	set_counter(7, ES(FP_OPS_RETIRED_HI));
	HAPPENS({.code = FP_OPS_RETIRED_LO, .sub = 1, .n = 2},
		{.code = FP_OPS_RETIRED_LO, .sub = 1, .n = 2});
	assert_int_equal(get(PMD + 4), 0);
	assert_int_equal(get(PMD + 7), 1);
	HAPPENS({.code = FP_OPS_RETIRED_LO, .sub = 1, .n = 4},
		{.code = FP_OPS_RETIRED_LO, .sub = 1, .n = 1});
	assert_int_equal(get(PMD + 4), 1);
	assert_int_equal(get(PMD + 7), 2);
	put(PMC + 8, OPCODES_ALL & ~0xFFFFULL);
	HAPPENS({.code = FP_OPS_RETIRED_LO, .sub = 1, .n = 2},
		{.code = FP_OPS_RETIRED_LO, .sub = 1, .n = 2, .opcode = 1});
	assert_int_equal(get(PMD + 4), 3);
	assert_int_equal(get(PMD + 7), 2);
}

// `step` gives the increment of a counter in one cycle, `add` the sum over many cycles.
// L2_DATA_REFERENCES counts a semaphore as two events.
static void steps_are_those_of_a_cycle(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4 * 4 * 128 * 10; i++) {
		const unsigned n = 4 + i % 4, threshold = i / 4 % 4, code = i / 16 % 128,
			events = i / 2048;
		const unsigned sub = code == RETIRED ? 0 : 15,
			times = code == L2_DATA_REFERENCES ? 2 : 1;
		uint64_t added = ADDED(n, ES(code) | UMASK(sub) | THRESHOLD(threshold),
				       .code = (uint16_t)code,
				       .sub = (uint16_t)sub, .n = events);

		if (code == FP_OPS_RETIRED_LO || code == FP_OPS_RETIRED_HI)
			added = ADDED(n, ES(code) | THRESHOLD(threshold), .code = FP_OPS_RETIRED_LO,
				      .sub = 1,
				      .n = events);
		assert_int_equal(model->sums->step(pmu, n - 4, times * events), added);
	}
}

static void sums_are_added(void **state)
{
	const uint64_t counts[] = {1000000, 0, 0xFFFFFFFF, 1};

	(void)state;
	for (uint32_t n = 4; n < 8; n++) {
		set_counter(n, ES(CYCLES));
		put(PMD + n, 2);
	}
	model->sums->add(pmu, counts);
	assert_int_equal(get(PMD + 4), 1000002);
	assert_int_equal(get(PMD + 5), 2);
	assert_int_equal(get(PMD + 6), 1);		// without oi it wraps, and only says so
	assert_int_equal(get(PMD + 7), 3);
	assert_int_equal(get(PMC + 0), OVERFLOW(6));
	run(1);
	assert_int_equal(get(PMD + 5), 2);
	HAPPENS({.code = CYCLES, .n = 1});
	assert_int_equal(get(PMD + 5), 3);
	put(PMC + 0, FR);
	model->sums->add(pmu, counts);
	assert_int_equal(get(PMD + 4), 1000003);
}

// L2_DATA_REFERENCES: "Semaphore operations are counted as one read and one write" (ALL), "as one
// read" (READS), "as one write" (WRITES).
static void a_semaphore_is_a_read_and_a_write(void **state)
{
	(void)state;
	for (uint32_t n = 4; n < 8; n++) {
		assert_int_equal(ADDED(n, ES(L2_DATA_REFERENCES) | UMASK(3),
				       .code = L2_DATA_REFERENCES, .sub = 3,
				       .n = 1), 2);
		assert_int_equal(ADDED(n, ES(L2_DATA_REFERENCES) | UMASK(1),
				       .code = L2_DATA_REFERENCES, .sub = 3,
				       .n = 1), 1);
		assert_int_equal(ADDED(n, ES(L2_DATA_REFERENCES) | UMASK(2),
				       .code = L2_DATA_REFERENCES, .sub = 3,
				       .n = 1), 1);
		assert_int_equal(ADDED(n, ES(L2_DATA_REFERENCES) | UMASK(3),
				       .code = L2_DATA_REFERENCES, .sub = 3,
				       .n = 2), 2);		// no more than two in a cycle
		assert_int_equal(ADDED(n, ES(L2_DATA_REFERENCES) | UMASK(3),
				       .code = L2_DATA_REFERENCES, .n = 1), 1);
	}
}

// A counter adds the occurrences of a cycle, then compares with the threshold.
static void occurrences_of_a_cycle_are_added_first(void **state)
{
	(void)state;
	set_counter(4, ES(RETIRED));
	set_counter(5, ES(RETIRED) | THRESHOLD(3));
	set_counter(6, ES(CYCLES));
	HAPPENS({.code = RETIRED, .n = 2}, {.code = CYCLES, .n = 1}, {.code = RETIRED, .n = 2});
	assert_int_equal(get(PMD + 4), 4);
	assert_int_equal(get(PMD + 5), 1);
	assert_int_equal(get(PMD + 6), 1);
	HAPPENS({.code = RETIRED, .n = 2}, {.code = RETIRED, .n = 1});
	assert_int_equal(get(PMD + 4), 7);
	assert_int_equal(get(PMD + 5), 1);
	// 32-bit sums do not wrap.
	HAPPENS({.code = RETIRED, .n = UINT32_MAX}, {.code = RETIRED, .n = 1});
	assert_int_equal(get(PMD + 4), 7 + 6);
}

//
// Sub-events: the unit masks that count an occurrence with these bits. Rows are those of section
// 7.8.
//

static const struct unit_mask {
	unsigned code, umask, sub, counts;
} unit_masks[] = {
	// ignored
	{CYCLES, 0, 0, 1}, {CYCLES, 15, 0, 1}, {CYCLES, 5, 10, 1}, {BUS_LIVE, 3, 0, 1},
	// ALAT_REPLACEMENT: ALL xx11, FP xx10, INTEGER xx01
	{ALAT_REPLACEMENT, 3, 1, 1}, {ALAT_REPLACEMENT, 3, 2, 1}, {ALAT_REPLACEMENT, 2, 2, 1},
	{ALAT_REPLACEMENT, 1, 1, 1}, {ALAT_REPLACEMENT, 2, 1, 0}, {ALAT_REPLACEMENT, 1, 2, 0},
	{ALAT_REPLACEMENT, 12 + 1, 1, 1}, {ALAT_REPLACEMENT, 12 + 2, 1, 0},
	{ALAT_REPLACEMENT, 3, 0, 1},
	{ALAT_REPLACEMENT, 1, 0, 0}, {ALAT_REPLACEMENT, 0, 1, 0}, {ALAT_REPLACEMENT, 4, 4, 0},
	// L2_DATA_REFERENCES: ALL xx11, READS xx01, WRITES xx10
	{L2_DATA_REFERENCES, 3, 1, 1}, {L2_DATA_REFERENCES, 1, 2, 0},
	{L2_DATA_REFERENCES, 10, 2, 1},
	// L2_FLUSH_DETAILS, PIPELINE_FLUSH: all combinations of four bits
	{L2_FLUSH_DETAILS, 1, 1, 1}, {L2_FLUSH_DETAILS, 14, 1, 0}, {L2_FLUSH_DETAILS, 9, 8, 1},
	{PIPELINE_FLUSH, 6, 4, 1}, {PIPELINE_FLUSH, 6, 2, 1}, {PIPELINE_FLUSH, 6, 8, 0},
	{PIPELINE_FLUSH, 15, 1, 1},
	// BRANCH_TAKEN_SLOT: "all the set cases are included"
	{BRANCH_TAKEN_SLOT, 1, 1, 1}, {BRANCH_TAKEN_SLOT, 7, 4, 1}, {BRANCH_TAKEN_SLOT, 7, 8, 0},
	{BRANCH_TAKEN_SLOT, 8, 8, 1}, {BRANCH_TAKEN_SLOT, 0, 1, 0},
	// BRANCH_MULTIWAY: 00xx all paths, 10xx not taken, 11xx taken; xx00 all, 01 correct, 10
	// path, 11 target
	{BRANCH_MULTIWAY, 0, 0xD, 1}, {BRANCH_MULTIWAY, 0xC, 0xD, 1},
	{BRANCH_MULTIWAY, 0xD, 0xD, 1},
	{BRANCH_MULTIWAY, 1, 0xD, 1}, {BRANCH_MULTIWAY, 2, 0xD, 0}, {BRANCH_MULTIWAY, 8, 0xD, 0},
	{BRANCH_MULTIWAY, 0xF, 0xD, 0}, {BRANCH_MULTIWAY, 0, 0, 1}, {BRANCH_MULTIWAY, 1, 0, 0},
	// BRANCH_PATH: 00xx all, 01 first, 10 second, 11 third stage; x1x correct, xx1 taken
	{BRANCH_PATH, 3, 0xB, 1}, {BRANCH_PATH, 0xB, 0xB, 1}, {BRANCH_PATH, 2, 0xB, 0},
	{BRANCH_PATH, 0xF, 0xB, 0},
	{BRANCH_PATH, 0, 8, 1}, {BRANCH_PATH, 1, 8, 0}, {BRANCH_PATH, 0, 0, 1},
	// BRANCH_PREDICTOR: the same stages; 00 all, 01 correct, 10 wrong path, 11 wrong target
	{BRANCH_PREDICTOR, 0, 0xA, 1}, {BRANCH_PREDICTOR, 2, 0xA, 1}, {BRANCH_PREDICTOR, 8, 0xA, 1},
	{BRANCH_PREDICTOR, 0xA, 0xA, 1}, {BRANCH_PREDICTOR, 3, 0xA, 0},
	{BRANCH_PREDICTOR, 4, 0xA, 0},
	// Table 7-22: ANY x001, SELF x010, IO x100
	{BUS_ALL, 1, 2, 1}, {BUS_ALL, 1, 4, 1}, {BUS_ALL, 1, 1, 1}, {BUS_ALL, 2, 2, 1},
	{BUS_ALL, 2, 4, 0},
	{BUS_ALL, 4, 4, 1}, {BUS_ALL, 12, 4, 1}, {BUS_ALL, 1, 0, 1}, {BUS_ALL, 2, 1, 0},
	// L3_READS: 11xx all, 10 data, 01 instructions; xx11 all, 01 hit, 10 miss
	{L3_READS, 0xF, 0x9, 1}, {L3_READS, 0xD, 0x9, 1}, {L3_READS, 0xE, 0x9, 0},
	{L3_READS, 0xB, 0x9, 1},
	{L3_READS, 0x9, 0x9, 1}, {L3_READS, 0x5, 0x9, 0}, {L3_READS, 0x7, 0x9, 0},
	{L3_READS, 0x7, 0x6, 1},
	// Table 7-30, without qualification; an operation of the register stack engine (1) counts
	// in 0011 only
	{RETIRED, 0, 0, 1}, {RETIRED, 3, 0, 1}, {RETIRED, 2, 0, 1}, {RETIRED, 3, 1, 1},
	{RETIRED, 0, 1, 0},
	{RETIRED, 2, 1, 0},
};

static void unit_masks_select_sub_events(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof unit_masks / sizeof *unit_masks; i++)
		for (uint32_t n = 4; n < 8; n++) {
			const struct unit_mask *row = &unit_masks[i];
			uint64_t added = ADDED(n, ES(row->code) | UMASK(row->umask),
					       .code = (uint16_t)row->code,
					       .sub = (uint16_t)row->sub, .n = 1);

			if (added != row->counts)
				fail_msg("event %#x: unit mask %#x counts %llu of %#x", row->code,
					 row->umask, (unsigned long long)added, row->sub);
		}
}

// For any event: an occurrence with exactly the bits of the unit mask counts, and another event
// does not.
static void an_event_is_selected_by_its_code(void **state)
{
	(void)state;
	for (unsigned code = 0; code < 128; code++)
		for (unsigned umask = 0; umask < 16; umask++) {
			uint64_t own = ADDED(4, ES(code) | UMASK(umask), .code = (uint16_t)code,
					     .sub = (uint16_t)umask, .n = 1);

			assert_int_equal(ADDED(4, ES(code) | UMASK(umask),
					       .code = (uint16_t)(code ^ 1),
					       .sub = (uint16_t)umask, .n = 1), 0);
			assert_int_equal(ADDED(4, ES(code) | UMASK(umask),
					       .code = (uint16_t)(code + 128),
					       .sub = (uint16_t)umask, .n = 1), 0);
			if (code == CYCLES || code == BRANCH_PREDICTOR || code == BRANCH_PATH ||
			    code == BRANCH_MULTIWAY)
				assert_int_equal(own, 1);
		}
}

//
// The interval timer (6.1.2.1; ASDM volume 2, 3.1.8.10, 3.3.4.2 and 5.8.3.1)
//

// Any number of wraps in one run without oi; no wrap loses a count.
static void long_runs_wrap_often(void **state)
{
	(void)state;
	set_counter(4, ES(RETIRED));
	set_counter(5, ES(CYCLES) | EV);
	SIGNALS({.code = RETIRED, .n = 6}, {.code = CYCLES, .n = 1});
	run(0x123456789ABCULL);
	assert_int_equal((uint32_t)get(PMD + 4), (uint32_t)(6 * 0x123456789ABCULL));
	assert_int_equal((uint32_t)get(PMD + 5), 0x56789ABC);
	assert_int_equal(get(PMC + 0), OVERFLOW(4) | OVERFLOW(5));
	assert_int_equal(outputs()->strobes, 2);
	run(UINT64_MAX);
	assert_int_equal((uint32_t)get(PMD + 5), 0x56789ABB);
}

// Signals that change in almost every cycle, for many cycles without an access: no count is lost,
// even if one of the counters begins to interrupt.
static void many_short_signals(void **state)
{
	uint64_t sum[8] = {0};

	(void)state;
	random_state = 1;
	for (uint32_t n = 4; n < 8; n++) {
		set_counter(n, ES(NOPS_RETIRED));
		sum[n] = BEFORE(n == 5 ? 70000 : 1000000);
		put(PMD + n, sum[n]);
	}
	for (unsigned i = 0; i < 50000; i++) {
		uint32_t happen = (uint32_t)random_below(9);
		uint64_t cycles = i % 1000 == 999 ? random_below(20000) : random_below(3);

		SIGNALS({.code = NOPS_RETIRED, .n = happen});
		run(cycles);
		for (uint32_t n = 4; n < 8; n++) {
			uint32_t most = n < 6 ? 6 : 3;

			sum[n] += cycles * (happen < most ? happen : most);
		}
	}
	for (uint32_t n = 4; n < 8; n++) {
		assert_int_equal((uint32_t)get(PMD + n), (uint32_t)sum[n]);
		assert_int_equal(get(PMC + 0) >> n & 1, sum[n] >> 32);
	}
	put(PMC + 0, 0);
	put(PMD + 4, BEFORE(100));
	for (unsigned i = 0; i < 10; i++)
		HAPPENS({.code = NOPS_RETIRED, .n = 6});
	put(PMC + 4, ALL_LEVELS | ES(NOPS_RETIRED) | OI);
	assert_int_equal(outputs()->headroom, 6);	// 40 are left
	for (unsigned i = 0; i < 7; i++) {
		assert_int_equal(outputs()->requests, 0);
		HAPPENS({.code = NOPS_RETIRED, .n = 6});
	}
	assert_int_equal(outputs()->requests, 1);
	assert_int_equal(get(PMD + 4), 2);
}

// A write takes effect after the cycles of the writing instruction.
static void a_write_is_counted_as_things_stood_before(void **state)
{
	(void)state;
	set_counter(4, ES(CYCLES));
	SIGNALS({.code = CYCLES, .n = 1});
	run(10);
	assert_true(model->write(pmu, 0, PMC + 0, FR, 1));
	run(10);
	assert_int_equal(get(PMD + 4), 11);
	assert_true(model->write(pmu, 0, PMC + 0, 0, 1));
	run(10);
	assert_int_equal(get(PMD + 4), 21);
	assert_true(model->write(pmu, 0, PMC + 200, 0, 1));	// also if nothing is written
	assert_int_equal(get(PMD + 4), 22);
}

static void level_matters_where_a_level_is_left_out(void **state)
{
	(void)state;
	for (uint32_t n = 4; n < 8; n++)
		set_counter(n, ES(CYCLES));
	put(PMC + 10, ALL_LEVELS);
	put(PMC + 11, ALL_LEVELS | PT);
	put(PMC + 12, ALL_LEVELS);
	assert_false(outputs()->level_matters);
	put(PMC + 5, PLM(7) | ES(CYCLES));
	assert_true(outputs()->level_matters);
	put(PMC + 0, FR);
	assert_false(outputs()->level_matters);
	put(PMC + 0, 0);
	put(PMC + 5, ALL_LEVELS | ES(RETIRED) | UMASK(3));
	assert_false(outputs()->level_matters);
	put(IBR + 1, 1ULL << 56);	// a range for level 0
	put(PMC + 13, 0);
	assert_true(outputs()->level_matters);
}

// The instruction clock: each cycle retires one instruction of Itanium code at its level.
static void the_instruction_clock(void **state)
{
	(void)state;
	for (unsigned level = 0; level < 4; level++) {
		size_t count;
		const struct occurrence *signals = model_clock(model, 0, level, &count);

		set_counter(4, ES(RETIRED));
		set_counter(5, ES(CYCLES));
		put(PMC + 6, PLM(1 << level) | ES(CYCLES));
		put(PMC + 7, PLM(15 & ~(1 << level)) | ES(CYCLES));
		put(PMD + 6, 0);
		put(PMD + 7, 0);
		set_inputs(signals, count);
		run(1000);
		assert_int_equal(get(PMD + 4), 1000);
		assert_int_equal(get(PMD + 5), 1000);
		assert_int_equal(get(PMD + 6), 1000);
		assert_int_equal(get(PMD + 7), 0);
		assert_int_equal(get(PSR), PSR_UP | PSR_CPL(level));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(table_6_1),
		TEST(monitor_enable),
		TEST(instruction_set_mask),
		TEST(thresholds),
		TEST(an_event_has_a_maximum_in_each_cycle),
		TEST(weights_are_added_in_a_cycle),
		TEST(steps_are_those_of_a_cycle),
		TEST(sums_are_added),
		TEST(a_semaphore_is_a_read_and_a_write),
		TEST(occurrences_of_a_cycle_are_added_first),
		TEST(unit_masks_select_sub_events),
		TEST(an_event_is_selected_by_its_code),
		TEST(long_runs_wrap_often),
		TEST(many_short_signals),
		TEST(a_write_is_counted_as_things_stood_before),
		TEST(level_matters_where_a_level_is_left_out),
		TEST(the_instruction_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
