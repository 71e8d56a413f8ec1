// SPDX-License-Identifier: BSD-2-Clause
// Captures of the branch trace buffer.

#include "model_capture.h"

//
// Branch trace buffer (6.2.8)
//

// Table 6-21.
#define TAR		(1ULL << 7)
#define TM(n)		((uint64_t)(n) << 8)
#define PTM(n)		((uint64_t)(n) << 10)
#define PPM(n)		((uint64_t)(n) << 12)
#define BPT		(1ULL << 14)
#define BAC		(1ULL << 15)
#define TRACE_ALL	(ALL_LEVELS | TAR | TM(3) | PTM(3) | PPM(3) | BPT | BAC)

// Table 6-22.
#define SOURCE(address, slot)	((address) | (uint64_t)(slot) << 2 | 1)
#define WRONG			2ULL
#define TARGET(address)		((address) | 2)

#define BRANCH(...) {.code = BRANCH_PREDICTOR, .n = 1, .type = OCCURRENCE_TYPE_B, __VA_ARGS__}
#define TAKEN(from, at, to) \
	BRANCH(.ip = (from), .slot = (at), .target = (to), \
	       .branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN)
#define NOT_TAKEN(from, at) BRANCH(.ip = (from), .slot = (at), .branch = OCCURRENCE_BRANCH)

static void assert_trace(unsigned count, const uint64_t *entries, unsigned bbi, bool full)
{
	put(PMC + 0, FR);
	assert_int_equal(get(PMD + 16), bbi | full << 3);
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(get(PMD + 8 + i), entries[i]);
	put(PMC + 0, 0);
}

#define ASSERT_TRACE(bbi, full, ...) \
	assert_trace(sizeof (uint64_t[]){__VA_ARGS__} / 8, (uint64_t[]){__VA_ARGS__}, bbi, full)

// The equation at the end of section 6.2.8.1.
static bool reference_captures(uint64_t pmc, bool is, bool taken, bool path, bool target,
			       unsigned predictor)
{
	unsigned tm = pmc >> 8 & 3, ptm = pmc >> 10 & 3, ppm = pmc >> 12 & 3;
	bool tm1 = tm >> 1, tm0 = tm & 1, ptm1 = ptm >> 1, ptm0 = ptm & 1, ppm1 = ppm >> 1,
		ppm0 = ppm & 1;

	return !is && ((tm1 && taken) || (tm0 && !taken)) &&
	       ((ptm1 && target && path && taken) || (ptm0 && !target && path && taken) ||
		(ptm0 && ptm1)) &&
	       ((ppm1 && path) || (ppm0 && !path)) &&
	       ((pmc & BPT && predictor == 2) || (pmc & BAC && predictor == 3) ||
		(pmc & TAR && predictor == 1) ||
		(pmc & BPT && pmc & BAC && pmc & TAR));
}

static void capture_condition(void **state)
{
	unsigned captured = 0;

	(void)state;
	for (uint64_t setting = 0; setting < 512; setting++) {
		uint64_t pmc = ALL_LEVELS | setting << 7;

		put(PMC + 12, pmc);
		for (unsigned i = 0; i < 64; i++) {
			bool is = i & 1, taken = i & 2, path = i & 4, target = i & 8;
			unsigned predictor = i / 16;	// 0: unknown (DECISIONS.md)
			bool expected = reference_captures(pmc, is, taken, path, target, predictor);

			clear_captured();
			set_counter(4, ES(BRANCH_EVENT));
			HAPPENS(BRANCH(.ip = 0x1000, .target = 0x9000, .isa = is,
				       .served = (uint8_t)predictor,
				       .branch = (uint8_t)(OCCURRENCE_BRANCH |
							   (taken ? OCCURRENCE_TAKEN : 0) |
							   (path ? 0 : OCCURRENCE_WRONG_PATH) |
							   (target ? 0 :
							    OCCURRENCE_WRONG_TARGET))));
			assert_int_equal(get(PMD + 4), expected);
			assert_int_equal(frozen_get(PMD + 16), !expected ? 0 : taken ? 2 : 1);
			captured += expected;
		}
	}
	assert_int_not_equal(captured, 0);
}

// "To capture all mispredicted branches ... tm=11, ptm=01, ppm=01": with the equation as printed,
// this captures nothing.
static void the_printed_setting_for_mispredicted_branches(void **state)
{
	(void)state;
	put(PMC + 12, (TRACE_ALL & ~(PTM(3) | PPM(3))) | PTM(1) | PPM(1));
	for (uint8_t flags = 0; flags < 16; flags++) {
		HAPPENS(BRANCH(.ip = 0x1000, .served = 1, .branch = flags | OCCURRENCE_BRANCH));
		assert_int_equal(frozen_get(PMD + 16), 0);
	}
}

// Each mispredicted branch, and no other one, is captured by one of two settings: 0xDF80 and 0xE780
// are bits 15:7 of table 6-21.
static void all_mispredicted_branches_are_two_settings(void **state)
{
	static const uint64_t settings[] = {0xDF80, 0xE780};

	(void)state;
	for (uint8_t flags = 0; flags < 16; flags += 2) {
		bool taken = flags & OCCURRENCE_TAKEN, wrong_path = flags & OCCURRENCE_WRONG_PATH;
		unsigned captured = 0;

		for (unsigned i = 0; i < 2; i++) {
			put(PMC + 12, ALL_LEVELS | settings[i]);
			clear_captured();
			HAPPENS(BRANCH(.ip = 0x1000, .served = 1,
				       .branch = flags | OCCURRENCE_BRANCH));
			captured += frozen_get(PMD + 16) != 0;
		}
		assert_int_equal(captured, wrong_path ||
				 (taken && flags & OCCURRENCE_WRONG_TARGET));
	}
}

static void branches_and_targets(void **state)
{
	(void)state;
	put(PMC + 12, TRACE_ALL);
	HAPPENS(TAKEN(0x1000, 2, 0x5000));
	ASSERT_TRACE(2, 0, SOURCE(0x1000, 2), TARGET(0x5000));
	HAPPENS(NOT_TAKEN(0x6000, 1));
	ASSERT_TRACE(3, 0, SOURCE(0x1000, 2), TARGET(0x5000), SOURCE(0x6000, 3));
	HAPPENS(BRANCH(.ip = 0x7000, .slot = 0, .target = 0x4008,
		       .branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_WRONG_TARGET));
	ASSERT_TRACE(5, 0, SOURCE(0x1000, 2), TARGET(0x5000), SOURCE(0x6000, 3),
		     SOURCE(0x7000, 0) | WRONG, TARGET(0x4000));
	HAPPENS(BRANCH(.ip = 0x8000, .slot = 1,
		       .branch = OCCURRENCE_BRANCH | OCCURRENCE_WRONG_PATH));
	ASSERT_TRACE(6, 0, SOURCE(0x1000, 2), TARGET(0x5000), SOURCE(0x6000, 3),
		     SOURCE(0x7000, 0) | WRONG, TARGET(0x4000), SOURCE(0x8000, 3) | WRONG);
}

// Footnote 1 of section 6.2.8.2. The trap's handler, at 5000H, begins with a branch.
static void a_trapped_branch_leaves_its_source(void **state)
{
	(void)state;
	put(PMC + 12, TRACE_ALL);
	HAPPENS(BRANCH(.ip = 0x1000, .slot = 1, .target = 0x5000,
		       .branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_TRAPPED));
	ASSERT_TRACE(1, 0, SOURCE(0x1000, 1));
	HAPPENS(TAKEN(0x5000, 2, 0x6000));
	ASSERT_TRACE(3, 0, SOURCE(0x1000, 1), SOURCE(0x5000, 2), TARGET(0x6000));
}

// Note to table 6-22: bits 60:51 are written as copies of bit 50.
static void branch_addresses(void **state)
{
	(void)state;
	put(PMC + 12, TRACE_ALL);
	HAPPENS(TAKEN(0x4004000000000010, 0, 0xFFF8000000000020));
	ASSERT_TRACE(2, 0, SOURCE(0x5FFC000000000010, 0), TARGET(0xE000000000000020));
}

// A target bundle that itself contains a qualified branch may have one entry or two (6.2.8.2): one
// if the branch retires in the next cycle, two if later.
static void a_target_that_branches(void **state)
{
	(void)state;
	put(PMC + 12, TRACE_ALL);
	HAPPENS(TAKEN(0x1000, 2, 0x5000));
	HAPPENS(TAKEN(0x5000, 1, 0x6000));
	ASSERT_TRACE(3, 0, SOURCE(0x1000, 2), SOURCE(0x5000, 1), TARGET(0x6000));
	clear_captured();
	HAPPENS(TAKEN(0x1000, 2, 0x5000));
	no_signals();
	run(1);
	HAPPENS(TAKEN(0x5000, 1, 0x6000));
	ASSERT_TRACE(4, 0, SOURCE(0x1000, 2), TARGET(0x5000), SOURCE(0x5000, 1), TARGET(0x6000));
	clear_captured();
	HAPPENS(TAKEN(0x1000, 2, 0x5000));
	put(PMD + 16, 0);	// discards the record
	HAPPENS(TAKEN(0x5000, 1, 0x6000));
	ASSERT_TRACE(2, 0, SOURCE(0x5000, 1), TARGET(0x6000));
	clear_captured();
	HAPPENS(TAKEN(0x1000, 2, 0x5000));
	put(PMC + 0, FR);
	put(PMC + 0, 0);
	HAPPENS(TAKEN(0x5000, 1, 0x6000));
	ASSERT_TRACE(4, 0, SOURCE(0x1000, 2), TARGET(0x5000), SOURCE(0x5000, 1), TARGET(0x6000));
	clear_captured();
	set_counter(4, ES(BRANCH_EVENT) | OI);
	put(PMD + 4, -1);
	HAPPENS(TAKEN(0x1000, 2, 0x5000));
	assert_int_equal(get(PMC + 0), OVERFLOW(4) | FR);
	put(PMC + 0, 0);
	HAPPENS(TAKEN(0x5000, 1, 0x6000));
	ASSERT_TRACE(4, 0, SOURCE(0x1000, 2), TARGET(0x5000), SOURCE(0x5000, 1), TARGET(0x6000));
}

// Section 6.2.8.2: bbi is the next entry to be written; full is set at the wrap and stays; the last
// written one is 8 + ((8 * full + bbi - 1) % 8), and there is none if both are 0.
static void the_buffer_wraps(void **state)
{
	(void)state;
	put(PMC + 12, TRACE_ALL);
	for (unsigned i = 1; i <= 40; i++) {
		uint64_t index;

		HAPPENS(NOT_TAKEN(0x1000 * i, 0));
		index = frozen_get(PMD + 16);
		assert_int_equal(index, i % 8 | (i >= 8 ? 8 : 0));
		assert_int_equal(frozen_get(PMD + 8 +
					    (uint32_t)((8 * (index >> 3) + (index & 7) - 1) % 8)),
				 SOURCE(0x1000 * i, 3));
	}
	put(PMD + 16, 0);
	HAPPENS(NOT_TAKEN(0x100, 0));
	assert_int_equal(frozen_get(PMD + 16), 1);
	assert_int_equal(frozen_get(PMD + 8), SOURCE(0x100, 3));
	put(PMD + 16, 15);
	HAPPENS(NOT_TAKEN(0x200, 0));
	assert_int_equal(frozen_get(PMD + 16), 8);
	assert_int_equal(frozen_get(PMD + 15), SOURCE(0x200, 3));
}

// The slot is that of the first taken branch of the bundle; 3 if none is.
static void branches_of_a_bundle(void **state)
{
	(void)state;
	put(PMC + 12, TRACE_ALL);
	set_counter(4, ES(BRANCH_EVENT));
	HAPPENS(NOT_TAKEN(0x1000, 0), TAKEN(0x1000, 1, 0x2000), TAKEN(0x1000, 2, 0x3000));
	ASSERT_TRACE(2, 0, SOURCE(0x1000, 1), TARGET(0x2000));
	HAPPENS(NOT_TAKEN(0x4000, 0), NOT_TAKEN(0x4000, 1), NOT_TAKEN(0x4000, 2));
	ASSERT_TRACE(3, 0, SOURCE(0x1000, 1), TARGET(0x2000), SOURCE(0x4000, 3));
	HAPPENS({.code = CYCLES, .n = 1}, TAKEN(0x5000, 0, 0x6000));
	ASSERT_TRACE(5, 0, SOURCE(0x1000, 1), TARGET(0x2000), SOURCE(0x4000, 3), SOURCE(0x5000, 0),
		     TARGET(0x6000));
	assert_int_equal(get(PMD + 4), 3);
}

// The event signals may report a branch as several events, and other events in the same cycle: it
// is one branch.
static void a_branch_of_several_events(void **state)
{
	const struct occurrence branch = TAKEN(0x1000, 1, 0x2000);
	struct occurrence o[4] = {{.code = CYCLES, .n = 1}, branch, branch, branch};

	(void)state;
	put(PMC + 12, TRACE_ALL);
	o[1].code = RETIRED;
	o[2].code = BRANCH_TAKEN_SLOT;
	connect(o, 4);
	run(1);
	ASSERT_TRACE(2, 0, SOURCE(0x1000, 1), TARGET(0x2000));
}

// "Operates only during Itanium-based code execution": a branch to IA-32 code is recorded, a branch
// in IA-32 code is not.
static void ia32_branches_are_not_recorded(void **state)
{
	(void)state;
	put(PMC + 12, TRACE_ALL | ISM(2));	// ism does not apply to PMC12 (table 6-11)
	HAPPENS(TAKEN(0x1000, 1, 0x2000));
	HAPPENS(BRANCH(.ip = 0x2000, .target = 0x3000, .isa = 1,
		       .branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN));
	ASSERT_TRACE(2, 0, SOURCE(0x1000, 1), TARGET(0x2000));
}

// BRANCH_EVENT (7.8) is qualified by instruction address and opcode, and by plm and pm of PMC12.
static void branch_captures_are_qualified(void **state)
{
	(void)state;
	put(PMC + 13, 0);
	put(IBR + 0, 0x1000);
	put(IBR + 1, 0x00FFFFFFFFFFF000ULL | 15ULL << 56);
	put(PMC + 8, 1ULL << 60 | 0x3FFFFFF8);	// B type
	for (unsigned i = 0; i < 16; i++) {
		clear_captured();
		put(PMC + 12, (TRACE_ALL & ~ALL_LEVELS) | (i & 1 ? PLM(14) : PLM(1)) |
		    (i & 2 ? PM : 0));
		HAPPENS({.code = BRANCH_PREDICTOR, .n = 1, .ip = i & 4 ? 0x2000 : 0x1000,
			 .branch = OCCURRENCE_BRANCH,
			 .type = i & 8 ? OCCURRENCE_TYPE_M : OCCURRENCE_TYPE_B});
		assert_int_equal(frozen_get(PMD + 16), i == 0);
	}
}

static uint64_t trace_hash(void)
{
	uint64_t hash = 0;

	put(PMC + 0, FR);
	for (uint32_t n = 8; n < 17; n++)
		hash = hash * 31 + get(PMD + n);
	put(PMC + 0, 0);
	return hash;
}

// A loop with the same branches in each cycle: many cycles at once end in the same state as single
// cycles.
static void a_loop_in_the_trace(void **state)
{
	(void)state;
	put(PMC + 12, TRACE_ALL);
	for (unsigned kind = 0; kind < 4; kind++)
		for (unsigned cycles = 0; cycles < 60; cycles++) {
			const struct occurrence loops[][2] = {
				{TAKEN(0x1000, 2, 0x1000)},			// onto itself
				{TAKEN(0x1000, 2, 0x5000)},
				{TAKEN(0x1000, 2, 0x5000), NOT_TAKEN(0x5000, 1)},
				{NOT_TAKEN(0x1000, 2), TAKEN(0x2000, 0, 0x1000)},
			};
			uint64_t at_once;

			for (unsigned turn = 0; turn < 2; turn++) {
				clear_captured();
				put(PMD + 16, kind);
				set_counter(4, ES(BRANCH_EVENT));
				connect(loops[kind], kind < 2 ? 1 : 2);
				if (turn == 0)
					run(cycles);
				else
					for (unsigned i = 0; i < cycles; i++) {
						run(1);
						get(PMD + 4);	// brings the model up to date
					}
				// one in a cycle at the most (7.8)
				assert_int_equal(get(PMD + 4), cycles);
				no_signals();
				run(1);
				if (turn == 0)
					at_once = trace_hash();
			}
			assert_int_equal(at_once, trace_hash());
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(capture_condition),
		TEST(the_printed_setting_for_mispredicted_branches),
		TEST(all_mispredicted_branches_are_two_settings),
		TEST(branches_and_targets),
		TEST(a_trapped_branch_leaves_its_source),
		TEST(branch_addresses),
		TEST(a_target_that_branches),
		TEST(the_buffer_wraps),
		TEST(branches_of_a_bundle),
		TEST(a_branch_of_several_events),
		TEST(ia32_branches_are_not_recorded),
		TEST(branch_captures_are_qualified),
		TEST(a_loop_in_the_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
