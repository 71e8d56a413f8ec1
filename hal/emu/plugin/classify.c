// SPDX-License-Identifier: BSD-2-Clause
// What an x86 instruction is: Zydis says its name, its category, and how it accesses its operands; the tables here say
// what that is in the terms of PMUs.

#include "classify.h"

#include <Zydis/Zydis.h>

#include "classify_pipes.h"
#include "happening.h"
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
// Kinds, and what is raised
//

struct kind_of {
	uint16_t mnemonic, kinds;
	uint64_t raises;
};

#define OF(name, raised)		{ZYDIS_MNEMONIC_##name, 0, raised}
#define KIND(name, of)			{ZYDIS_MNEMONIC_##name, CLASS_##of, 0}
#define RAISES(name)			HAPPENING_SET(name)

// Of an SSE operation, in the order of their prefixes: none, 66, F3, F2.
#define PACKED_FORMS(name, raised)			\
	OF(name##PS, RAISES(PACKED_SINGLE) | (raised)),	\
	OF(name##PD, RAISES(PACKED_DOUBLE) | (raised))
#define SCALAR_FORMS(name, raised)			\
	OF(name##SS, RAISES(SCALAR_SINGLE) | (raised)),	\
	OF(name##SD, RAISES(SCALAR_DOUBLE) | (raised))
#define SSE_FORMS(name, raised) PACKED_FORMS(name, raised), SCALAR_FORMS(name, raised)

// Arithmetic that is one micro-operation (Agner Fog, Instruction tables, Nehalem). What has several is not here:
// horizontal sums, dot products, conversions.
static const struct kind_of of_mnemonics[] = {
	KIND(HLT, HALT), KIND(MWAIT, HALT), KIND(INTO, TRAP),
	KIND(SYSCALL, SYSCALL), KIND(SYSRET, SYSRET), KIND(IRET, IRET), KIND(IRETD, IRET), KIND(IRETQ, IRET),
	KIND(MFENCE, FENCE), KIND(SFENCE, FENCE),
	KIND(MOVNTDQ, STREAM), KIND(MOVNTI, STREAM), KIND(MOVNTPD, STREAM), KIND(MOVNTPS, STREAM), KIND(MOVNTQ, STREAM),
	KIND(MASKMOVDQU, STREAM), KIND(MASKMOVQ, STREAM),

	SSE_FORMS(ADD, 0), SSE_FORMS(SUB, 0), SSE_FORMS(MIN, 0), SSE_FORMS(MAX, 0), SSE_FORMS(CMP, 0),
	SSE_FORMS(ROUND, 0), PACKED_FORMS(ADDSUB, 0), SCALAR_FORMS(COMI, 0), SCALAR_FORMS(UCOMI, 0),
	OF(RCPPS, RAISES(PACKED_SINGLE)), OF(RCPSS, RAISES(SCALAR_SINGLE)),
	OF(RSQRTPS, RAISES(PACKED_SINGLE)), OF(RSQRTSS, RAISES(SCALAR_SINGLE)),
	SSE_FORMS(MUL, RAISES(MULTIPLY)), SSE_FORMS(DIV, RAISES(DIVIDE)), SSE_FORMS(SQRT, RAISES(DIVIDE)),

	OF(DIV, RAISES(DIVIDE)), OF(IDIV, RAISES(DIVIDE)), OF(AAM, RAISES(DIVIDE)),
	OF(FDIV, RAISES(DIVIDE)), OF(FDIVP, RAISES(DIVIDE)), OF(FDIVR, RAISES(DIVIDE)), OF(FDIVRP, RAISES(DIVIDE)),
	OF(FIDIV, RAISES(DIVIDE)), OF(FIDIVR, RAISES(DIVIDE)), OF(FSQRT, RAISES(DIVIDE)),
	OF(FPREM, RAISES(DIVIDE)), OF(FPREM1, RAISES(DIVIDE)),

	OF(MUL, RAISES(MULTIPLY)), OF(IMUL, RAISES(MULTIPLY)),
	OF(FMUL, RAISES(MULTIPLY)), OF(FMULP, RAISES(MULTIPLY)), OF(FIMUL, RAISES(MULTIPLY)),
	OF(PMULLW, RAISES(MULTIPLY)), OF(PMULHW, RAISES(MULTIPLY)), OF(PMULHUW, RAISES(MULTIPLY)),
	OF(PMULLD, RAISES(MULTIPLY)), OF(PMULUDQ, RAISES(MULTIPLY)), OF(PMULDQ, RAISES(MULTIPLY)),
	OF(PMULHRSW, RAISES(MULTIPLY)), OF(PMADDWD, RAISES(MULTIPLY)), OF(PMADDUBSW, RAISES(MULTIPLY)),
	{0}
};

static const struct kind_of *of_mnemonic(unsigned mnemonic)
{
	const struct kind_of *k = of_mnemonics;

	while (k->mnemonic && k->mnemonic != mnemonic)
		k++;
	return k;
}

static bool is_register(const ZydisDecodedOperand *o, ZydisRegisterClass of)
{
	return o->type == ZYDIS_OPERAND_TYPE_REGISTER && ZydisRegisterGetClass(o->reg.value) == of;
}

// An operation on integers in XMM registers that has several micro-operations (the same table).
static bool has_several(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_PHADDW: case ZYDIS_MNEMONIC_PHADDD: case ZYDIS_MNEMONIC_PHADDSW:
	case ZYDIS_MNEMONIC_PHSUBW: case ZYDIS_MNEMONIC_PHSUBD: case ZYDIS_MNEMONIC_PHSUBSW:
	case ZYDIS_MNEMONIC_PMULLD: case ZYDIS_MNEMONIC_PTEST: case ZYDIS_MNEMONIC_PBLENDVB:
	case ZYDIS_MNEMONIC_PINSRB: case ZYDIS_MNEMONIC_PINSRW: case ZYDIS_MNEMONIC_PINSRD: case ZYDIS_MNEMONIC_PINSRQ:
	case ZYDIS_MNEMONIC_PCMPESTRI: case ZYDIS_MNEMONIC_PCMPESTRM:
	case ZYDIS_MNEMONIC_PCMPISTRI: case ZYDIS_MNEMONIC_PCMPISTRM:
		return true;
	case ZYDIS_MNEMONIC_PSLLW: case ZYDIS_MNEMONIC_PSLLD: case ZYDIS_MNEMONIC_PSLLQ:
	case ZYDIS_MNEMONIC_PSRLW: case ZYDIS_MNEMONIC_PSRLD: case ZYDIS_MNEMONIC_PSRLQ:
	case ZYDIS_MNEMONIC_PSRAW: case ZYDIS_MNEMONIC_PSRAD:
		return operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE;
	default:
		return false;
	}
}

// Instructions that move data between XMM registers and memory, and that Zydis has in other categories, are none.
static bool is_packed_integer(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	const bool sse = i->meta.isa_ext == ZYDIS_ISA_EXT_SSE2 || i->meta.isa_ext == ZYDIS_ISA_EXT_SSSE3 ||
			 i->meta.isa_ext == ZYDIS_ISA_EXT_SSE4;

	return sse && i->operand_count && is_register(operands, ZYDIS_REGCLASS_XMM) &&
	       ZydisMnemonicGetString(i->mnemonic)[0] == 'p' &&
	       (i->meta.category == ZYDIS_CATEGORY_SSE || i->meta.category == ZYDIS_CATEGORY_LOGICAL) &&
	       !has_several(i, operands);
}

// What has an MMX register, and what empties them all.
static bool is_mmx(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	for (const ZydisDecodedOperand *o = operands; o < operands + i->operand_count; o++)
		if (is_register(o, ZYDIS_REGCLASS_MMX))
			return true;
	return i->mnemonic == ZYDIS_MNEMONIC_EMMS || i->mnemonic == ZYDIS_MNEMONIC_FEMMS;
}

// Optimization Reference Manual, "Length-Changing Prefixes": an operand size before an immediate, which has another
// length then; an address size before ModR/M, but in 64-bit code. Immediates of one length only are no such.
static bool has_length_changed(const ZydisDecodedInstruction *i, unsigned bits)
{
	if (i->attributes & ZYDIS_ATTRIB_HAS_ADDRESSSIZE && i->attributes & ZYDIS_ATTRIB_HAS_MODRM && bits != 64)
		return true;
	return i->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE && !i->raw.imm[0].is_relative &&
	       i->raw.imm[0].size == (bits == 16 ? 32 : 16) && i->mnemonic != ZYDIS_MNEMONIC_RET &&
	       i->mnemonic != ZYDIS_MNEMONIC_ENTER;
}

static uint64_t raised_by(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands, unsigned bits)
{
	uint64_t raises = RAISES(DECODED) | of_mnemonic(i->mnemonic)->raises;

	if (i->meta.category == ZYDIS_CATEGORY_X87_ALU || i->meta.category == ZYDIS_CATEGORY_FCMOV)
		raises |= RAISES(X87);
	if (is_mmx(i, operands))
		raises |= RAISES(MMX);
	if (is_packed_integer(i, operands))
		raises |= RAISES(PACKED_INTEGER);
	if (has_length_changed(i, bits))
		raises |= RAISES(LENGTH_CHANGED);
	// INT pushes where it goes back to.
	if (i->meta.category == ZYDIS_CATEGORY_INTERRUPT && i->mnemonic != ZYDIS_MNEMONIC_INTO)
		raises |= RAISES(STORES);
	return raises;
}

// Optimization Reference Manual, "Optimizing for Macro-fusion": registers, an immediate, or memory, but not both of
// these. Which branches: those of carry and zero, behind TEST all; since Nehalem less and greater, too.
static uint16_t pairs_as(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_TEST:
		if (operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY && operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
			return 0;
		return i->mnemonic == ZYDIS_MNEMONIC_CMP ? CLASS_COMPARE : CLASS_TEST;
	case ZYDIS_MNEMONIC_JB: case ZYDIS_MNEMONIC_JNB: case ZYDIS_MNEMONIC_JZ: case ZYDIS_MNEMONIC_JNZ:
	case ZYDIS_MNEMONIC_JBE: case ZYDIS_MNEMONIC_JNBE: case ZYDIS_MNEMONIC_JL: case ZYDIS_MNEMONIC_JNL:
	case ZYDIS_MNEMONIC_JLE: case ZYDIS_MNEMONIC_JNLE:
		return CLASS_BEHIND_COMPARE | CLASS_BEHIND_TEST;
	case ZYDIS_MNEMONIC_JO: case ZYDIS_MNEMONIC_JNO: case ZYDIS_MNEMONIC_JS: case ZYDIS_MNEMONIC_JNS:
	case ZYDIS_MNEMONIC_JP: case ZYDIS_MNEMONIC_JNP:
		return CLASS_BEHIND_TEST;
	default:
		return 0;
	}
}

// SDM volume 3A, "Software Controlled Bus Locking": "The LOCK prefix is automatically assumed for XCHG instruction."
static bool is_memory_exchange(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	return i->mnemonic == ZYDIS_MNEMONIC_XCHG && (operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY ||
						      operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY);
}

// Only what is known to be so: of registers for all programs, and immediates, and no division. What the processor's
// state forbids of it, as SSE, the emulator knows when it translates it, and ends the block there.
static bool retires_surely(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	switch (i->meta.category) {
	case ZYDIS_CATEGORY_BINARY: case ZYDIS_CATEGORY_BITBYTE: case ZYDIS_CATEGORY_CMOV:
	case ZYDIS_CATEGORY_DATAXFER: case ZYDIS_CATEGORY_LOGICAL: case ZYDIS_CATEGORY_ROTATE:
	case ZYDIS_CATEGORY_SETCC: case ZYDIS_CATEGORY_SHIFT: case ZYDIS_CATEGORY_SSE:
		break;
	default:
		return i->mnemonic == ZYDIS_MNEMONIC_LEA || i->mnemonic == ZYDIS_MNEMONIC_NOP;
	}
	for (const ZydisDecodedOperand *o = operands; o < operands + i->operand_count; o++)
		if (o->type == ZYDIS_OPERAND_TYPE_MEMORY || is_register(o, ZYDIS_REGCLASS_CONTROL) ||
		    is_register(o, ZYDIS_REGCLASS_DEBUG) || is_register(o, ZYDIS_REGCLASS_SEGMENT))
			return false;
	return !(of_mnemonic(i->mnemonic)->raises & RAISES(DIVIDE)) && !(i->attributes & ZYDIS_ATTRIB_HAS_LOCK);
}

static uint16_t kinds_of(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	uint16_t kinds = of_mnemonic(i->mnemonic)->kinds | pairs_as(i, operands);

	if (retires_surely(i, operands))
		kinds |= CLASS_PLAIN;
	if (i->meta.category == ZYDIS_CATEGORY_PREFETCH)
		kinds |= CLASS_PREFETCH;
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

// `wide` is of the only operand in memory. QEMU stores the bytes of MASKMOVDQU one by one, and not all of them.
static void count_references(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands,
			     struct classes *classes)
{
	unsigned operands_in_memory = 0;

	if (has_address_only(i))
		return;
	for (const ZydisDecodedOperand *o = operands; o < operands + i->operand_count; o++) {
		if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			continue;
		classes->loads += !!(o->actions & ZYDIS_OPERAND_ACTION_MASK_READ);
		classes->stores += !!(o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE);
		operands_in_memory++;
		if (o->size > 64 && o->size < 512)
			classes->wide = (uint8_t)(o->size / 8);
	}
	if (operands_in_memory != 1 || i->mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU)
		classes->wide = 0;
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
	classes.pipes = classify_pipes(&i, operands);
	classes.raises = raised_by(&i, operands, bits) | (classes.loads ? RAISES(LOADS) : 0) |
			 (classes.stores ? RAISES(STORES) : 0);
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
