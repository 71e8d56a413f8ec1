// SPDX-License-Identifier: BSD-2-Clause
// Instructions by their opcodes: branch.h.

#include "branch.h"

#include <stdbool.h>
#include <string.h>

#include "model.h"

#define TWO_BYTES	0x0F
#define INDIRECT	0xFF

// An immediate as long as the operand: 2 or 4 bytes.
#define BY_OPERAND	0xFF

// From `first` to `last`; `immediate` of conditional branches only; those of some modes only: bits.
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

// In 64-bit mode near branches are as long with the operand-size prefix as without it: Intel's processors ignore it.
static unsigned immediate_size(const struct opcode *o, unsigned bits, bool operand_prefix)
{
	if (o->immediate != BY_OPERAND)
		return o->immediate;
	return bits != 64 && (bits == 16) != operand_prefix ? 2 : 4;
}

// Those whose level QEMU checks when it translates them. CLI and STI are among them if IOPL is below 3.
static bool is_privileged_one_byte(uint8_t opcode)
{
	return opcode == 0xF4 || opcode == 0xFA || opcode == 0xFB;	// HLT, CLI, STI
}

// LLDT and LTR; LGDT, LIDT, LMSW, INVLPG, SWAPGS; CLTS, INVD, WBINVD, MOV of control and debug registers, WRMSR, RDMSR.
static bool is_privileged_two_bytes(uint8_t opcode, uint8_t modrm)
{
	static const uint8_t opcodes[] = {0x06, 0x08, 0x09, 0x20, 0x21, 0x22, 0x23, 0x30, 0x32};
	const unsigned extension = modrm >> 3 & 7;
	const bool memory = modrm >> 6 != 3;

	if (opcode == 0x00)
		return extension == 2 || extension == 3;
	if (opcode == 0x01)
		return extension == 6 || modrm == 0xF8 ||
		       (memory && (extension == 2 || extension == 3 || extension == 7));
	return memchr(opcodes, opcode, sizeof opcodes);
}

struct decoded branch_decode(const uint8_t *bytes, size_t size, uint64_t ip, unsigned bits)
{
	const uint8_t *at = bytes, *end = bytes + (size < DECODE_LONGEST ? size : DECODE_LONGEST);
	const struct opcode *o = one_byte;
	bool operand_prefix = false;

	for (; at < end && is_prefix(*at, bits); at++)
		operand_prefix |= *at == 0x66;
	if (at < end && *at == TWO_BYTES) {
		o = two_bytes;
		at++;
	}
	if (at == end)
		return (struct decoded){0};
	if (o == one_byte && *at == INDIRECT)
		return (struct decoded){.kind = at + 1 < end ? indirect_kind(at[1]) : 0};
	if (o == one_byte ? is_privileged_one_byte(*at) : is_privileged_two_bytes(*at, at + 1 < end ? at[1] : 0))
		return (struct decoded){.privileged = true};
	o = find(o, *at++, bits);
	if (!o)
		return (struct decoded){0};
	if (o->kind != OCCURRENCE_KIND_CONDITIONAL)
		return (struct decoded){.kind = o->kind};
	at += immediate_size(o, bits, operand_prefix);
	return (struct decoded){.kind = o->kind, .next = ip + (uint64_t)(at - bytes)};
}
