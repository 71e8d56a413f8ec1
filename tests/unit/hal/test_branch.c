// SPDX-License-Identifier: BSD-2-Clause
// Branches in code of 16, 32 and 64 bits (hal/emu/guest/branch.c): which are taken wherever they go, and what says so
// of a conditional one that goes to the next instruction. Encodings: SDM volume 2, appendix A, and Jcc, LOOP.

#include "unit.h"

#include <string.h>

#include "../../../hal/emu/guest/branch.c"
#include "../../../hal/emu/svm/taken.c"

#define IP 0x2000

static struct decoded decode_bytes(const char *bytes, size_t size, unsigned bits)
{
	return branch_decode((const uint8_t *)bytes, size, IP, bits);
}

#define DECODE(bytes, bits) decode_bytes(bytes, sizeof (bytes) - 1, bits)

static void calls_and_jumps_are_taken_wherever_they_go(void **state)
{
	const struct decoded branches[] = {
		DECODE("\xE8\0\0\0\0", 64), DECODE("\xE8\0\0", 16), DECODE("\xEB\0", 32), DECODE("\xE9\0\0\0\0", 32),
		DECODE("\xFF\xD0", 64), DECODE("\xFF\xE0", 32), DECODE("\xC3", 64), DECODE("\xCF", 32),
	};

	(void)state;
	for (size_t i = 0; i < sizeof branches / sizeof *branches; i++) {
		assert_int_not_equal(branches[i].kind, 0);
		for (uint64_t to = 0; to <= IP + 8; to++)
			assert_true(decode_is_taken(&branches[i], to, 0, 0));
	}
}

// By ZF (bit 6): JZ of each form, and with a distance.
static void conditional_ones_to_the_next_instruction_are_by_their_condition(void **state)
{
	const struct {
		struct decoded branch;
		unsigned length;
		bool to_next;
	} cases[] = {
		{DECODE("\x74\0", 64), 2, true}, {DECODE("\x74\0", 16), 2, true}, {DECODE("\x74\1", 32), 2, false},
		{DECODE("\x0F\x84\0\0\0\0", 64), 6, true}, {DECODE("\x0F\x84\0\0\0\0", 32), 6, true},
		{DECODE("\x0F\x84\0\0", 16), 4, true}, {DECODE("\x66\x0F\x84\0\0", 32), 5, true},
		{DECODE("\x66\x0F\x84\0\0\0\0", 16), 7, true}, {DECODE("\x0F\x84\0\0\0\1", 64), 6, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const uint64_t next = IP + cases[i].length;

		assert_int_equal(cases[i].branch.next, next);
		assert_false(decode_is_taken(&cases[i].branch, next, 0, 0));
		assert_int_equal(decode_is_taken(&cases[i].branch, next, 1 << 6, 0), cases[i].to_next);
		assert_true(decode_is_taken(&cases[i].branch, next + 1, 0, 0));
	}
}

// The count register is as long as an address.
static void loops_count_in_a_register_of_the_mode(void **state)
{
	const struct {
		struct decoded branch;
		unsigned size;
	} cases[] = {
		{DECODE("\xE2\0", 64), 8}, {DECODE("\x67\xE2\0", 64), 4}, {DECODE("\xE2\0", 32), 4},
		{DECODE("\x67\xE2\0", 32), 2}, {DECODE("\xE2\0", 16), 2}, {DECODE("\x67\xE2\0", 16), 4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct decoded *b = &cases[i].branch;
		const uint64_t highest = 1ULL << (8 * cases[i].size - 1);

		assert_int_equal(b->count_size, cases[i].size);
		assert_true(decode_is_taken(b, b->next, 0, highest));
		assert_false(decode_is_taken(b, b->next, 0, cases[i].size == 8 ? 0 : highest << 1));
	}
}

static void the_next_instruction_is_in_the_segment(void **state)
{
	const uint8_t jump[] = {0x74, 0x10};

	(void)state;
	assert_int_equal(branch_decode(jump, 2, 0xFFFE, 16).next, 0);
	assert_int_equal(branch_decode(jump, 2, 0xFFFFFFFE, 32).next, 0);
	assert_int_equal(branch_decode(jump, 2, 0xFFFFFFFE, 64).next, 0x100000000);
}

// Its distance is not there: then it is none of those to the next instruction, and no byte behind the end is read.
static void cut_off_branches_are_by_their_opcode(void **state)
{
	(void)state;
	assert_int_equal(DECODE("\x74", 64).condition, 0);
	assert_int_equal(DECODE("\x0F\x84\0\0\0", 64).condition, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_and_jumps_are_taken_wherever_they_go),
		cmocka_unit_test(conditional_ones_to_the_next_instruction_are_by_their_condition),
		cmocka_unit_test(loops_count_in_a_register_of_the_mode),
		cmocka_unit_test(the_next_instruction_is_in_the_segment),
		cmocka_unit_test(cut_off_branches_are_by_their_opcode),
	};

	return cmocka_run_group_tests_name("branches of all modes", tests, NULL, NULL);
}
