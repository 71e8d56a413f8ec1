// SPDX-License-Identifier: BSD-2-Clause
// The plugin's classification of SPARC instructions, for GNU as's encodings
// (tests/vectors/sparct4-encodings.tab) and the lists of the SPARC T4 Supplement's Table 10-2
// (sparct4-groups.tab). Branch conditions: The SPARC Architecture Manual, version 9, A.3 to A.7.

#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "cpu_event.h"
#include "model.h"
#include "../pmu/vectors.h"

#include "../../../hal/emu/qemu/sparc64/class.h"

#define RAISES(name) CPU_EVENT_SET(name)

static struct rows encodings_, lists;

enum { LISTED, WORD, EVENT, OF_SL_4, NTC, TEXT, COLUMNS };

static int read_all(void **state)
{
	(void)state;
	read_rows("tests/vectors/sparct4-encodings.tab", COLUMNS, &encodings_);
	read_rows("tests/vectors/sparct4-groups.tab", 2, &lists);
	return 0;
}

// The events that instructions of a list may raise.
static const struct {
	const char *event;
	uint64_t raises;
} kinds[] = {
	{"Branches", 0},
	{"Instr_ld", RAISES(LOADS) | RAISES(STATE_READ)},
	{"Instr_st", RAISES(STORES) | RAISES(BARRIER)},
	{"SPR_ring_ops", RAISES(REGISTER)}, {"Instr_other", RAISES(PLAIN)},
	{"Instr_FGU_crypto", RAISES(FLOATING)},
	{"Atomics", RAISES(ATOMIC)}, {"SW_prefetch", RAISES(PREFETCH)},
	{"Block_ld_st", RAISES(BLOCK)},
	{"Sw_count_intr", RAISES(SOFTWARE_COUNT)}, {"-", 0},
};

static uint64_t raises_of(const char *event)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kinds[i].event, event))
			return kinds[i].raises;
	fail_msg("%s", event);
	return 0;
}

static bool is_one(uint64_t set)
{
	return set && !(set & (set - 1));
}

static void each_is_of_one_kind(void **state)
{
	const uint64_t sorts = RAISES(ATOMIC) | RAISES(PREFETCH) | RAISES(BLOCK) |
		RAISES(SOFTWARE_COUNT);

	(void)state;
	for (const struct row *r = encodings_.row; r < encodings_.row + encodings_.count; r++) {
		const struct sparc64_class c = sparc64_classify(hexadecimal(r->field[WORD]),
								SPARC64_ASI_UNKNOWN);
		const bool branch = !strcmp(r->field[EVENT], "Branches");

		print_message("%s\n", r->field[TEXT]);
		assert_int_equal(!!c.branch, branch);
		assert_true(branch ? c.raises == 0 : is_one(c.raises & ~sorts));
		assert_int_equal(c.raises & ~sorts & ~raises_of(r->field[EVENT]), 0);
		assert_int_equal(c.raises & sorts, raises_of(r->field[OF_SL_4]));
		assert_int_equal(c.commits, !strcmp(r->field[NTC], "ntc"));
	}
}

static void all_that_is_listed_is_known(void **state)
{
	(void)state;
	for (const struct row *l = lists.row; l < lists.row + lists.count; l++) {
		unsigned found = 0;

		for (const struct row *r = encodings_.row; r < encodings_.row + encodings_.count;
		     r++) {
			if (strcmp(r->field[LISTED], l->field[1]))
				continue;
			assert_string_equal(r->field[EVENT], l->field[0]);
			found++;
		}
		if (!found)
			fail_msg("%s", l->field[1]);
	}
}

// %asi: the ASI register decides.
static void alternate_spaces_of_the_register(void **state)
{
	// ldxa [%o0 + 8] %asi, %o2; stda %f16, [%o0] %asi
	const uint32_t ldxa = 0xD4DA2008, stda = 0xE1BA2000;

	(void)state;
	assert_int_equal(sparc64_classify(ldxa, 0x80).raises, RAISES(LOADS));
	assert_int_equal(sparc64_classify(ldxa, 0xB0).raises, RAISES(REGISTER));
	assert_true(sparc64_classify(ldxa, 0xB0).commits);
	assert_int_equal(sparc64_classify(ldxa, 0x55).raises, RAISES(PLAIN));
	assert_int_equal(sparc64_classify(stda, 0x80).raises, RAISES(STORES));
	assert_int_equal(sparc64_classify(stda, 0xF0).raises, RAISES(STORES) | RAISES(BLOCK));
}

//
// Branches
//

static void branches(void **state)
{
	static const struct {
		uint32_t word;
		const char *text;
		uint8_t kind, goes;
		bool annuls;
		int32_t displacement;
	} cases[] = {
		{0x10680010, "ba,pt %xcc, . + 64", OCCURRENCE_KIND_JUMP, SPARC64_ALWAYS, false, 64},
		{0x30800010, "ba,a . + 64", OCCURRENCE_KIND_JUMP, SPARC64_ALWAYS, true, 64},
		{0x00800010, "bn . + 64", OCCURRENCE_KIND_CONDITIONAL, SPARC64_NEVER, false, 64},
		{0x20800010, "bn,a . + 64", OCCURRENCE_KIND_CONDITIONAL, SPARC64_NEVER, true, 64},
		{0x12BFFFF0, "bne . - 64", OCCURRENCE_KIND_CONDITIONAL, SPARC64_IF, false, -64},
		{0x384FFFF0, "bgu,a %icc, . - 64", OCCURRENCE_KIND_CONDITIONAL, SPARC64_IF, true,
		 -64},
		{0x02800002, "be . + 8", OCCURRENCE_KIND_CONDITIONAL, SPARC64_ALWAYS, false, 8},
		{0x22800002, "be,a . + 8", OCCURRENCE_KIND_CONDITIONAL, SPARC64_IF, true, 8},
		{0x02C24010, "brz,pn %o1, . + 64", OCCURRENCE_KIND_CONDITIONAL, SPARC64_IF, false,
		 64},
		{0x2EFA7FF0, "brgez,a %o1, . - 64", OCCURRENCE_KIND_CONDITIONAL, SPARC64_IF, true,
		 -64},
		{0x13800010, "fbe . + 64", OCCURRENCE_KIND_CONDITIONAL, SPARC64_IF, false, 64},
		{0x276FFFF0, "fbul,a %fcc2, . - 64", OCCURRENCE_KIND_CONDITIONAL, SPARC64_IF, true,
		 -64},
		{0x11800010, "fba . + 64", OCCURRENCE_KIND_JUMP, SPARC64_ALWAYS, false, 64},
		{0x40000400, "call . + 4096", OCCURRENCE_KIND_CALL, SPARC64_ALWAYS, false, 4096},
		{0x7FFFFC00, "call . - 4096", OCCURRENCE_KIND_CALL, SPARC64_ALWAYS, false, -4096},
		{0x9FC24000, "call %o1", OCCURRENCE_KIND_CALL_INDIRECT, SPARC64_ALWAYS, false, 0},
		{0x81C26004, "jmp %o1 + 4", OCCURRENCE_KIND_JUMP_INDIRECT, SPARC64_ALWAYS, false,
		 0},
		{0x81C3E008, "retl", OCCURRENCE_KIND_RETURN, SPARC64_ALWAYS, false, 0},
		{0x81C7E008, "ret", OCCURRENCE_KIND_RETURN, SPARC64_ALWAYS, false, 0},
		{0x81C7E00C, "jmp %i7 + 12", OCCURRENCE_KIND_RETURN, SPARC64_ALWAYS, false, 0},
		{0x81CFE008, "return %i7 + 8", OCCURRENCE_KIND_RETURN, SPARC64_ALWAYS, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct sparc64_class c = sparc64_classify(cases[i].word, SPARC64_ASI_UNKNOWN);

		print_message("%s\n", cases[i].text);
		assert_int_equal(c.branch, cases[i].kind);
		assert_int_equal(c.goes, cases[i].goes);
		assert_int_equal(c.annuls, cases[i].annuls);
		assert_int_equal(c.displacement, cases[i].displacement);
	}
}

#define ASSEMBLED_COND(word, cond)	((word) | (uint32_t)(cond) << 25)

// One column for each value of NZVC, 0 to 15. Conditions 8 to 15 are the opposites of 0 to 7.
static void integer_conditions(void **state)
{
	static const char goes[8][17] = {
		"0000000000000000",	// n
		"0000111100001111",	// e: Z
		"0011111111001111",	// le: Z or (N xor V)
		"0011001111001100",	// l: N xor V
		"0101111101011111",	// leu: C or Z
		"0101010101010101",	// cs: C
		"0000000011111111",	// neg: N
		"0011001100110011",	// vs: V
	};

	(void)state;
	for (unsigned cond = 0; cond < 16; cond++)
		for (unsigned nzvc = 0; nzvc < 16; nzvc++) {
			// b, b %icc, b %xcc
			const bool expected = (goes[cond % 8][nzvc] == '1') != (cond >= 8);
			const struct sparc64_state icc =
				{.ccr = (uint8_t)(nzvc | (15 - nzvc) << 4)},
						   xcc =
						   {.ccr = (uint8_t)(nzvc << 4 | (15 - nzvc))};

			assert_int_equal(sparc64_goes(ASSEMBLED_COND(0x00800010, cond), &icc),
					 expected);
			assert_int_equal(sparc64_goes(ASSEMBLED_COND(0x00400010, cond), &icc),
					 expected);
			assert_int_equal(sparc64_goes(ASSEMBLED_COND(0x00600010, cond), &xcc),
					 expected);
		}
}

// One column for each of E, L, G, U.
static void floating_conditions_(void **state)
{
	static const char goes[16][5] = {
		// n ne lg ul l ug g u
		"0000", "0111", "0110", "0101", "0100", "0011", "0010", "0001",
		// a e ue ge uge le ule o
		"1111", "1000", "1001", "1010", "1011", "1100", "1101", "1110",
	};
	static const unsigned places[] = {10, 32, 34, 36};

	(void)state;
	for (unsigned cond = 0; cond < 16; cond++)
		for (uint64_t fcc = 0; fcc < 4; fcc++)
			for (unsigned n = 0; n < 4; n++) {
				const struct sparc64_state s = {.fsr = fcc << places[n]};
				const bool expected = goes[cond][fcc] == '1';

				assert_int_equal(sparc64_goes(ASSEMBLED_COND(0x01400010 | n << 20,
									     cond), &s),
						 expected);	// fb %fccn
				if (!n)
					assert_int_equal(sparc64_goes(ASSEMBLED_COND(0x01800010,
										     cond), &s),
										     expected);
			}
}

static void register_conditions(void **state)
{
	static const struct {
		unsigned rcond;
		bool negative, zero, positive;
	} cases[] = {
		{1, false, true, false}, {2, true, true, false}, {3, true, false, false},
		{5, true, false, true}, {6, false, false, true}, {7, false, true, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const uint32_t word = ASSEMBLED_COND(0x00C24010, cases[i].rcond);	// br %o1

		assert_int_equal(sparc64_goes(word, &(struct sparc64_state){.registers[9] = -5ULL}),
				 cases[i].negative);
		assert_int_equal(sparc64_goes(word, &(struct sparc64_state){.registers[9] = 0}),
				 cases[i].zero);
		assert_int_equal(sparc64_goes(word, &(struct sparc64_state){.registers[9] = 1}),
				 cases[i].positive);
		// The condition depends on all 64 bits.
		assert_int_equal(sparc64_goes(word,
					      &(struct sparc64_state){.registers[9] = 1ULL << 32}),
				 cases[i].positive);
	}
}

static void what_branches_raise(void **state)
{
	const struct sparc64_class bne = sparc64_classify(0x12BFFFF0, 0),
	bn = sparc64_classify(0x00800010, 0),
				   call = sparc64_classify(0x40000400, 0),
				   nop = sparc64_classify(0x01000000, 0);

	(void)state;
	assert_int_equal(sparc64_branch_raises(&bne, true), RAISES(BRANCH_CONDITIONAL));
	assert_int_equal(sparc64_branch_raises(&bne, false), RAISES(BRANCH_NOT_TAKEN));
	assert_int_equal(sparc64_branch_raises(&bn, false), RAISES(BRANCH_NOT_TAKEN));
	assert_int_equal(sparc64_branch_raises(&call, true), RAISES(BRANCH_CALL));
	assert_int_equal(sparc64_branch_raises(&nop, true), 0);
	assert_false(sparc64_goes(0x01000000, &(struct sparc64_state){0}) && nop.branch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_of_one_kind),
		cmocka_unit_test(all_that_is_listed_is_known),
		cmocka_unit_test(alternate_spaces_of_the_register),
		cmocka_unit_test(branches), cmocka_unit_test(integer_conditions),
		cmocka_unit_test(floating_conditions_), cmocka_unit_test(register_conditions),
		cmocka_unit_test(what_branches_raise),
	};

	return cmocka_run_group_tests(tests, read_all, NULL);
}
