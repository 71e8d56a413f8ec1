// SPDX-License-Identifier: BSD-2-Clause
// The hyperprivileged monitor's look at single instructions: which access a load or store is, which instructions
// change the level. The words are GNU as's for the text beside them.

#include "unit.h"

#include "../../../hal/emu/hyper/decode.c"

#define LENGTH(array) (sizeof array / sizeof *array)

#define ASI	0x24	/* what the ASI register holds */

struct code {
	uint32_t word;
	const char *text;
};

// Each register holds 1000 and its number; %g0 is 0.
static void fill(uint64_t registers[32])
{
	registers[0] = 0;
	for (unsigned i = 1; i < 32; i++)
		registers[i] = 1000 + i;
}

static void accesses(void **state)
{
	static const struct {
		struct code code;
		struct access access;
		uint64_t address;
	} cases[] = {
		{{0xD0D84C80, "ldxa [%g1] 0x64, %o0"}, {.alternate = true, .asi = 0x64, .rd = 8}, 1001},
		{{0xF6DA5612, "ldxa [%o1 + %l2] 0xB0, %i3"},
			{.alternate = true, .asi = 0xB0, .rd = 27}, 1009 + 1018},
		{{0xC6DF3FF8, "ldxa [%i4 - 8] %asi, %g3"},
			{.alternate = true, .asi = ASI, .rd = 3}, 1028 - 8},
		{{0xDED82018, "ldxa [%g0 + 24] %asi, %o7"}, {.alternate = true, .asi = ASI, .rd = 15}, 24},
		{{0xEAF08C80, "stxa %l5, [%g2 + %g0] 0x64"},
			{.store = true, .alternate = true, .asi = 0x64, .rd = 21}, 1002},
		{{0xC0F3AFFF, "stxa %g0, [%sp + 4095] %asi"},
			{.store = true, .alternate = true, .asi = ASI, .rd = 0}, 1014 + 4095},
		{{0xE05AA008, "ldx [%o2 + 8], %l0"}, {.rd = 16}, 1010 + 8},
		{{0xF074400B, "stx %i0, [%l1 + %o3]"}, {.store = true, .rd = 24}, 1017 + 1011},
		{{0xD0D85000, "ldxa [%g1] 0x80, %o0"}, {.alternate = true, .asi = 0x80, .rd = 8}, 1001},
	};
	uint64_t registers[32];

	(void)state;
	fill(registers);
	for (size_t i = 0; i < LENGTH(cases); i++) {
		const struct access *expected = &cases[i].access;
		struct access found;

		print_message("%s\n", cases[i].code.text);
		assert_true(decode_access(cases[i].code.word, ASI, &found));
		assert_int_equal(found.store, expected->store);
		assert_int_equal(found.alternate, expected->alternate);
		if (expected->alternate)
			assert_int_equal(found.asi, expected->asi);
		assert_int_equal(found.rd, expected->rd);
		assert_int_equal(registers[found.rs1] + registers[found.rs2] + (uint64_t)(int64_t)found.immediate,
				 cases[i].address);
	}
}

static void other_instructions(void **state)
{
	static const struct code cases[] = {
		{0xD0804C80, "lduwa [%g1] 0x64, %o0"},
		{0xD0084000, "ldub [%g1], %o0"},
		{0xD0184000, "ldd [%g1], %o0"},
		{0xC1004000, "ld [%g1], %f0"},
		{0xD0284000, "stb %o0, [%g1]"},
		{0x86004002, "add %g1, %g2, %g3"},
		{0xD5F21009, "casxa [%o0] 0x80, %o1, %o2"},
		{0xD0985000, "ldda [%g1] 0x80, %o0"},
		{0x01000000, "nop"},
		{0x91410000, "rd %tick, %o0"},
	};
	struct access access;

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		print_message("%s\n", cases[i].text);
		assert_false(decode_access(cases[i].word, ASI, &access));
	}
}

static void single_instructions(void **state)
{
	(void)state;
	assert_true(decode_is_wrpr_pstate(0x8D902012));
	assert_false(decode_is_wrpr_pstate(0x8F902000));
	assert_false(decode_is_wrpr_pstate(0x01000000));
	assert_true(decode_is_wrhpr_hpstate(0x81982000));	// wrhpr %g0, 0, %hpstate
	assert_true(decode_is_wrhpr_hpstate(0x81984002));	// wrhpr %g1, %g2, %hpstate
	assert_false(decode_is_wrhpr_hpstate(0x8B9A2000));	// wrhpr %o0, 0, %htba
	assert_false(decode_is_wrhpr_hpstate(0x8D902012));
	assert_false(decode_is_wrhpr_hpstate(0x83480000));	// rdhpr %hpstate, %g1
	assert_false(decode_is_halt(0x8B9A2000));
	assert_true(decode_is_floating_branch(0x13800010));	// fbe . + 64
	assert_true(decode_is_floating_branch(0x276FFFF0));	// fbul,a %fcc2, . - 64
	assert_false(decode_is_floating_branch(0x12BFFFF0));	// bne . - 64
	assert_false(decode_is_floating_branch(0x89A108C6));	// faddd %f4, %f6, %f4
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses), cmocka_unit_test(other_instructions), cmocka_unit_test(single_instructions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
