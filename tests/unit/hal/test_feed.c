// SPDX-License-Identifier: BSD-2-Clause
// What the plugin hands to a model: counts and branch records of programs that are made here, of few branches and of
// many. Registers: SDM volume 3B, "Last Branch, Interrupt, and Exception Recording" (Nehalem), and Appendix II of the
// performance analysis guide; unit masks of BR_INST_RETIRED: its table 6.

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "../../../hal/emu/plugin/feed.c"

enum {
	PMC0 = 0xC1, PERFEVTSEL0 = 0x186, FIXED_CTR0 = 0x309, FIXED_CTR_CTRL = 0x38D, GLOBAL_CTRL = 0x38F,
	DEBUGCTL = 0x1D9, LBR_SELECT = 0x1C8, LBR_TOS = 0x1C9, LBR_FROM = 0x680, LBR_TO = 0x6C0,
};

#define RECORDS		16
#define CONDITIONAL	0x1C4	/* BR_INST_RETIRED.CONDITIONAL */
#define NEAR_CALL	0x2C4
#define ALL_BRANCHES	0x4C4
#define ALL_LEVELS	(3ULL << 16)
#define EN		(1ULL << 22)
#define EDGE		(1ULL << 18)
#define CMASK_1		(1ULL << 24)
#define NO_CONDITIONAL	(1ULL << 2)	/* of LBR_SELECT */

static struct vpmu vpmu;
static struct feed *const f = &feeds[0];

static int start(void **state)
{
	const struct pmu_model *model = pmu_model_find("nehalem");
	void *memory = aligned_alloc(MODEL_ALIGNMENT, vpmu_state_size(model));

	(void)state;
	feed_start(0, &vpmu);
	return memory && vpmu_start(&vpmu, model, memory, 0, "", 0) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	free(vpmu.state);
	return 0;
}

static uint64_t value_of(uint32_t address)
{
	uint64_t value = 0;

	assert_true(vpmu_read(&vpmu, address, &value));
	return value;
}

static void put(uint32_t address, uint64_t value)
{
	assert_true(vpmu_write(&vpmu, address, value, 0));
}

// Two counters and the fixed one of instructions, at all levels; branch records.
static void count(uint64_t first, uint64_t second)
{
	put(PERFEVTSEL0, first | ALL_LEVELS | EN);
	put(PERFEVTSEL0 + 1, second | ALL_LEVELS | EN);
	put(FIXED_CTR_CTRL, 3);
	put(DEBUGCTL, 1);
	put(GLOBAL_CTRL, 1ULL << 32 | 3);
}

// What a program does, by the number of its branches: which one the n-th is, how many instructions come before it.
static unsigned branch(unsigned n)
{
	static const unsigned kinds[] = {
		OCCURRENCE_KIND_CONDITIONAL, OCCURRENCE_KIND_CONDITIONAL | OCCURRENCE_TAKEN,
		OCCURRENCE_KIND_CALL | OCCURRENCE_TAKEN, OCCURRENCE_KIND_CONDITIONAL | OCCURRENCE_TAKEN,
		OCCURRENCE_KIND_RETURN | OCCURRENCE_TAKEN,
	};

	return OCCURRENCE_BRANCH | kinds[n % 5];
}

static uint64_t before(unsigned n)
{
	return n % 7;
}

static uint64_t from(unsigned n)
{
	return 0x1000 + 16 * n;
}

// Executes so many branches, and some instructions behind them; the monitor has added some, too. All there were.
static uint64_t execute(unsigned branches, uint64_t behind, uint64_t added)
{
	for (unsigned n = 0; n < branches; n++) {
		f->position += before(n) + 1;
		feed_branch(f, branch(n), from(n), from(n) + 5);
	}
	f->position += behind;
	behind = f->position + added;
	feed_pass(f, behind);
	return behind;
}

// The last ones that a filter lets through, the newest first; all of them are younger than what was there before.
static void records_are(unsigned branches, bool conditional)
{
	uint64_t top = value_of(LBR_TOS);
	unsigned found = 0;

	for (unsigned n = branches; n-- && found < RECORDS;) {
		if (!(branch(n) & OCCURRENCE_TAKEN) ||
		    (!conditional && (branch(n) & OCCURRENCE_KIND) == OCCURRENCE_KIND_CONDITIONAL))
			continue;
		assert_int_equal(value_of(LBR_FROM + (uint32_t)top), from(n));
		assert_int_equal(value_of(LBR_TO + (uint32_t)top), from(n) + 5);
		top = (top - 1) % RECORDS;
		found++;
	}
}

static const unsigned sizes[] = {0, 1, 5, 16, 17, 40, 79, 80, 81, 1000, 12345};

static void branches_count_and_are_recorded(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		const unsigned n = sizes[i], taken = n - (n + 4) / 5;
		uint64_t instructions, top;

		count(CONDITIONAL, NEAR_CALL);
		top = value_of(LBR_TOS);
		instructions = execute(n, 3, 2);
		assert_int_equal(value_of(FIXED_CTR0), instructions);
		assert_int_equal(value_of(PMC0), (n + 4) / 5 + (n + 3) / 5 + (n + 1) / 5);
		assert_int_equal(value_of(PMC0 + 1), (n + 2) / 5);
		assert_int_equal(value_of(LBR_TOS), (top + taken) % RECORDS);
		records_are(n, true);
		put(FIXED_CTR0, 0);
		put(PMC0, 0);
		put(PMC0 + 1, 0);
	}
}

static void a_filter_keeps_its_own(void **state)
{
	(void)state;
	count(ALL_BRANCHES, NEAR_CALL);
	put(LBR_SELECT, NO_CONDITIONAL);
	execute(1000, 0, 0);
	assert_int_equal(value_of(PMC0), 1000);
	records_are(1000, false);
}

// Each branch that follows another instruction is an edge: of seven, the one with none before it is not. The first
// has had none either, but no branch before it.
static void edges_are_counted_in_order(void **state)
{
	const unsigned n = 700;

	(void)state;
	count(ALL_BRANCHES | EDGE | CMASK_1, ALL_BRANCHES);
	f->in_order = true;
	execute(n, 1, 0);
	assert_int_equal(value_of(PMC0), n - n / 7 + 1);
	assert_int_equal(value_of(PMC0 + 1), n);
}

// Of a repeated string's 1,001 iterations one retires.
static void iterations_do_not_retire(void **state)
{
	(void)state;
	count(ALL_BRANCHES, NEAR_CALL);
	f->position = 10;
	f->again = 1000;
	feed_pass(f, 1010);
	assert_int_equal(value_of(FIXED_CTR0), 10);
	feed_pass(f, 5);
	assert_int_equal(value_of(FIXED_CTR0), 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(branches_count_and_are_recorded, start, end),
		cmocka_unit_test_setup_teardown(a_filter_keeps_its_own, start, end),
		cmocka_unit_test_setup_teardown(edges_are_counted_in_order, start, end),
		cmocka_unit_test_setup_teardown(iterations_do_not_retire, start, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
