// SPDX-License-Identifier: BSD-2-Clause
// The plugin's sizes and kinds of SPARC memory references, for GNU as's encodings
// (tests/vectors/sparct4-encodings.tab). The mnemonic determines both (Oracle SPARC Architecture
// 2011, chapter 7).

#include "unit.h"

#include <string.h>

#include "../pmu/vectors.h"

#include "../../../hal/emu/qemu/sparc64/class.h"
#include "../../../hal/emu/qemu/sparc64/operands.h"

enum { LISTED, WORD, EVENT, OF_SL_4, NTC, TEXT, COLUMNS };

// The longest entry that the mnemonic begins with applies.
static const struct {
	const char *mnemonic;
	unsigned size;
	enum through_access access;
} mnemonics[] = {
	{"ldsb", 1, THROUGH_LOAD}, {"ldub", 1, THROUGH_LOAD}, {"ldsh", 2, THROUGH_LOAD},
	{"lduh", 2, THROUGH_LOAD},
	{"ldsw", 4, THROUGH_LOAD}, {"ld", 4, THROUGH_LOAD}, {"ldx", 8, THROUGH_LOAD},
	{"ldd", 8, THROUGH_LOAD},
	{"ldq", 16, THROUGH_WIDE_LOAD}, {"stb", 1, THROUGH_STORE}, {"stbar", 0, THROUGH_LOAD},
	{"sth", 2, THROUGH_STORE}, {"st", 4, THROUGH_STORE}, {"stx", 8, THROUGH_STORE},
	{"std", 8, THROUGH_STORE},
	{"stq", 16, THROUGH_STORE}, {"ldstub", 1, THROUGH_ATOMIC}, {"swap", 4, THROUGH_ATOMIC},
	{"cas", 4, THROUGH_ATOMIC}, {"casx", 8, THROUGH_ATOMIC},
	{"prefetch", 1, THROUGH_PREFETCH_L2},
};

static struct sparc64_access expected_of(const struct row *r, uint32_t word)
{
	const unsigned asi = word >> 5 & 0xFF;
	struct sparc64_access a = {0};
	size_t longest = 0;

	for (size_t i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++)
		if (!strncmp(r->field[TEXT], mnemonics[i].mnemonic,
			     strlen(mnemonics[i].mnemonic)) &&
		    strlen(mnemonics[i].mnemonic) > longest) {
			longest = strlen(mnemonics[i].mnemonic);
			a = (struct sparc64_access){.size = (uint8_t)mnemonics[i].size,
						    .access = mnemonics[i].access};
		}
	if (strstr(r->field[TEXT], "%fsr"))
		a.size = 4;			// or 8: the test needs no difference
	if (a.access != THROUGH_ATOMIC &&
	    (!strcmp(r->field[NTC], "ntc") || !strcmp(r->field[EVENT], "SPR_ring_ops")))
		return (struct sparc64_access){0};	// accesses registers, not memory
	// LDDA with ASI 2xH or ExH, x being 2, 3, 6, 7 or A, B, E, F, is a twin load.
	if (!strncmp(r->field[LISTED], "LDDA_", 5) && (asi >> 4 == 2 || asi >> 4 == 0xE))
		a = (struct sparc64_access){.size = 16, .access = THROUGH_WIDE_LOAD};
	// Block loads and stores are in Table 10-2, sl 4; F1 and E1 are F0 and E0 in the secondary
	// context.
	if (!strcmp(r->field[OF_SL_4], "Block_ld_st") || strstr(r->field[TEXT], "0xf1") ||
	    strstr(r->field[TEXT], "0xe1")) {
		a.size = 64;
		a.access = a.access == THROUGH_LOAD ? THROUGH_WIDE_LOAD : THROUGH_STORE;
		a.commits = asi >> 1 == 0xE0 >> 1;
	}
	return a;
}

static void each_refers_to_as_much_as_its_name_says(void **state)
{
	unsigned accesses = 0;
	struct rows rows;

	(void)state;
	read_rows("tests/vectors/sparct4-encodings.tab", COLUMNS, &rows);
	for (const struct row *r = rows.row; r < rows.row + rows.count; r++) {
		const uint32_t word = hexadecimal(r->field[WORD]);
		const struct sparc64_access is = sparc64_access_of(word, 0x80),
			expected = expected_of(r, word);

		if (is.size != expected.size || (is.size && is.commits != expected.commits) ||
		    (is.size && !is.commits && is.access != expected.access))
			fail_msg("%s: %u bytes, access %u, not %u, %u", r->field[TEXT], is.size,
				 is.access, expected.size, expected.access);
		accesses += is.size != 0;
	}
	assert_true(accesses > 100);
}

// With i = 1, the instruction uses the ASI register.
static void the_register_can_name_the_space(void **state)
{
	// ldda [%o0] %asi, %o2; stda %f16, [%o0] %asi
	const uint32_t ldda_asi = 0xD49A2000, stda_asi = 0xE1BA2000;

	(void)state;
	assert_int_equal(sparc64_access_of(ldda_asi, 0xE2).size, 16);
	assert_int_equal(sparc64_access_of(ldda_asi, 0x80).size, 8);
	assert_int_equal(sparc64_access_of(ldda_asi, 0x45).size, 0);
	assert_int_equal(sparc64_access_of(ldda_asi, SPARC64_ASI_UNKNOWN).size, 8);
	assert_true(sparc64_access_of(stda_asi, 0xE0).commits);
	assert_int_equal(sparc64_access_of(stda_asi, 0xF0).size, 64);
	assert_int_equal(sparc64_access_of(stda_asi, 0xF0).access, THROUGH_STORE);
}

// Table 10-2, sl 21: functions 0 and 14H prefetch into the L1 data cache. Function 4 prefetches a
// page (OSA 2011, PREFETCH).
static void prefetches_by_function(void **state)
{
	const uint32_t prefetch = 0xC16A0000;	// prefetch [%o0], 0

	(void)state;
	for (unsigned function = 0; function < 0x18; function++) {
		const struct sparc64_access a = sparc64_access_of(prefetch | function << 25, 0x80);

		assert_int_equal(a.size, function != 4);
		if (a.size)
			assert_int_equal(a.access, function == 0 ||
					 function == 0x14 ? THROUGH_PREFETCH :
					 THROUGH_PREFETCH_L2);
	}
}

static void addresses_are_made_of_registers(void **state)
{
	uint64_t registers[32] = {[8] = 0x1000, [9] = 0x234};	// %o0, %o1

	(void)state;
	// ldx [%o0 + 8], %o1
	assert_int_equal(sparc64_access_address(0xD25A2008, registers), 0x1008);
	// ldx [%o0 - 8], %o1
	assert_int_equal(sparc64_access_address(0xD25A3FF8, registers), 0xFF8);
	// ldxa [%o0 + %o1] 0x80, %o2
	assert_int_equal(sparc64_access_address(0xD4DA1009, registers), 0x1234);
	// casxa [%o0] 0x80, %o1, %o2
	assert_int_equal(sparc64_access_address(0xD5F21009, registers), 0x1000);
	// casa, likewise
	assert_int_equal(sparc64_access_address(0xD5E21009, registers), 0x1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_refers_to_as_much_as_its_name_says),
		cmocka_unit_test(the_register_can_name_the_space),
		cmocka_unit_test(prefetches_by_function),
		cmocka_unit_test(addresses_are_made_of_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
