// SPDX-License-Identifier: BSD-2-Clause
// Stores by their opcodes (SDM volume 2, chapter 2 and appendix A): store.h.

#include "store.h"

#include <string.h>

#define PREFIX_OPERAND	0x66
#define PREFIX_ADDRESS	0x67
#define REX_WIDE	0x08
#define REX_REGISTER	0x04

#define STORE_REGISTER	0x89
#define STORE_RAX	0xA3
#define STORE_IMMEDIATE	0xC7

#define IMMEDIATE_SIZE	4

struct prefixes {
	bool operand, address;
	uint8_t rex;
};

static inline bool is_segment(uint8_t byte)
{
	return (byte & 0xE7) == 0x26 || (byte & 0xFE) == 0x64;	// ES, CS, SS, DS; FS, GS
}

// How many there are. In 64-bit mode the last one may be REX.
static size_t take_prefixes(const uint8_t *bytes, size_t size, unsigned bits, struct prefixes *p)
{
	size_t i = 0;

	for (; i < size && (is_segment(bytes[i]) || bytes[i] == PREFIX_OPERAND || bytes[i] == PREFIX_ADDRESS); i++) {
		p->operand |= bytes[i] == PREFIX_OPERAND;
		p->address |= bytes[i] == PREFIX_ADDRESS;
	}
	if (i < size && bits == 64 && (bytes[i] & 0xF0) == 0x40)
		p->rex = bytes[i++];
	return i;
}

// Of ModRM with what belongs to it, at most `size` bytes; 0: it is no memory, or not whole.
static size_t address_length(const uint8_t *modrm, size_t size, unsigned address_bits)
{
	const uint8_t mod = modrm[0] >> 6, rm = modrm[0] & 7;
	size_t length = 1;

	if (mod == 3)
		return 0;
	if (address_bits == 16)
		return mod == 0 ? (rm == 6 ? 3 : 1) : 1u + mod;
	if (rm == 4 && size < 2)
		return 0;
	if (mod == 0 && (rm == 5 || (rm == 4 && (modrm[1] & 7) == 5)))
		length += 4;
	if (rm == 4)
		length++;
	return length + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

static struct store whole(struct store s, size_t length, size_t size)
{
	s.length = length <= size ? (unsigned)length : 0;
	return s;
}

struct store store_decode(const uint8_t *bytes, size_t size, unsigned bits)
{
	const struct store unknown = {0};
	struct prefixes p = {0};
	size_t at = take_prefixes(bytes, size, bits, &p), length;
	const unsigned address_bits = bits == 64 ? (p.address ? 32 : 64) : (bits == 16) != p.address ? 16 : 32;
	struct store s = {0};
	uint8_t opcode;

	if (size - at < 2 || p.rex & REX_WIDE || p.operand != (bits == 16))
		return unknown;
	opcode = bytes[at++];
	if (opcode == STORE_RAX)
		return whole(s, at + address_bits / 8, size);
	if (opcode != STORE_REGISTER && opcode != STORE_IMMEDIATE)
		return unknown;
	length = address_length(bytes + at, size - at, address_bits);
	s.value = (bytes[at] >> 3 & 7) | (p.rex & REX_REGISTER ? 8 : 0);
	if (!length)
		return unknown;
	if (opcode == STORE_REGISTER)
		return whole(s, at + length, size);
	at += length;
	if (s.value & 7 || at + IMMEDIATE_SIZE > size)
		return unknown;
	s.immediate = true;
	memcpy(&s.value, bytes + at, IMMEDIATE_SIZE);
	return whole(s, at + IMMEDIATE_SIZE, size);
}
