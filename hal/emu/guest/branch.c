// SPDX-License-Identifier: BSD-2-Clause
// Branches by their opcodes: branch.h.

#include "branch.h"

#include <stdbool.h>
#include <string.h>

#include "model.h"

#define TWO_BYTES	0x0F
#define INDIRECT	0xFF

// An immediate as long as the operand: 2 or 4 bytes.
#define BY_OPERAND	0xFF

// From `first` to `last`; `immediate` of conditional branches only; those of some modes only.
struct opcode {
	uint8_t first, last, kind, immediate;
	bool not_64;
};

static const struct opcode one_byte[] = {
	{0x70, 0x7F, OCCURRENCE_KIND_CONDITIONAL, 1, false},
	{0x9A, 0x9A, OCCURRENCE_KIND_FAR, 0, true},		// CALL pointer
	{0xC2, 0xC3, OCCURRENCE_KIND_RETURN, 0, false},
	{0xCA, 0xCD, OCCURRENCE_KIND_FAR, 0, false},		// RETF, INT3, INT n
	{0xCF, 0xCF, OCCURRENCE_KIND_FAR, 0, false},		// IRET
	{0xE0, 0xE3, OCCURRENCE_KIND_CONDITIONAL, 1, false},	// LOOPNE, LOOPE, LOOP, JCXZ
	{0xE8, 0xE8, OCCURRENCE_KIND_CALL, 0, false},
	{0xE9, 0xE9, OCCURRENCE_KIND_JUMP, 0, false},
	{0xEA, 0xEA, OCCURRENCE_KIND_FAR, 0, true},		// JMP pointer
	{0xEB, 0xEB, OCCURRENCE_KIND_JUMP, 0, false},
	{0xF1, 0xF1, OCCURRENCE_KIND_FAR, 0, false},		// INT1
	{0}
};

static const struct opcode two_bytes[] = {
	{0x05, 0x05, OCCURRENCE_KIND_FAR, 0, false},		// SYSCALL
	{0x07, 0x07, OCCURRENCE_KIND_FAR, 0, false},		// SYSRET
	{0x34, 0x35, OCCURRENCE_KIND_FAR, 0, false},		// SYSENTER, SYSEXIT
	{0x80, 0x8F, OCCURRENCE_KIND_CONDITIONAL, BY_OPERAND, false},
	{0}
};

// FF /2 to /5; far ones through memory only.
static uint8_t indirect_kind(uint8_t modrm)
{
	static const uint8_t kinds[8] = {
		[2] = OCCURRENCE_KIND_CALL_INDIRECT, [3] = OCCURRENCE_KIND_FAR,
		[4] = OCCURRENCE_KIND_JUMP_INDIRECT, [5] = OCCURRENCE_KIND_FAR,
	};
	const uint8_t kind = kinds[modrm >> 3 & 7];

	return kind == OCCURRENCE_KIND_FAR && modrm >> 6 == 3 ? 0 : kind;
}

static bool is_prefix(uint8_t byte, unsigned bits)
{
	static const uint8_t prefixes[] = {0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF0, 0xF2, 0xF3};

	return memchr(prefixes, byte, sizeof prefixes) || (bits == 64 && (byte & 0xF0) == 0x40);
}

static const struct opcode *find(const struct opcode *o, uint8_t opcode, unsigned bits)
{
	for (; o->kind; o++)
		if (opcode >= o->first && opcode <= o->last && !(o->not_64 && bits == 64))
			return o;
	return NULL;
}

// Bytes of an operand or a count register, by mode and prefix.
static uint8_t size_with(unsigned bits, bool prefix)
{
	return (bits == 16) != prefix ? 2 : 4;
}

// In 64-bit mode near branches are as long with the operand-size prefix as without it: Intel's processors ignore it.
static unsigned immediate_size(const struct opcode *o, unsigned bits, bool operand_prefix)
{
	if (o->immediate != BY_OPERAND)
		return o->immediate;
	return size_with(bits, operand_prefix && bits != 64);
}

static uint8_t count_size(unsigned bits, bool address_prefix)
{
	return bits == 64 ? (address_prefix ? 4 : 8) : size_with(bits, address_prefix);
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
	static const uint8_t zeros[4];

	return !memcmp(bytes, zeros, size);
}

struct decoded branch_decode(const uint8_t *bytes, size_t size, uint64_t ip, unsigned bits)
{
	const uint8_t *at = bytes, *end = bytes + (size < DECODE_LONGEST ? size : DECODE_LONGEST);
	const struct opcode *o = one_byte;
	bool operand_prefix = false, address_prefix = false;
	struct decoded d;
	unsigned immediate;

	for (; at < end && is_prefix(*at, bits); at++) {
		operand_prefix |= *at == 0x66;
		address_prefix |= *at == 0x67;
	}
	if (at < end && *at == TWO_BYTES) {
		o = two_bytes;
		at++;
	}
	if (at == end)
		return (struct decoded){0};
	if (o == one_byte && *at == INDIRECT)
		return (struct decoded){.kind = at + 1 < end ? indirect_kind(at[1]) : 0};
	o = find(o, *at++, bits);
	if (!o)
		return (struct decoded){0};
	if (o->kind != OCCURRENCE_KIND_CONDITIONAL)
		return (struct decoded){.kind = o->kind};
	immediate = immediate_size(o, bits, operand_prefix);
	d = (struct decoded){.kind = o->kind, .next = (ip + (uint64_t)(at - bytes) + immediate) & ip_mask(bits)};
	if ((size_t)(end - at) >= immediate && is_zero(at, immediate)) {
		d.condition = at[-1];
		d.count_size = count_size(bits, address_prefix);
	}
	return d;
}

size_t branch_prefixes(const uint8_t *bytes, size_t size, unsigned bits)
{
	size_t count = 0;

	while (count < size && is_prefix(bytes[count], bits))
		count++;
	return count;
}
