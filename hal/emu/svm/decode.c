// SPDX-License-Identifier: BSD-2-Clause
// Branches, locked accesses and SPFLT among the instructions: decode.h. Everything else is not looked at beyond its
// opcode.

#include "decode.h"

#include <string.h>

#include "model.h"

// The bytes that are left. Behind the last one come zeros, and `short_of` says so.
struct reader {
	const uint8_t *at, *end;
	bool short_of;
};

struct instruction {
	struct reader reader;
	const uint8_t *start;
	const struct decode_context *context;
	unsigned rex;
	bool lock, operand16, address32;
	uint64_t segment_base;
	uint8_t modrm;
};

#define REX_W	8
#define REX_R	4
#define REX_X	2
#define REX_B	1

static uint8_t next_byte(struct reader *r)
{
	if (r->at < r->end)
		return *r->at++;
	r->short_of = true;
	return 0;
}

static void skip_bytes(struct reader *r, unsigned size)
{
	while (size--)
		next_byte(r);
}

// A number of 1, 2 or 4 bytes, sign-extended.
static uint64_t next_number(struct reader *r, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)next_byte(r) << 8 * i;
	return (uint64_t)((int64_t)(value << (64 - 8 * size)) >> (64 - 8 * size));
}

enum {
	PREFIX_ES = 0x26, PREFIX_CS = 0x2E, PREFIX_SS = 0x36, PREFIX_DS = 0x3E, PREFIX_FS = 0x64, PREFIX_GS = 0x65,
	PREFIX_OPERAND_SIZE = 0x66, PREFIX_ADDRESS_SIZE = 0x67, PREFIX_LOCK = 0xF0,
	PREFIX_REPNE = 0xF2, PREFIX_REP = 0xF3,
};

static const uint8_t prefixes[] = {
	PREFIX_ES, PREFIX_CS, PREFIX_SS, PREFIX_DS, PREFIX_FS, PREFIX_GS, PREFIX_OPERAND_SIZE, PREFIX_ADDRESS_SIZE,
	PREFIX_LOCK, PREFIX_REPNE, PREFIX_REP,
};

// Takes prefixes; returns the opcode's first byte. A REX prefix counts only right before it.
static uint8_t take_prefixes(struct instruction *i)
{
	for (;;) {
		uint8_t byte = next_byte(&i->reader);

		if (i->reader.short_of)
			return 0;
		if ((byte & 0xF0) == 0x40) {
			i->rex = byte;
			continue;
		}
		if (!memchr(prefixes, byte, sizeof prefixes))
			return byte;
		i->lock |= byte == PREFIX_LOCK;
		i->operand16 |= byte == PREFIX_OPERAND_SIZE;
		i->address32 |= byte == PREFIX_ADDRESS_SIZE;
		if (byte == PREFIX_FS)
			i->segment_base = i->context->fs_base;
		else if (byte == PREFIX_GS)
			i->segment_base = i->context->gs_base;
		i->rex = 0;
	}
}

static unsigned modrm_mode(const struct instruction *i)
{
	return i->modrm >> 6;
}

static unsigned modrm_register(const struct instruction *i)
{
	return i->modrm >> 3 & 7;
}

#define MODE_REGISTER 3

static uint64_t general(const struct instruction *i, unsigned number, unsigned rex_bit)
{
	return i->context->general[number | (i->rex & rex_bit ? 8 : 0)];
}

static uint64_t take_scaled(struct instruction *i, uint64_t *base_displacement)
{
	uint8_t sib = next_byte(&i->reader);
	unsigned index = sib >> 3 & 7, base = sib & 7;
	uint64_t sum = 0;

	if (index != 4 || i->rex & REX_X)
		sum = general(i, index, REX_X) << (sib >> 6);
	if (base == 5 && modrm_mode(i) == 0)
		*base_displacement = next_number(&i->reader, 4);
	else
		sum += general(i, base, REX_B);
	return sum;
}

// Takes what is behind a ModRM byte that names memory; returns the linear address. `immediate`: bytes behind that.
static uint64_t take_address(struct instruction *i, unsigned immediate)
{
	unsigned mode = modrm_mode(i), rm = i->modrm & 7;
	uint64_t address, displacement = 0;
	bool relative = mode == 0 && rm == 5;

	if (rm == 4)
		address = take_scaled(i, &displacement);
	else
		address = relative ? 0 : general(i, rm, REX_B);
	if (mode == 1)
		displacement = next_number(&i->reader, 1);
	else if (mode == 2 || relative)
		displacement = next_number(&i->reader, 4);
	if (relative)
		address = i->context->ip + (uint64_t)(i->reader.at - i->start) + immediate;
	address += displacement;
	if (i->address32)
		address = (uint32_t)address;
	return address + i->segment_base;
}

//
// Branches
//

static void set_branch(const struct instruction *i, struct decoded *d, uint8_t kind)
{
	d->kind = kind;
	d->next = i->context->ip + (uint64_t)(i->reader.at - i->start);
}

// FF /2 to /5: through a register or memory; far ones through memory only.
static void decode_indirect(struct instruction *i, struct decoded *d)
{
	static const uint8_t kinds[8] = {
		[2] = OCCURRENCE_KIND_CALL_INDIRECT, [3] = OCCURRENCE_KIND_FAR,
		[4] = OCCURRENCE_KIND_JUMP_INDIRECT, [5] = OCCURRENCE_KIND_FAR,
	};
	uint8_t kind = kinds[modrm_register(i)];

	if (modrm_mode(i) != MODE_REGISTER)
		take_address(i, 0);
	else if (kind == OCCURRENCE_KIND_FAR)
		return;
	if (kind)
		set_branch(i, d, kind);
}

// One-byte opcodes, and two-byte ones behind 0F: from `first` to `last`, with so many bytes of immediate.
struct branch_opcode {
	uint8_t first, last, immediate, kind;
};

static const struct branch_opcode one_byte[] = {
	{0x70, 0x7F, 1, OCCURRENCE_KIND_CONDITIONAL},
	{0xC2, 0xC2, 2, OCCURRENCE_KIND_RETURN},
	{0xC3, 0xC3, 0, OCCURRENCE_KIND_RETURN},
	{0xCA, 0xCA, 2, OCCURRENCE_KIND_FAR},
	{0xCB, 0xCC, 0, OCCURRENCE_KIND_FAR},		// RETF, INT3
	{0xCD, 0xCD, 1, OCCURRENCE_KIND_FAR},		// INT n
	{0xCF, 0xCF, 0, OCCURRENCE_KIND_FAR},		// IRET
	{0xE0, 0xE3, 1, OCCURRENCE_KIND_CONDITIONAL},	// LOOPNE, LOOPE, LOOP, JRCXZ
	{0xE8, 0xE8, 4, OCCURRENCE_KIND_CALL},
	{0xE9, 0xE9, 4, OCCURRENCE_KIND_JUMP},
	{0xEB, 0xEB, 1, OCCURRENCE_KIND_JUMP},
	{0xF1, 0xF1, 0, OCCURRENCE_KIND_FAR},		// INT1
	{0}
};

static const struct branch_opcode two_bytes[] = {
	{0x05, 0x05, 0, OCCURRENCE_KIND_FAR},		// SYSCALL
	{0x07, 0x07, 0, OCCURRENCE_KIND_FAR},		// SYSRET
	{0x34, 0x35, 0, OCCURRENCE_KIND_FAR},		// SYSENTER, SYSEXIT
	{0x80, 0x8F, 4, OCCURRENCE_KIND_CONDITIONAL},
	{0}
};

static void decode_direct(struct instruction *i, struct decoded *d, const struct branch_opcode *opcodes, uint8_t opcode)
{
	for (; opcodes->kind; opcodes++)
		if (opcode >= opcodes->first && opcode <= opcodes->last) {
			const uint64_t distance = opcodes->immediate ? next_number(&i->reader, opcodes->immediate) : 0;

			set_branch(i, d, opcodes->kind);
			if (opcodes->kind == OCCURRENCE_KIND_CONDITIONAL && !distance) {
				d->condition = opcode;
				d->count_size = i->address32 ? 4 : 8;
			}
		}
}

//
// Locked accesses
//

// From `first` to `last`: which of the ModRM byte's /0 to /7 can be locked, as bits. Even opcodes are of bytes.
struct lockable_opcode {
	uint8_t first, last, numbers;
};

#define LOCKABLE_ARITHMETIC(opcode) {opcode, (opcode) + 1, 0xFF}

static const struct lockable_opcode lockable_one_byte[] = {
	LOCKABLE_ARITHMETIC(0x00), LOCKABLE_ARITHMETIC(0x08), LOCKABLE_ARITHMETIC(0x10), LOCKABLE_ARITHMETIC(0x18),
	LOCKABLE_ARITHMETIC(0x20), LOCKABLE_ARITHMETIC(0x28), LOCKABLE_ARITHMETIC(0x30),
	{0x80, 0x81, 0x7F},		// the same with an immediate; /7 is CMP
	{0x83, 0x83, 0x7F},
	{0x86, 0x87, 0xFF},		// XCHG
	{0xF6, 0xF7, 1 << 2 | 1 << 3},	// NOT, NEG
	{0xFE, 0xFF, 1 << 0 | 1 << 1},	// INC, DEC
	{0}
};

#define CMPXCHG8B	0xC7		/* and CMPXCHG16B */
#define BIT_IMMEDIATE	0xBA

static const struct lockable_opcode lockable_two_bytes[] = {
	{0xAB, 0xAB, 0xFF}, {0xB3, 0xB3, 0xFF}, {0xBB, 0xBB, 0xFF},	// BTS, BTR, BTC
	{0xB0, 0xB1, 0xFF},		// CMPXCHG
	{0xC0, 0xC1, 0xFF},		// XADD
	{BIT_IMMEDIATE, BIT_IMMEDIATE, 1 << 5 | 1 << 6 | 1 << 7},	// BTS, BTR, BTC
	{CMPXCHG8B, CMPXCHG8B, 1 << 1},
	{0}
};

static uint8_t lockable_numbers(const struct lockable_opcode *opcodes, uint8_t opcode)
{
	for (; opcodes->numbers; opcodes++)
		if (opcode >= opcodes->first && opcode <= opcodes->last)
			return opcodes->numbers;
	return 0;
}

static unsigned word_size(const struct instruction *i)
{
	if (i->rex & REX_W)
		return 8;
	return i->operand16 ? 2 : 4;
}

#define ARITHMETIC_IMMEDIATE 0x81	/* the opcodes before it and two behind it have an immediate byte */

static unsigned immediate_one_byte(const struct instruction *i, uint8_t opcode)
{
	if (opcode == ARITHMETIC_IMMEDIATE)
		return word_size(i) == 2 ? 2 : 4;
	return opcode == ARITHMETIC_IMMEDIATE - 1 || opcode == ARITHMETIC_IMMEDIATE + 2;
}

static void decode_locked(struct instruction *i, struct decoded *d, uint8_t lockable, unsigned size, unsigned immediate)
{
	if (!(lockable >> modrm_register(i) & 1) || modrm_mode(i) == MODE_REGISTER)
		return;
	d->lock_address = take_address(i, immediate);
	d->lock_size = (uint8_t)size;
	skip_bytes(&i->reader, immediate);
}

#define EXCHANGE	0x87	/* and the one before it: locked even without the prefix */
#define INDIRECT	0xFF
#define TWO_BYTES	0x0F

static void decode_one_byte(struct instruction *i, struct decoded *d, uint8_t opcode)
{
	const bool always = (opcode | 1) == EXCHANGE;
	uint8_t lockable = i->lock || always ? lockable_numbers(lockable_one_byte, opcode) : 0;

	decode_direct(i, d, one_byte, opcode);
	if (!lockable && opcode != INDIRECT)
		return;
	i->modrm = next_byte(&i->reader);
	if (opcode == INDIRECT && modrm_register(i) >= 2)
		decode_indirect(i, d);
	else
		decode_locked(i, d, lockable, opcode & 1 ? word_size(i) : 1, immediate_one_byte(i, opcode));
}

static void decode_two_bytes(struct instruction *i, struct decoded *d, uint8_t opcode)
{
	uint8_t lockable = i->lock ? lockable_numbers(lockable_two_bytes, opcode) : 0;
	unsigned size = opcode & 1 || opcode == BIT_IMMEDIATE ? word_size(i) : 1;

	decode_direct(i, d, two_bytes, opcode);
	if (!lockable)
		return;
	if (opcode == CMPXCHG8B)
		size = i->rex & REX_W ? 16 : 8;
	i->modrm = next_byte(&i->reader);
	decode_locked(i, d, lockable, size, opcode == BIT_IMMEDIATE);
}

struct decoded decode(const uint8_t *bytes, size_t size, const struct decode_context *context)
{
	const uint8_t *end = bytes + (size < DECODE_LONGEST ? size : DECODE_LONGEST);
	struct instruction i = {.reader = {bytes, end, false}, .start = bytes, .context = context};
	struct decoded d = {0};
	uint8_t opcode = take_prefixes(&i);

	if (i.reader.short_of)
		return d;
	if (opcode == TWO_BYTES)
		decode_two_bytes(&i, &d, next_byte(&i.reader));
	else
		decode_one_byte(&i, &d, opcode);
	return i.reader.short_of ? (struct decoded){0} : d;
}

//
// SPFLT
//

#define VEX3		0xC4	/* behind it: inverted R, X, B, and the opcode map; W, vvvv, L, pp; opcode */
#define VEX2		0xC5	/* inverted R, vvvv, L, pp; opcode */
#define VEX3_B		0x20	/* clear: the register is one of R8-R15 */
#define VEX3_MAP	0x1F
#define VEX3_MAP_0F	0x01
#define VEX_VVVV_PP	0x7B
#define VEX_NONE_F2	0x7B	/* no second register; the mandatory prefix F2 */
#define SPFLT		0xAE
#define SPFLT_MODRM	0xF0	/* /6, and a register */

// A REX prefix, an operand size, LOCK, or REP before VEX make any instruction undefined.
static uint8_t take_prefixes_of_vex(struct reader *r)
{
	static const uint8_t allowed[] = {
		PREFIX_ES, PREFIX_CS, PREFIX_SS, PREFIX_DS, PREFIX_FS, PREFIX_GS, PREFIX_ADDRESS_SIZE,
	};
	uint8_t byte;

	do
		byte = next_byte(r);
	while (!r->short_of && memchr(allowed, byte, sizeof allowed));
	return byte;
}

unsigned decode_spflt(const uint8_t *bytes, size_t size, unsigned *number)
{
	struct reader r = {bytes, bytes + (size < DECODE_LONGEST ? size : DECODE_LONGEST), false};
	uint8_t vex = take_prefixes_of_vex(&r), map = VEX3_B | VEX3_MAP_0F, fields, opcode, modrm;

	if (vex == VEX3)
		map = next_byte(&r);
	else if (vex != VEX2)
		return 0;
	fields = next_byte(&r);
	opcode = next_byte(&r);
	modrm = next_byte(&r);
	if (r.short_of || (map & VEX3_MAP) != VEX3_MAP_0F || (fields & VEX_VVVV_PP) != VEX_NONE_F2 ||
	    opcode != SPFLT || (modrm & 0xF8) != SPFLT_MODRM)
		return 0;
	*number = (modrm & 7) | (map & VEX3_B ? 0 : 8);
	return (unsigned)(r.at - bytes);
}
