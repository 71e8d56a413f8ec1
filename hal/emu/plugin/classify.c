// SPDX-License-Identifier: BSD-2-Clause
// What an x86 instruction is: Zydis says its name, its category, and how it accesses its operands; the tables here say
// what that is in the terms of PMUs.

#include "classify.h"

#include <Zydis/Zydis.h>

#include "model.h"

//
// Branches
//

static uint8_t far_or(const ZydisDecodedInstruction *i, uint8_t near)
{
	return i->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR ? OCCURRENCE_KIND_FAR : near;
}

static bool is_interrupt_return(ZydisMnemonic mnemonic)
{
	return mnemonic == ZYDIS_MNEMONIC_IRET || mnemonic == ZYDIS_MNEMONIC_IRETD || mnemonic == ZYDIS_MNEMONIC_IRETQ;
}

static uint8_t branch_of(const ZydisDecodedInstruction *i)
{
	const bool relative = i->raw.imm[0].is_relative;

	switch (i->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return OCCURRENCE_KIND_CONDITIONAL;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return far_or(i, relative ? OCCURRENCE_KIND_JUMP : OCCURRENCE_KIND_JUMP_INDIRECT);
	case ZYDIS_CATEGORY_CALL:
		return far_or(i, relative ? OCCURRENCE_KIND_CALL : OCCURRENCE_KIND_CALL_INDIRECT);
	case ZYDIS_CATEGORY_RET:
		return is_interrupt_return(i->mnemonic) ? OCCURRENCE_KIND_FAR : far_or(i, OCCURRENCE_KIND_RETURN);
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
		// INTO, as BOUND, is a branch only if it traps, which is an interruption.
		return i->mnemonic == ZYDIS_MNEMONIC_INTO ? 0 : OCCURRENCE_KIND_FAR;
	default:
		return 0;
	}
}

//
// Kinds
//

struct kind_of {
	uint16_t name;		// a mnemonic, or a category
	uint32_t kinds;
};

static uint32_t find(const struct kind_of *table, unsigned name)
{
	for (; table->kinds; table++)
		if (table->name == name)
			return table->kinds;
	return 0;
}

// Of an SSE operation, in the order of their prefixes: none, 66, F3, F2.
#define SSE_FORMS(name)							\
	{ZYDIS_MNEMONIC_##name##PS, CLASS_PACKED_SINGLE},		\
	{ZYDIS_MNEMONIC_##name##PD, CLASS_PACKED_DOUBLE},		\
	{ZYDIS_MNEMONIC_##name##SS, CLASS_SCALAR_SINGLE},		\
	{ZYDIS_MNEMONIC_##name##SD, CLASS_SCALAR_DOUBLE}
#define PACKED_FORMS(name)						\
	{ZYDIS_MNEMONIC_##name##PS, CLASS_PACKED_SINGLE},		\
	{ZYDIS_MNEMONIC_##name##PD, CLASS_PACKED_DOUBLE}
#define SCALAR_FORMS(name)						\
	{ZYDIS_MNEMONIC_##name##SS, CLASS_SCALAR_SINGLE},		\
	{ZYDIS_MNEMONIC_##name##SD, CLASS_SCALAR_DOUBLE}

static const struct kind_of of_mnemonics[] = {
	{ZYDIS_MNEMONIC_HLT, CLASS_HALT}, {ZYDIS_MNEMONIC_MWAIT, CLASS_HALT},
	{ZYDIS_MNEMONIC_INTO, CLASS_TRAP},
	{ZYDIS_MNEMONIC_LFENCE, CLASS_FENCE}, {ZYDIS_MNEMONIC_MFENCE, CLASS_FENCE},
	{ZYDIS_MNEMONIC_SFENCE, CLASS_FENCE},
	{ZYDIS_MNEMONIC_DIV, CLASS_DIVIDE}, {ZYDIS_MNEMONIC_IDIV, CLASS_DIVIDE}, {ZYDIS_MNEMONIC_AAM, CLASS_DIVIDE},
	{ZYDIS_MNEMONIC_MUL, CLASS_MULTIPLY}, {ZYDIS_MNEMONIC_IMUL, CLASS_MULTIPLY},
	SSE_FORMS(ADD), SSE_FORMS(SUB), SSE_FORMS(MUL), SSE_FORMS(DIV), SSE_FORMS(SQRT), SSE_FORMS(MIN), SSE_FORMS(MAX),
	SSE_FORMS(CMP), SSE_FORMS(ROUND), PACKED_FORMS(HADD), PACKED_FORMS(HSUB), PACKED_FORMS(ADDSUB),
	PACKED_FORMS(DP),
	SCALAR_FORMS(COMI), SCALAR_FORMS(UCOMI),
	{ZYDIS_MNEMONIC_RCPPS, CLASS_PACKED_SINGLE}, {ZYDIS_MNEMONIC_RCPSS, CLASS_SCALAR_SINGLE},
	{ZYDIS_MNEMONIC_RSQRTPS, CLASS_PACKED_SINGLE}, {ZYDIS_MNEMONIC_RSQRTSS, CLASS_SCALAR_SINGLE},
	{0}
};

static const struct kind_of of_categories[] = {
	{ZYDIS_CATEGORY_X87_ALU, CLASS_X87}, {ZYDIS_CATEGORY_FCMOV, CLASS_X87},
	{ZYDIS_CATEGORY_PREFETCH, CLASS_PREFETCH}, {ZYDIS_CATEGORY_MMX, CLASS_MMX},
	{0}
};

// Instructions that move data between XMM registers and memory, and that Zydis has in other categories, are none.
static bool is_simd_integer(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *first)
{
	const bool sse = i->meta.isa_ext == ZYDIS_ISA_EXT_SSE2 || i->meta.isa_ext == ZYDIS_ISA_EXT_SSSE3 ||
			 i->meta.isa_ext == ZYDIS_ISA_EXT_SSE4;

	return sse && i->operand_count && first->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       ZydisRegisterGetClass(first->reg.value) == ZYDIS_REGCLASS_XMM &&
	       ZydisMnemonicGetString(i->mnemonic)[0] == 'p' &&
	       (i->meta.category == ZYDIS_CATEGORY_SSE || i->meta.category == ZYDIS_CATEGORY_LOGICAL);
}

// SDM volume 3A, "Software Controlled Bus Locking": "The LOCK prefix is automatically assumed for XCHG instruction."
static bool is_memory_exchange(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	return i->mnemonic == ZYDIS_MNEMONIC_XCHG && (operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY ||
						      operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY);
}

static uint32_t kinds_of(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	uint32_t kinds = find(of_mnemonics, i->mnemonic) | find(of_categories, i->meta.category);

	if (is_simd_integer(i, operands))
		kinds |= CLASS_SIMD_INTEGER;
	if (i->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
		kinds |= CLASS_REPEATED;
	if (i->attributes & ZYDIS_ATTRIB_HAS_LOCK || is_memory_exchange(i, operands))
		kinds |= CLASS_LOCKED;
	return kinds;
}

//
// References
//

// Operands that are addresses only: of NOP, of prefetches and of what acts on a line of a cache or a page.
static bool has_address_only(const ZydisDecodedInstruction *i)
{
	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_CLFLUSH:
	case ZYDIS_MNEMONIC_INVLPG:
	case ZYDIS_MNEMONIC_MONITOR:
		return true;
	default:
		return i->meta.category == ZYDIS_CATEGORY_WIDENOP || i->meta.category == ZYDIS_CATEGORY_NOP ||
		       i->meta.category == ZYDIS_CATEGORY_PREFETCH;
	}
}

static void count_references(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands,
			     struct classes *classes)
{
	if (has_address_only(i))
		return;
	for (const ZydisDecodedOperand *o = operands; o < operands + i->operand_count; o++) {
		if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			continue;
		classes->loads += !!(o->actions & ZYDIS_OPERAND_ACTION_MASK_READ);
		classes->stores += !!(o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE);
	}
}

//
// Instructions
//

static ZydisDecoder decoder_of(unsigned bits)
{
	ZydisDecoder decoder;

	if (bits == 64)
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	else if (bits == 32)
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32);
	else
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LEGACY_16, ZYDIS_STACK_WIDTH_16);
	return decoder;
}

struct classes classify(const uint8_t *bytes, size_t size, unsigned bits)
{
	const ZydisDecoder decoder = decoder_of(bits);
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction i;
	struct classes classes = {0};

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size, &i, operands)))
		return classes;
	classes.length = i.length;
	classes.branch = branch_of(&i);
	if (classes.branch && i.raw.imm[0].is_relative)
		classes.target = i.raw.imm[0].size / 8;
	count_references(&i, operands, &classes);
	classes.kinds = kinds_of(&i, operands);
	return classes;
}

// An undefined instruction is a block's last, and may have any size.
static bool has_sizes(const uint8_t *bytes, const uint8_t *sizes, size_t count, unsigned bits)
{
	const ZydisDecoder decoder = decoder_of(bits);
	ZydisDecodedInstruction i;

	for (; count; bytes += *sizes++, count--) {
		const ZyanStatus status = ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, *sizes, &i);

		if (ZYAN_SUCCESS(status) ? i.length != *sizes : count > 1 || status == ZYDIS_STATUS_NO_MORE_DATA)
			return false;
	}
	return true;
}

unsigned classify_width(const uint8_t *bytes, const uint8_t *sizes, size_t count, unsigned bits)
{
	const unsigned widths[] = {bits, 64, 32, 16};

	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
		if (has_sizes(bytes, sizes, count, widths[i]))
			return widths[i];
	return 0;
}
