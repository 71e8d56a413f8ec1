// SPDX-License-Identifier: BSD-2-Clause
// Decodes the bits of a bundle.

#include "encoding.h"

#include <string.h>

#include "traits.h"

#define TEMPLATE_BITS	5

static uint64_t bits(uint64_t value, unsigned low, unsigned width)
{
	return value >> low & ((1ULL << width) - 1);
}

struct bundle ia64_bundle(const uint8_t bytes[BUNDLE_BYTES])
{
	uint64_t half[2] = {0};
	struct bundle bundle;

	for (unsigned i = 0; i < BUNDLE_BYTES; i++)
		half[i / 8] |= (uint64_t)bytes[i] << i % 8 * 8;
	bundle.template = &ia64_templates[bits(half[0], 0, TEMPLATE_BITS)];
	bundle.slot[0] = bits(half[0], TEMPLATE_BITS, SLOT_BITS);
	bundle.slot[1] = bits(half[0], 46, 18) | bits(half[1], 0, 23) << 18;
	bundle.slot[2] = bits(half[1], 23, SLOT_BITS);
	return bundle;
}

bool ia64_is_predicated(enum ia64_format format)
{
	return !(ia64_formats[format].traits & TRAIT_UNPREDICATED);
}

enum ia64_encoding ia64_decode(enum unit unit, uint64_t slot)
{
	for (unsigned i = 0; i < ENCODINGS; i++) {
		const struct format *f = &ia64_formats[ia64_encodings[i].format];
		const bool fits = f->unit == unit ||
			(f->unit == UNIT_A && (unit == UNIT_I || unit == UNIT_M));

		if (fits && (slot & f->mask) == ia64_encodings[i].value)
			return (enum ia64_encoding)i;
	}
	return ENCODINGS;
}

const struct operand *ia64_find_operand(const char *name, size_t length)
{
	for (size_t i = 0; i < ia64_operand_count; i++)
		if (strlen(ia64_operands[i].name) == length &&
		    !memcmp(ia64_operands[i].name, name, length))
			return &ia64_operands[i];
	return NULL;
}

int64_t ia64_operand(const struct operand *operand, uint64_t slot, uint64_t long_slot)
{
	static const int8_t increments[] = {16, 8, 4, 1, -16, -8, -4, -1};
	static const int8_t multiply_shifts[] = {0, 7, 15, 16};
	uint64_t value = 0;
	unsigned width = 0;

	for (unsigned i = 0; i < sizeof operand->piece / sizeof *operand->piece; i++) {
		const struct bits *p = &operand->piece[i];

		value <<= p->width;
		value |= p->low == LONG_SLOT ? long_slot >> (SLOT_BITS - p->width) :
			bits(slot, p->low, p->width);
		width += p->width;
	}
	if (operand->is_signed && width < 64 && value >> (width - 1))
		value |= -1ULL << width;
	if (operand->kind == OPERAND_INCREMENT)
		return increments[value];
	if (operand->kind == OPERAND_MULTIPLY_SHIFT)
		return multiply_shifts[value];
	value <<= operand->shift;
	return operand->down ? operand->bias - (int64_t)value : operand->bias + (int64_t)value;
}
