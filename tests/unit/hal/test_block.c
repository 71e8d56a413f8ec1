// SPDX-License-Identifier: BSD-2-Clause
// What blocks of code raise, by themselves and behind others: pairs that are fused (Optimization Reference Manual,
// "Optimizing for Macro-fusion"), changes between x87 and MMX instructions (SDM volume 3B, FP_MMX_TRANS: the first one
// of the one kind that follows any of the other).

#include "unit.h"

#include "../../../hal/emu/plugin/block.c"
#include "../../../hal/emu/plugin/classify.c"
#include "../../../hal/emu/plugin/classify_pipes.c"

#define HERE 0x1000

static int none(const struct block *block)
{
	(void)block;
	return 0;
}

static int end(void **state)
{
	(void)state;
	block_free_all(none);
	return 0;
}

#define BLOCK(address, ...) make(address, (const char *const[]){__VA_ARGS__, NULL})

// Of instructions of 64-bit code, each as hexadecimal digits.
static const struct block *make(uint64_t address, const char *const *instructions)
{
	uint8_t bytes[128], sizes[16];
	size_t count = 0, at = 0;

	for (; instructions[count]; count++) {
		const size_t begin = at;

		for (const char *c = instructions[count]; *c; c += 2) {
			unsigned byte;

			assert_int_equal(sscanf(c, "%2x", &byte), 1);
			bytes[at++] = (uint8_t)byte;
		}
		sizes[count] = (uint8_t)(at - begin);
	}
	return block_make(address, bytes, sizes, count);
}

#define CMP "39c8"	/* cmp eax, ecx */
#define TEST "85c0"	/* test eax, eax */
#define JNZ "75fe"
#define JS "78fe"
#define NOP "90"
#define FADD "d8c1"
#define PADDD "0ffec1"
#define LOAD "8b00"	/* mov eax, [rax] */
#define PUSH "50"
#define ADD_TO "0100"	/* add [rax], eax */

static void raises(const struct block *block, enum happening what, unsigned expected)
{
	assert_int_equal(block->raises[what], expected);
}

static void sums_are_those_of_the_instructions(void **state)
{
	const struct block *block = BLOCK(HERE, LOAD, PUSH, ADD_TO, NOP, LOAD);

	(void)state;
	raises(block, HAPPENING_DECODED, 5);
	raises(block, HAPPENING_LOADS, 3);
	raises(block, HAPPENING_STORES, 2);
	assert_int_equal(block->behind, HERE + 8);
	assert_int_equal(block_address(block, 3), HERE + 5);
}

static void pairs_are_fused(void **state)
{
	static const struct {
		const char *first, *second;
		unsigned fused;
	} pairs[] = {
		{CMP, JNZ, 1}, {CMP, JS, 0}, {TEST, JNZ, 1}, {TEST, JS, 1}, {NOP, JNZ, 0}, {CMP, NOP, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		const struct block *block = BLOCK(HERE, pairs[i].first, pairs[i].second);

		raises(block, HAPPENING_FUSED, pairs[i].fused);
		raises(block, HAPPENING_DECODED, 2 - pairs[i].fused);
	}
	raises(BLOCK(HERE, CMP, NOP, JNZ), HAPPENING_FUSED, 0);
}

#define IS(name) HAPPENING_SET(name)

// The emulator may end a block between the two.
static void pairs_are_fused_across_blocks(void **state)
{
	const struct block *first = BLOCK(HERE, NOP, CMP), *second = BLOCK(HERE + 3, JNZ),
			   *elsewhere = BLOCK(HERE + 5, JNZ);
	struct block_before before = {0};

	(void)state;
	assert_false(block_depends(second, &before));
	assert_int_equal(block_raises(second, 0, &before), IS(DECODED));
	block_retires(first, 2, &before);
	assert_true(block_depends(second, &before));
	assert_int_equal(block_raises(second, 0, &before), IS(FUSED));
	assert_false(block_depends(elsewhere, &before));
	assert_int_equal(block_raises(elsewhere, 0, &before), IS(DECODED));
	// Of the first block only a part has retired.
	block_retires(first, 1, &before);
	assert_false(block_depends(second, &before));
	assert_int_equal(block_raises(second, 0, &before), IS(DECODED));
}

static void the_first_behind_the_other_kind_is_a_change(void **state)
{
	const struct block *block = BLOCK(HERE, FADD, NOP, PADDD, PADDD, FADD), *without = BLOCK(HERE, NOP, NOP);
	struct block_before before = {0};

	(void)state;
	raises(block, HAPPENING_X87, 2);
	raises(block, HAPPENING_MMX, 2);
	raises(block, HAPPENING_MMX_BEHIND_X87, 1);
	raises(block, HAPPENING_X87_BEHIND_MMX, 1);
	assert_true(block_raises(block, 2, &before) & IS(MMX_BEHIND_X87));
	assert_false(block_raises(block, 3, &before) & IS(MMX_BEHIND_X87));
	assert_false(block_depends(block, &before));
	assert_false(block_raises(block, 0, &before) & IS(X87_BEHIND_MMX));
	block_retires(block, 4, &before);
	assert_true(block_depends(block, &before));
	assert_false(block_depends(without, &before));
	assert_true(block_raises(block, 0, &before) & IS(X87_BEHIND_MMX));
	block_retires(without, 2, &before);
	assert_true(block_raises(block, 0, &before) & IS(X87_BEHIND_MMX));
	block_retires(block, 5, &before);
	assert_false(block_depends(block, &before));
	assert_false(block_raises(block, 0, &before) & IS(X87_BEHIND_MMX));
	block_retires(block, 1, &before);
	assert_false(block_raises(block, 0, &before) & IS(X87_BEHIND_MMX));
}

static void the_first_instruction_behind_an_interruption(void **state)
{
	const struct block *block = BLOCK(HERE, NOP, NOP);
	struct block_before before = {0};

	(void)state;
	assert_false(block_depends(block, &before));
	before.interrupted = true;
	assert_true(block_depends(block, &before));
	assert_true(block_raises(block, 0, &before) & IS(INTERRUPTED));
	assert_false(block_raises(block, 1, &before) & IS(INTERRUPTED));
	block_retires(block, 1, &before);
	assert_false(block_raises(block, 0, &before) & IS(INTERRUPTED));
}

// Where it leads to what is behind it, a conditional branch is not taken; others are.
static void what_its_branch_is_says_where_it_leads(void **state)
{
	const struct block *conditional = BLOCK(HERE, NOP, JNZ), *jump = BLOCK(HERE, NOP, "eb00");

	(void)state;
	assert_int_equal(conditional->led[0], OCCURRENCE_BRANCH | OCCURRENCE_KIND_CONDITIONAL);
	assert_int_equal(conditional->led[1], OCCURRENCE_BRANCH | OCCURRENCE_KIND_CONDITIONAL | OCCURRENCE_TAKEN);
	assert_int_equal(conditional->branches[0], HAPPENING_BRANCH_NOT_TAKEN);
	assert_int_equal(conditional->branches[1], HAPPENING_BRANCH_CONDITIONAL);
	for (unsigned elsewhere = 0; elsewhere < 2; elsewhere++) {
		assert_int_equal(jump->led[elsewhere],
				 OCCURRENCE_BRANCH | OCCURRENCE_KIND_JUMP | OCCURRENCE_TAKEN);
		assert_int_equal(jump->branches[elsewhere], HAPPENING_BRANCH_JUMP);
		assert_int_equal(BLOCK(HERE, NOP, NOP)->led[elsewhere], 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(sums_are_those_of_the_instructions, end),
		cmocka_unit_test_teardown(pairs_are_fused, end),
		cmocka_unit_test_teardown(pairs_are_fused_across_blocks, end),
		cmocka_unit_test_teardown(the_first_behind_the_other_kind_is_a_change, end),
		cmocka_unit_test_teardown(the_first_instruction_behind_an_interruption, end),
		cmocka_unit_test_teardown(what_its_branch_is_says_where_it_leads, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
