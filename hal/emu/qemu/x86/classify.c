// SPDX-License-Identifier: BSD-2-Clause
// Classifies x86 instructions. Zydis provides mnemonic, category and operand accesses; the tables
// here map them to cpu events.

#include "classify.h"

#include "classify_pipes.h"
#include "decoder.h"
#include "cpu_event.h"
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
	return mnemonic == ZYDIS_MNEMONIC_IRET || mnemonic == ZYDIS_MNEMONIC_IRETD ||
	       mnemonic == ZYDIS_MNEMONIC_IRETQ;
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
		return is_interrupt_return(i->mnemonic) ? OCCURRENCE_KIND_FAR :
		       far_or(i, OCCURRENCE_KIND_RETURN);
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
		// INTO, like BOUND, is a branch only if it traps, which is an interruption.
		return i->mnemonic == ZYDIS_MNEMONIC_INTO ? 0 : OCCURRENCE_KIND_FAR;
	default:
		return 0;
	}
}

//
// Kinds and cpu events
//

struct kind_of {
	uint16_t mnemonic, kinds;
	uint64_t raises;
};

#define OF(name, raised)		{ZYDIS_MNEMONIC_##name, 0, raised}
#define KIND(name, of)			{ZYDIS_MNEMONIC_##name, CLASS_##of, 0}
#define RAISES(name)			CPU_EVENT_SET(name)

#define COMPUTES(name)			OF(name, RAISES(COMPUTATION))
#define DIVIDES(name)			OF(name, RAISES(COMPUTATION) | RAISES(DIVIDE))
#define MULTIPLIES(name)		OF(name, RAISES(COMPUTATION) | RAISES(MULTIPLY))

// The forms of an SSE operation, in the order of their prefixes: none, 66, F3, F2.
#define PACKED_FORMS(name, raised)			\
	OF(name##PS, RAISES(PACKED_SINGLE) | (raised)),	\
	OF(name##PD, RAISES(PACKED_DOUBLE) | (raised))
#define SCALAR_FORMS(name, raised)			\
	OF(name##SS, RAISES(SCALAR_SINGLE) | (raised)),	\
	OF(name##SD, RAISES(SCALAR_DOUBLE) | (raised))
#define SSE_FORMS(name, raised) PACKED_FORMS(name, raised), SCALAR_FORMS(name, raised)

// Arithmetic of one micro-operation (Agner Fog, Instruction tables, Nehalem). Operations of several
// are not listed: horizontal sums, dot products, conversions.
static const struct kind_of of_mnemonics[] = {
	KIND(HLT, HALT), KIND(PAUSE, PAUSE), KIND(INTO, TRAP),
	{ZYDIS_MNEMONIC_MFENCE, CLASS_FENCE, RAISES(BARRIER)},
	{ZYDIS_MNEMONIC_SFENCE, CLASS_FENCE, RAISES(BARRIER)},
	OF(CLFLUSH, RAISES(BARRIER)), OF(CPUID, RAISES(BARRIER)),
	OF(PREFETCHNTA, RAISES(PREFETCH)), OF(PREFETCHT0, RAISES(PREFETCH)),
	OF(PREFETCHT1, RAISES(PREFETCH)), OF(PREFETCHT2, RAISES(PREFETCH)),
	KIND(MOVNTDQ, STREAM), KIND(MOVNTI, STREAM), KIND(MOVNTPD, STREAM), KIND(MOVNTPS, STREAM),
	KIND(MOVNTQ, STREAM), KIND(MASKMOVDQU, STREAM), KIND(MASKMOVQ, STREAM),

	SSE_FORMS(ADD, 0), SSE_FORMS(SUB, 0), SSE_FORMS(MIN, 0), SSE_FORMS(MAX, 0),
	SSE_FORMS(CMP, 0),
	SSE_FORMS(ROUND, 0), PACKED_FORMS(ADDSUB, 0), SCALAR_FORMS(COMI, 0), SCALAR_FORMS(UCOMI, 0),
	OF(RCPPS, RAISES(PACKED_SINGLE)), OF(RCPSS, RAISES(SCALAR_SINGLE)),
	OF(RSQRTPS, RAISES(PACKED_SINGLE)), OF(RSQRTSS, RAISES(SCALAR_SINGLE)),
	SSE_FORMS(MUL, RAISES(MULTIPLY)), SSE_FORMS(DIV, RAISES(DIVIDE)),
	SSE_FORMS(SQRT, RAISES(DIVIDE)),

	// SDM volume 1, 8.3: x87 basic arithmetic, comparisons, trigonometry, logarithms; and
	// conversions to integers.
	OF(AAM, RAISES(DIVIDE)), OF(MUL, RAISES(MULTIPLY)), OF(IMUL, RAISES(MULTIPLY)),
	DIVIDES(DIV), DIVIDES(IDIV), DIVIDES(FDIV), DIVIDES(FDIVP), DIVIDES(FDIVR), DIVIDES(FDIVRP),
	DIVIDES(FIDIV), DIVIDES(FIDIVR), DIVIDES(FSQRT), DIVIDES(FPREM), DIVIDES(FPREM1),
	MULTIPLIES(FMUL), MULTIPLIES(FMULP), MULTIPLIES(FIMUL),
	COMPUTES(FADD), COMPUTES(FADDP), COMPUTES(FIADD),
	COMPUTES(FSUB), COMPUTES(FSUBP), COMPUTES(FISUB), COMPUTES(FSUBR), COMPUTES(FSUBRP),
	COMPUTES(FISUBR),
	COMPUTES(FCOM), COMPUTES(FCOMP), COMPUTES(FCOMPP), COMPUTES(FCOMI), COMPUTES(FCOMIP),
	COMPUTES(FICOM),
	COMPUTES(FICOMP), COMPUTES(FUCOM), COMPUTES(FUCOMP), COMPUTES(FUCOMPP), COMPUTES(FUCOMI),
	COMPUTES(FUCOMIP),
	COMPUTES(FTST), COMPUTES(FXAM), COMPUTES(FABS), COMPUTES(FCHS), COMPUTES(FRNDINT),
	COMPUTES(FSCALE),
	COMPUTES(FXTRACT), COMPUTES(FSIN), COMPUTES(FCOS), COMPUTES(FSINCOS), COMPUTES(FPTAN),
	COMPUTES(FPATAN),
	COMPUTES(F2XM1), COMPUTES(FYL2X), COMPUTES(FYL2XP1), COMPUTES(FIST), COMPUTES(FISTP),
	COMPUTES(FISTTP),
	OF(PMULLW, RAISES(MULTIPLY)), OF(PMULHW, RAISES(MULTIPLY)), OF(PMULHUW, RAISES(MULTIPLY)),
	OF(PMULLD, RAISES(MULTIPLY)), OF(PMULUDQ, RAISES(MULTIPLY)), OF(PMULDQ, RAISES(MULTIPLY)),
	OF(PMULHRSW, RAISES(MULTIPLY)), OF(PMADDWD, RAISES(MULTIPLY)),
	OF(PMADDUBSW, RAISES(MULTIPLY)),
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

// An operation on integers in XMM registers that takes several micro-operations (the same table).
static bool has_several(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_PHADDW: case ZYDIS_MNEMONIC_PHADDD: case ZYDIS_MNEMONIC_PHADDSW:
	case ZYDIS_MNEMONIC_PHSUBW: case ZYDIS_MNEMONIC_PHSUBD: case ZYDIS_MNEMONIC_PHSUBSW:
	case ZYDIS_MNEMONIC_PMULLD: case ZYDIS_MNEMONIC_PTEST: case ZYDIS_MNEMONIC_PBLENDVB:
	case ZYDIS_MNEMONIC_PINSRB: case ZYDIS_MNEMONIC_PINSRW: case ZYDIS_MNEMONIC_PINSRD:
	case ZYDIS_MNEMONIC_PINSRQ:
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

//
// SIMD operations on integers, in XMM and in MMX registers
//

struct operation {
	uint16_t mnemonic;
	uint64_t raises_128, raises_64;
};

#define OPERATION(name, what)	{ZYDIS_MNEMONIC_##name, RAISES(what##_128), RAISES(what##_64)}
#define SHUFFLES(name)		{ZYDIS_MNEMONIC_##name, 0, RAISES(SHUFFLE_64)}

// Named after the unit masks of SIMD_INT_128 and SIMD_INT_64. Shifts by bytes are not packed
// shifts.
static const struct operation operations[] = {
	OPERATION(PMULLW, MULTIPLY), OPERATION(PMULHW, MULTIPLY), OPERATION(PMULHUW, MULTIPLY),
	OPERATION(PMULUDQ, MULTIPLY), OPERATION(PMULDQ, MULTIPLY), OPERATION(PMULHRSW, MULTIPLY),
	OPERATION(PMADDWD, MULTIPLY), OPERATION(PMADDUBSW, MULTIPLY),
	OPERATION(PSLLW, SHIFT), OPERATION(PSLLD, SHIFT), OPERATION(PSLLQ, SHIFT),
	OPERATION(PSRLW, SHIFT),
	OPERATION(PSRLD, SHIFT), OPERATION(PSRLQ, SHIFT), OPERATION(PSRAW, SHIFT),
	OPERATION(PSRAD, SHIFT),
	OPERATION(PACKSSWB, PACK), OPERATION(PACKSSDW, PACK), OPERATION(PACKUSWB, PACK),
	OPERATION(PACKUSDW, PACK),
	OPERATION(PUNPCKLBW, UNPACK), OPERATION(PUNPCKLWD, UNPACK), OPERATION(PUNPCKLDQ, UNPACK),
	OPERATION(PUNPCKLQDQ, UNPACK), OPERATION(PUNPCKHBW, UNPACK), OPERATION(PUNPCKHWD, UNPACK),
	OPERATION(PUNPCKHDQ, UNPACK), OPERATION(PUNPCKHQDQ, UNPACK),
	OPERATION(PAND, LOGIC), OPERATION(PANDN, LOGIC), OPERATION(POR, LOGIC),
	OPERATION(PXOR, LOGIC),
	OPERATION(PADDB, ARITHMETIC), OPERATION(PADDW, ARITHMETIC), OPERATION(PADDD, ARITHMETIC),
	OPERATION(PADDQ, ARITHMETIC), OPERATION(PADDSB, ARITHMETIC), OPERATION(PADDSW, ARITHMETIC),
	OPERATION(PADDUSB, ARITHMETIC), OPERATION(PADDUSW, ARITHMETIC),
	OPERATION(PSUBB, ARITHMETIC), OPERATION(PSUBW, ARITHMETIC), OPERATION(PSUBD, ARITHMETIC),
	OPERATION(PSUBQ, ARITHMETIC), OPERATION(PSUBSB, ARITHMETIC), OPERATION(PSUBSW, ARITHMETIC),
	OPERATION(PSUBUSB, ARITHMETIC), OPERATION(PSUBUSW, ARITHMETIC),
	OPERATION(PCMPEQB, ARITHMETIC), OPERATION(PCMPEQW, ARITHMETIC),
	OPERATION(PCMPEQD, ARITHMETIC),
	OPERATION(PCMPEQQ, ARITHMETIC), OPERATION(PCMPGTB, ARITHMETIC),
	OPERATION(PCMPGTW, ARITHMETIC),
	OPERATION(PCMPGTD, ARITHMETIC), OPERATION(PCMPGTQ, ARITHMETIC),
	OPERATION(PMINUB, ARITHMETIC), OPERATION(PMINUW, ARITHMETIC), OPERATION(PMINUD, ARITHMETIC),
	OPERATION(PMINSB, ARITHMETIC), OPERATION(PMINSW, ARITHMETIC), OPERATION(PMINSD, ARITHMETIC),
	OPERATION(PMAXUB, ARITHMETIC), OPERATION(PMAXUW, ARITHMETIC), OPERATION(PMAXUD, ARITHMETIC),
	OPERATION(PMAXSB, ARITHMETIC), OPERATION(PMAXSW, ARITHMETIC), OPERATION(PMAXSD, ARITHMETIC),
	OPERATION(PAVGB, ARITHMETIC), OPERATION(PAVGW, ARITHMETIC), OPERATION(PSADBW, ARITHMETIC),
	OPERATION(PABSB, ARITHMETIC), OPERATION(PABSW, ARITHMETIC), OPERATION(PABSD, ARITHMETIC),
	OPERATION(PSIGNB, ARITHMETIC), OPERATION(PSIGNW, ARITHMETIC), OPERATION(PSIGND, ARITHMETIC),
	SHUFFLES(PSHUFW), SHUFFLES(PSHUFB), SHUFFLES(PALIGNR),
	{0}
};

// A shift by a register takes several micro-operations in XMM registers (has_several), but one in
// MMX registers.
static uint64_t raised_by_operation(const ZydisDecodedInstruction *i,
				    const ZydisDecodedOperand *operands)
{
	const struct operation *o = operations;

	while (o->mnemonic && o->mnemonic != i->mnemonic)
		o++;
	if (!i->operand_count || !o->mnemonic)
		return 0;
	if (is_register(operands, ZYDIS_REGCLASS_MMX))
		return o->raises_64;
	return is_register(operands, ZYDIS_REGCLASS_XMM) &&
	       !has_several(i, operands) ? o->raises_128 : 0;
}

// Excludes moves between XMM registers and memory, which Zydis has in other categories.
static bool is_packed_integer(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	const bool sse = i->meta.isa_ext == ZYDIS_ISA_EXT_SSE2 ||
		i->meta.isa_ext == ZYDIS_ISA_EXT_SSSE3 ||
			 i->meta.isa_ext == ZYDIS_ISA_EXT_SSE4;

	return sse && i->operand_count && is_register(operands, ZYDIS_REGCLASS_XMM) &&
	       ZydisMnemonicGetString(i->mnemonic)[0] == 'p' &&
	       (i->meta.category == ZYDIS_CATEGORY_SSE ||
		i->meta.category == ZYDIS_CATEGORY_LOGICAL) &&
	       !has_several(i, operands);
}

// Instructions with an MMX register operand, and those that empty all MMX registers.
static bool is_mmx(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	for (const ZydisDecodedOperand *o = operands; o < operands + i->operand_count; o++)
		if (is_register(o, ZYDIS_REGCLASS_MMX))
			return true;
	return i->mnemonic == ZYDIS_MNEMONIC_EMMS || i->mnemonic == ZYDIS_MNEMONIC_FEMMS;
}

// Optimization Reference Manual, "Length-Changing Prefixes": an operand size before an immediate
// whose length it changes; outside 64-bit code also an address size before ModR/M. Immediates of
// fixed length do not count.
static bool has_length_changed(const ZydisDecodedInstruction *i, unsigned bits)
{
	if (i->attributes & ZYDIS_ATTRIB_HAS_ADDRESSSIZE &&
	    i->attributes & ZYDIS_ATTRIB_HAS_MODRM && bits != 64)
		return true;
	return i->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE && !i->raw.imm[0].is_relative &&
	       i->raw.imm[0].size == (bits == 16 ? 32 : 16) && i->mnemonic != ZYDIS_MNEMONIC_RET &&
	       i->mnemonic != ZYDIS_MNEMONIC_ENTER;
}

static uint64_t raised_by(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands,
			  unsigned bits)
{
	uint64_t raises = RAISES(DECODED) | raised_by_operation(i, operands);

	// CMPSD is the mnemonic of an SSE2 comparison and of a string instruction.
	if (i->meta.category != ZYDIS_CATEGORY_STRINGOP)
		raises |= of_mnemonic(i->mnemonic)->raises;
	if (i->meta.category == ZYDIS_CATEGORY_X87_ALU || i->meta.category == ZYDIS_CATEGORY_FCMOV)
		raises |= RAISES(X87);
	if (is_mmx(i, operands))
		raises |= RAISES(MMX);
	if (is_packed_integer(i, operands))
		raises |= RAISES(PACKED_INTEGER);
	if (has_length_changed(i, bits))
		raises |= RAISES(LENGTH_CHANGED);
	// INT pushes its return address.
	if (i->meta.category == ZYDIS_CATEGORY_INTERRUPT && i->mnemonic != ZYDIS_MNEMONIC_INTO)
		raises |= RAISES(STORES);
	return raises;
}

// Optimization Reference Manual, "Optimizing for Macro-fusion": CMP or TEST of registers, an
// immediate or memory, but not of memory and an immediate. TEST fuses with all of these branches;
// CMP with those of carry and zero, since Nehalem also less and greater.
static uint16_t pairs_as(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_TEST:
		if (operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
			return 0;
		return i->mnemonic == ZYDIS_MNEMONIC_CMP ? CLASS_COMPARE : CLASS_TEST;
	case ZYDIS_MNEMONIC_JB: case ZYDIS_MNEMONIC_JNB: case ZYDIS_MNEMONIC_JZ:
	case ZYDIS_MNEMONIC_JNZ:
	case ZYDIS_MNEMONIC_JBE: case ZYDIS_MNEMONIC_JNBE: case ZYDIS_MNEMONIC_JL:
	case ZYDIS_MNEMONIC_JNL:
	case ZYDIS_MNEMONIC_JLE: case ZYDIS_MNEMONIC_JNLE:
		return CLASS_BEHIND_COMPARE | CLASS_BEHIND_TEST;
	case ZYDIS_MNEMONIC_JO: case ZYDIS_MNEMONIC_JNO: case ZYDIS_MNEMONIC_JS:
	case ZYDIS_MNEMONIC_JNS:
	case ZYDIS_MNEMONIC_JP: case ZYDIS_MNEMONIC_JNP:
		return CLASS_BEHIND_TEST;
	default:
		return 0;
	}
}

// SDM volume 3A, "Software Controlled Bus Locking": "The LOCK prefix is automatically assumed for
// XCHG instruction."
static bool is_memory_exchange(const ZydisDecodedInstruction *i,
			       const ZydisDecodedOperand *operands)
{
	return i->mnemonic == ZYDIS_MNEMONIC_XCHG &&
	       (operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY ||
						      operands[1].type ==
						      ZYDIS_OPERAND_TYPE_MEMORY);
}

static uint16_t kinds_of(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	uint16_t kinds = of_mnemonic(i->mnemonic)->kinds | pairs_as(i, operands);

	if (i->meta.category == ZYDIS_CATEGORY_PREFETCH)
		kinds |= CLASS_PREFETCH;
	if (i->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
		kinds |= CLASS_REPEATED;
	if (i->attributes & ZYDIS_ATTRIB_HAS_LOCK || is_memory_exchange(i, operands))
		kinds |= CLASS_LOCKED;
	return kinds;
}

//
// Memory references
//

// Instructions with a memory operand that is not accessed: NOP, prefetches, and operations on a
// cache line or page.
static bool has_address_only(const ZydisDecodedInstruction *i)
{
	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_CLFLUSH:
	case ZYDIS_MNEMONIC_INVLPG:
	case ZYDIS_MNEMONIC_MONITOR:
		return true;
	default:
		return i->meta.category == ZYDIS_CATEGORY_WIDENOP ||
		       i->meta.category == ZYDIS_CATEGORY_NOP ||
		       i->meta.category == ZYDIS_CATEGORY_PREFETCH;
	}
}

// `wide` applies to a single memory operand. QEMU stores the bytes of MASKMOVDQU one by one, and
// only those selected.
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
	count_references(&i, operands, &classes);
	classes.kinds = kinds_of(&i, operands);
	classes.pipes = classify_pipes(&i, operands);
	classes.raises = raised_by(&i, operands, bits) | (classes.loads ? RAISES(LOADS) : 0) |
			 (classes.stores ? RAISES(STORES) : 0);
	return classes;
}
