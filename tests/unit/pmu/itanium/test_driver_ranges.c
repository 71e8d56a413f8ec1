// SPDX-License-Identifier: BSD-2-Clause
// Address ranges and opcodes of the itanium driver: blocks, and the addresses and opcodes that they
// match (sections 6.1.3 and 6.2).

#include "driver_encode.h"

//
// Ranges
//

struct pair {
	uint64_t address, mask;		// mask without the conditions
};

static void assert_pairs(uint32_t first, const struct pair *pairs, unsigned blocks)
{
	for (unsigned i = 0; i < 4; i++) {
		const struct pair *p = &pairs[i < blocks ? i : blocks - 1];

		assert_setting(first + 2 * i, ~0ULL, p->address, 0);
		assert_int_equal(setting_of(first + 2 * i + 1, ~0ULL)->value & 0x00FFFFFFFFFFFFFF,
				 p->mask);
		// Breakpoint conditions off: no debug fault, and no x bit that would disable the
		// range (6.2.4).
		assert_int_equal(setting_of(first + 2 * i + 1, ~0ULL)->value >> 60, 0);
		assert_int_equal(setting_of(first + 2 * i + 1, ~0ULL)->mask >> 63, 1);
	}
}

// By hand: 0x1000-0x6FFF is 0x1000-0x1FFF, 0x2000-0x3FFF, 0x4000-0x5FFF, 0x6000-0x6FFF.
static void a_range_is_aligned_blocks(void **state)
{
	static const struct pair page[] = {{0x1000, 0x00FFFFFFFFFFF000}};
	static const struct pair bundle[] = {{0x4000, 0x00FFFFFFFFFFFFF0}};
	static const struct pair four[] = {
		{0x1000, 0x00FFFFFFFFFFF000}, {0x2000, 0x00FFFFFFFFFFE000},
		{0x4000, 0x00FFFFFFFFFFE000},
		{0x6000, 0x00FFFFFFFFFFF000},
	};
	static const struct pair byte[] = {{0x4003, 0x00FFFFFFFFFFFFFF}};
	static const struct pair half_region[] = {{0xA000000000000000, 0x00FC000000000000}};
	static const struct pair upper_half[] = {{0xFFFC000000000000, 0x00FC000000000000}};
	static const struct pair lowest[] = {{0, 0x00FFFFFFFFFFF000}};

	static const struct {
		const char *text;
		uint32_t first;
		const struct pair *pairs;
		unsigned blocks;
	} cases[] = {
		{"NOPS_RETIRED:iar=0x1000-0x1FFF", IBR(0), page, 1},
		{"NOPS_RETIRED:iar=0x4000-0x400F", IBR(0), bundle, 1},
		// slots of a bundle: the whole of it
		{"NOPS_RETIRED:iar=0x4002-0x4005", IBR(0), bundle, 1},
		{"NOPS_RETIRED:iar=0x1000-0x6FFF", IBR(0), four, 4},
		{"DATA_REFERENCES_RETIRED:dar=0x4003-0x4003", DBR(0), byte, 1},
		{"DATA_REFERENCES_RETIRED:dar=0x1000-0x6FFF", DBR(0), four, 4},
		{"NOPS_RETIRED:iar=0xA000000000000000-0xA003FFFFFFFFFFFF", IBR(0), half_region, 1},
		{"NOPS_RETIRED:iar=0xFFFC000000000000-0xFFFFFFFFFFFFFFFF", IBR(0), upper_half, 1},
		{"NOPS_RETIRED:iar=0-0xFFF", IBR(0), lowest, 1},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		make_settings(cases[i].text);
		assert_pairs(cases[i].first, cases[i].pairs, cases[i].blocks);
	}
}

static void a_range_that_four_pairs_cannot_match_is_refused(void **state)
{
	static const char *const refused[] = {
		"NOPS_RETIRED:iar=0x1000-0xEFFF",				// six blocks
		// five bundles' worth and more
		"NOPS_RETIRED:iar=0x10-0xFF0",
		// 1, 2, 4, 8, ... : eight
		"DATA_REFERENCES_RETIRED:dar=0x1-0x1E",
		// bit 51 is not a copy of bit 50
		"NOPS_RETIRED:iar=0x0008000000000000-0x0008000000000FFF",
		// nor are all of them
		"NOPS_RETIRED:iar=0x1FF8000000000000-0x1FF8000000000FFF",
		"NOPS_RETIRED:iar=0x0003FFFFFFFFF000-0x0008000000000FFF",
		"NOPS_RETIRED:iar=0x1FFCFFFFFFFFFFF0-0x2000000000000FFF",	// two regions
		"NOPS_RETIRED:iar=0-0xFFFFFFFFFFFFFFFF",
		// with the hole in its middle
		"NOPS_RETIRED:iar=0x0000000000000000-0x1FFFFFFFFFFFFFFF",
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(refused); i++)
		if (choices(refused[i]))
			fail_msg("%s", refused[i]);
}

// Text cannot express this: its parser orders the ends.
static void a_range_that_ends_before_it_begins_is_refused(void **state)
{
	struct event_request r = request("DATA_REFERENCES_RETIRED");

	(void)state;
	r.code_range = (struct event_range){.first = 0x18, .last = 0x10, .given = true};
	assert_int_equal(itanium()->choices(&r), 0);
	r.code_range.given = false;
	r.data_range = (struct event_range){.first = 1, .last = 0, .given = true};
	assert_int_equal(itanium()->choices(&r), 0);
}

// The equation of 6.2.4 (and 6.2.6, which has no plm) for one pair.
static bool matches(const struct pmu_setting *address, const struct pmu_setting *condition,
		    uint64_t x)
{
	const uint64_t a = address->value, m = condition->value;

	for (unsigned b = 0; b <= 63; b++) {
		bool bit = b <= 50 || b >= 61 ? x >> b & 1 : x >> 50 & 1;

		if ((b >= 56 || m >> b & 1) && (a >> b & 1) != bit)
			return false;
	}
	return true;
}

static bool any_matches(uint32_t first, uint64_t x)
{
	bool any = false;

	for (unsigned i = 0; i < 4; i++)
		any |= matches(setting_of(first + 2 * i, ~0ULL),
			       setting_of(first + 2 * i + 1, ~0ULL), x);
	return any;
}

static uint64_t random_state = 0x2545F4914F6CDD1D;

static uint64_t random_bits(unsigned bits)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state >> (64 - bits);
}

// An accepted range matches every address in it, and no other: all addresses of a small space, at
// either end of the implemented addresses of a region.
static void accepted_ranges_match_exactly(void **state)
{
	const uint64_t bases[] = {0, 0x0003FFFFFFFFFF00, 0x1FFC000000000000, 0xE003FFFFFFFFFF00,
				  0xFFFFFFFFFFFFFF00};
	unsigned accepted = 0;

	(void)state;
	for (unsigned n = 0; n < 2000; n++) {
		struct event_request r = request("DATA_REFERENCES_RETIRED");
		uint64_t base = bases[n % LENGTH(bases)], first = random_bits(8),
			last = random_bits(8);

		r.data_range = (struct event_range){.first = base + first, .last = base + last,
						    .given = true};
		if (!itanium()->choices(&r))
			continue;
		accepted++;
		count = itanium()->settings->needed(&r, 4, settings);
		for (uint64_t x = 0; x < 256; x++)
			assert_int_equal(any_matches(DBR(0), base + x), x >= first && x <= last);
	}
	assert_true(accepted > 200);
}

//
// Opcodes (6.2.5, Figure 6-17)
//

// The major opcode, encoding bits 40:37, is in the match field's bits 26:23, PMC8's 59:56; mask
// 29:26.
static void a_major_opcode(void **state)
{
	(void)state;
	// opcode 4: integer loads
	make_settings("IA64_TAGGED_INST_RETIRED.PMC8:opc=0x8000000000/0x1FFFFFFFFF/m");
	assert_setting(PMC(8), OPCODE_BITS, 0x8400000003FFFFF8, ALL_OPCODES);
	make_settings("IA64_TAGGED_INST_RETIRED.PMC9:opc=0x8000000000/0x1FFFFFFFFF/m");
	assert_setting(PMC(9), OPCODE_BITS, 0x8400000003FFFFF8, ALL_OPCODES);
	assert_null(setting_of(PMC(8), ~0ULL));
	make_settings("NOPS_RETIRED:opc=0x8000000000/0x1FFFFFFFFF/m");
	assert_setting(PMC(8), OPCODE_BITS, 0x8400000003FFFFF8, ALL_OPCODES);
}

// Qualifying predicate 42, encoding bits 5:0: match bits 38:33, mask bits 8:3.
static void a_qualifying_predicate(void **state)
{
	(void)state;
	make_settings("NOPS_RETIRED:opc=42/0x1FFFFFFFFC0");
	assert_setting(PMC(8), OPCODE_BITS, 0xF00000543FFFFE00, ALL_OPCODES);
}

static void types_are_the_bits_mifb(void **state)
{
	(void)state;
	make_settings("NOPS_RETIRED:opc=0/0x1FFFFFFFFFF/b");
	assert_setting(PMC(8), OPCODE_BITS, 0x100000003FFFFFF8, ALL_OPCODES);
	make_settings("NOPS_RETIRED:opc=0/0x1FFFFFFFFFF/f");
	assert_setting(PMC(8), OPCODE_BITS, 0x200000003FFFFFF8, ALL_OPCODES);
	make_settings("NOPS_RETIRED:opc=0/0x1FFFFFFFFFF/mi");
	assert_setting(PMC(8), OPCODE_BITS, 0xC00000003FFFFFF8, ALL_OPCODES);
}

// The hardware ignores encoding bits 26:13, so a request for them is refused.
static void uncompared_bits_are_refused(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit <= 40; bit++) {
		struct event_request r = request("NOPS_RETIRED");

		r.opcode = (struct event_opcode){.mask = ~(1ULL << bit), .types = 0xF,
						 .given = true};
		assert_int_equal(!itanium()->choices(&r), bit >= 13 && bit <= 26);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_range_is_aligned_blocks),
		cmocka_unit_test(a_range_that_four_pairs_cannot_match_is_refused),
		cmocka_unit_test(a_range_that_ends_before_it_begins_is_refused),
		cmocka_unit_test(accepted_ranges_match_exactly),
		cmocka_unit_test(a_major_opcode),
		cmocka_unit_test(a_qualifying_predicate),
		cmocka_unit_test(types_are_the_bits_mifb),
		cmocka_unit_test(uncompared_bits_are_refused),
	};

	return cmocka_run_group_tests_name("itanium driver: ranges", tests, driver_start,
					   driver_end);
}
