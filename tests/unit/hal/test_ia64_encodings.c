// SPDX-License-Identifier: BSD-2-Clause
// Compares the table of ia64 encodings with another project's disassembler: the listings of
// binutils' tests of all instructions (gas/testsuite/gas/ia64/opc-*.d of Debian's binutils-source),
// bundle by bundle. tests/objs.mk unpacks them.

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../hal/emu/ia64/encoding.h"

#define LINE_MOST 256

// A line of a listing: " 1f6:\t40 28 2c 28 3b 80 \t[MII] mux1 r4=r5,@rev", with the escapes of
// regular expressions.
struct line {
	uint64_t address;
	uint8_t bytes[BUNDLE_BYTES];
	unsigned count;
	char text[LINE_MOST];
};

// Removes differences in notation: a number's 0x, the name after a target's address, spaces.
static void normalize(char *text)
{
	char *to = text;

	for (const char *from = text; *from && *from != '\n'; from++)
		if (from[0] == '0' && from[1] == 'x')
			from++;
		else if (*from == '<' && strchr(from, '>'))
			from = strchr(from, '>');
		else if (*from != ' ' && *from != '\\')
			*to++ = *from;
	*to = '\0';
}

static bool parse(const char *text, struct line *line)
{
	const char *at = strchr(text, ':');

	*line = (struct line){.address = strtoull(text, NULL, 16)};
	if (!at || at[1] != '\t')
		return false;
	at += 2;
	for (unsigned byte;
	     line->count < BUNDLE_BYTES && *at != '\t' && sscanf(at, "%2x ", &byte) == 1; at += 3) {
		line->bytes[line->count++] = (uint8_t)byte;
		at += strspn(at + 3, " ");
	}
	at += strspn(at, "\t ");
	if (!strncmp(at, "\\[", 2))
		at = strchr(at, ']') + 1;
	strcpy(line->text, at);
	normalize(line->text);
	return line->count > 0;
}

// The slots of a bundle are three lines, of 6, 6 and 4 bytes; with a long instruction the last two
// have one text.
static unsigned compare_listing(FILE *listing)
{
	uint8_t bytes[BUNDLE_BYTES];
	char texts[BUNDLE_SLOTS][LINE_MOST], line[LINE_MOST], text[LINE_MOST];
	unsigned slots = 0, filled = 0, in_bundle = 0;
	struct line parsed;

	while (fgets(line, sizeof line, listing)) {
		if (!parse(line, &parsed))
			continue;
		assert_int_equal(parsed.address % BUNDLE_BYTES, filled);
		assert_true(filled + parsed.count <= BUNDLE_BYTES);
		memcpy(bytes + filled, parsed.bytes, parsed.count);
		strcpy(texts[in_bundle++], parsed.text);
		filled += parsed.count;
		if (filled < BUNDLE_BYTES)
			continue;

		const struct bundle bundle = ia64_bundle(bytes);
		const bool is_long = bundle.template->unit[2] == UNIT_X;
		const uint64_t address = parsed.address - parsed.address % BUNDLE_BYTES;

		assert_int_equal(in_bundle, BUNDLE_SLOTS);
		for (unsigned slot = 0; slot < BUNDLE_SLOTS; slot++) {
			if (bundle.template->unit[slot] == UNIT_NONE)
				continue;
			assert_true(ia64_disassemble(&bundle, slot, address, true, text,
						     sizeof text));
			normalize(text);
			assert_string_equal(text, texts[is_long && slot == 2 ? 1 : slot]);
			slots++;
		}
		filled = in_bundle = 0;
	}
	return slots;
}

// The number of lines with an instruction in each file: grep -cP '^\s*[0-9a-f]+:\t([0-9a-f]{2}
// )+\s*\t\s*\S'.
static void each_instruction_is_as_binutils_prints_it(void **)
{
	static const struct {
		const char *unit;
		unsigned instructions;
	} listings[] = {{"a", 354}, {"i", 294}, {"m", 1350}, {"b", 1011}, {"f", 1563}, {"x", 20}};

	for (size_t i = 0; i < sizeof listings / sizeof *listings; i++) {
		char name[LINE_MOST];
		FILE *listing;

		snprintf(name, sizeof name, "%s/opc-%s.d", IA64_LISTINGS, listings[i].unit);
		listing = fopen(name, "r");
		assert_non_null(listing);
		assert_int_equal(compare_listing(listing), listings[i].instructions);
		fclose(listing);
	}
}

// Manual, table 4-3: templates 06H, 07H, 14H, 15H, 1AH, 1BH, 1EH and 1FH are reserved.
static void reserved_templates_have_no_slots(void **)
{
	static const uint8_t reserved[] = {0x06, 0x07, 0x14, 0x15, 0x1A, 0x1B, 0x1E, 0x1F};
	unsigned found = 0;

	for (uint8_t template = 0; template < 32; template++) {
		const struct bundle bundle = ia64_bundle((uint8_t[BUNDLE_BYTES]){template});

		if (bundle.template->unit[0] != UNIT_NONE)
			continue;
		assert_true(found < sizeof reserved);
		assert_int_equal(template, reserved[found++]);
	}
	assert_int_equal(found, sizeof reserved);
}

// Manual, table 4-2: major opcodes without instructions for this unit.
static void major_opcodes_without_instructions_are_undefined(void **)
{
	static const struct {
		enum unit unit;
		uint8_t opcodes[8];
	} absent[] = {
		{UNIT_M, {2, 3, 0xA, 0xB, 0xF}}, {UNIT_I, {1, 2, 3, 6, 0xA, 0xB, 0xF}},
		{UNIT_F, {2, 3, 6, 7, 0xF}},
		{UNIT_B, {3, 6, 8, 9, 0xA, 0xB}}, {UNIT_X, {1, 2, 3, 4, 5, 7, 8}},
	};

	for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
		for (const uint8_t *opcode = absent[i].opcodes; *opcode; opcode++)
			for (uint64_t bits = 0; bits < 1ULL << 37; bits += (1ULL << 37) / 1021)
				assert_int_equal(ia64_decode(absent[i].unit,
							     (uint64_t)*opcode << 37 | bits),
						 ENCODINGS);
}

// At most one row of the table matches any instruction.
static void encodings_exclude_each_other(void **)
{
	for (unsigned i = 0; i < ENCODINGS; i++) {
		const struct format *f = &ia64_formats[ia64_encodings[i].format];

		assert_int_equal(ia64_encodings[i].value & ~f->mask, 0);
		for (unsigned j = 0; j < i; j++) {
			const struct format *g = &ia64_formats[ia64_encodings[j].format];
			const bool together = f->unit == g->unit ||
				(g->unit == UNIT_A && f->unit != UNIT_B &&
								      f->unit != UNIT_F &&
								      f->unit != UNIT_X);

			if (together)
				assert_true((ia64_encodings[i].value ^ ia64_encodings[j].value) &
					    f->mask & g->mask);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_instruction_is_as_binutils_prints_it),
		cmocka_unit_test(reserved_templates_have_no_slots),
		cmocka_unit_test(major_opcodes_without_instructions_are_undefined),
		cmocka_unit_test(encodings_exclude_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
