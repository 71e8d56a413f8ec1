// SPDX-License-Identifier: BSD-2-Clause
// Classifies instructions for the Pentium's pipes: classify_pipes.h. pipes.c names the sources.

#include "classify_pipes.h"

#define MOST_REGISTERS 16

static uint16_t bit_of(ZydisRegister name)
{
	const ZydisRegisterClass of = ZydisRegisterGetClass(name);
	ZyanI8 number;

	if (of != ZYDIS_REGCLASS_GPR8 && of != ZYDIS_REGCLASS_GPR16 && of != ZYDIS_REGCLASS_GPR32 &&
	    of != ZYDIS_REGCLASS_GPR64)
		return 0;
	number =
		ZydisRegisterGetId(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64,
								    name));
	return number < 0 || number >= MOST_REGISTERS ? 0 : (uint16_t)(1u << number);
}

static bool is_immediate(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

static bool is_general(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_REGISTER && bit_of(o->reg.value);
}

static bool is_memory(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_MEMORY;
}

// Register, memory and immediate operands only; no segment, control or debug registers.
static bool is_plain(const ZydisDecodedOperand operands[2])
{
	return (is_general(&operands[0]) || is_memory(&operands[0])) &&
	       (is_general(&operands[1]) || is_memory(&operands[1]) || is_immediate(&operands[1]));
}

// TEST is simple with registers, a register and memory, or the accumulator and an immediate.
static bool is_simple_test(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	return !is_immediate(&operands[1]) || i->opcode == 0xA8 || i->opcode == 0xA9;
}

static unsigned pairing_of(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_ADD: case ZYDIS_MNEMONIC_SUB: case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_AND: case ZYDIS_MNEMONIC_OR: case ZYDIS_MNEMONIC_XOR:
		return is_plain(operands) ? PIPES_FIRST | PIPES_SECOND : 0;
	case ZYDIS_MNEMONIC_TEST:
		return is_simple_test(i, operands) ? PIPES_FIRST | PIPES_SECOND : 0;
	case ZYDIS_MNEMONIC_INC: case ZYDIS_MNEMONIC_DEC: case ZYDIS_MNEMONIC_LEA:
		return PIPES_FIRST | PIPES_SECOND;
	case ZYDIS_MNEMONIC_NOP:
		return i->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT ? PIPES_FIRST | PIPES_SECOND : 0;
	case ZYDIS_MNEMONIC_PUSH:
		return is_general(operands) || is_immediate(operands) ? PIPES_FIRST | PIPES_SECOND :
		       0;
	case ZYDIS_MNEMONIC_POP:
		return is_general(operands) ? PIPES_FIRST | PIPES_SECOND : 0;
	case ZYDIS_MNEMONIC_ADC: case ZYDIS_MNEMONIC_SBB:
		return PIPES_FIRST;
	case ZYDIS_MNEMONIC_SHL: case ZYDIS_MNEMONIC_SHR: case ZYDIS_MNEMONIC_SAR:
		return is_immediate(&operands[1]) ? PIPES_FIRST : 0;
	case ZYDIS_MNEMONIC_ROL: case ZYDIS_MNEMONIC_ROR: case ZYDIS_MNEMONIC_RCL:
	case ZYDIS_MNEMONIC_RCR:
		return is_immediate(&operands[1]) && operands[1].imm.value.u == 1 ? PIPES_FIRST : 0;
	case ZYDIS_MNEMONIC_JMP: case ZYDIS_MNEMONIC_CALL:
		return i->raw.imm[0].is_relative ? PIPES_SECOND : 0;
	default:
		return i->meta.category == ZYDIS_CATEGORY_COND_BR &&
		       i->mnemonic != ZYDIS_MNEMONIC_JCXZ &&
		       i->mnemonic != ZYDIS_MNEMONIC_JECXZ && i->mnemonic != ZYDIS_MNEMONIC_JRCXZ &&
		       i->mnemonic != ZYDIS_MNEMONIC_LOOP && i->mnemonic != ZYDIS_MNEMONIC_LOOPE &&
		       i->mnemonic != ZYDIS_MNEMONIC_LOOPNE ? PIPES_SECOND : 0;
	}
}

// Prefixes other than REX, which belongs to the opcode. (Knights Corner has 64-bit code; the
// Pentium does not.)
static bool has_prefix(const ZydisDecodedInstruction *i)
{
	for (unsigned n = 0; n < i->raw.prefix_count; n++)
		if (i->raw.prefixes[n].value >> 4 != 4)
			return true;
	return false;
}

static unsigned stack_kind(const ZydisDecodedInstruction *i)
{
	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
		return PIPES_PUSHES;
	case ZYDIS_MNEMONIC_POP:
		return PIPES_POPS;
	case ZYDIS_MNEMONIC_CALL:
		return PIPES_CALLS;
	default:
		return 0;
	}
}

static bool has_no_reference(const ZydisDecodedInstruction *i)
{
	return i->meta.category == ZYDIS_CATEGORY_NOP || i->meta.category == ZYDIS_CATEGORY_WIDENOP;
}

static void take_operand(struct pipes_class *c, const ZydisDecodedOperand *o)
{
	if (is_memory(o)) {
		c->addresses |= bit_of(o->mem.base) | bit_of(o->mem.index);
		c->kinds |= o->mem.type == ZYDIS_MEMOP_TYPE_AGEN ? 0 : PIPES_REFERS;
	} else if (o->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		c->reads |= o->actions & ZYDIS_OPERAND_ACTION_MASK_READ ? bit_of(o->reg.value) : 0;
		c->writes |= o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? bit_of(o->reg.value) :
			0;
	}
}

// The stack pointer after PUSH, POP, CALL and plain RET is predicted; not after RET with an
// immediate, nor after POP into the stack pointer.
static bool is_predicted(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	if (i->mnemonic == ZYDIS_MNEMONIC_RET)
		return !i->raw.imm[0].size;
	return stack_kind(i) && !(i->mnemonic == ZYDIS_MNEMONIC_POP && is_general(operands) &&
				  bit_of(operands->reg.value) == bit_of(ZYDIS_REGISTER_RSP));
}

struct pipes_class classify_pipes(const ZydisDecodedInstruction *i,
				  const ZydisDecodedOperand *operands)
{
	const bool both = i->raw.disp.size && i->raw.imm[0].size;
	struct pipes_class c = {.kinds = (uint8_t)(both ? 0 : pairing_of(i, operands))};

	if (has_prefix(i))
		c.kinds &= (uint8_t)~PIPES_SECOND;
	c.kinds |= (uint8_t)stack_kind(i);
	for (unsigned n = 0; n < i->operand_count && !has_no_reference(i); n++)
		take_operand(&c, &operands[n]);
	c.reads |= c.addresses;
	c.delays = is_predicted(i, operands) ? c.writes & (uint16_t)~bit_of(ZYDIS_REGISTER_RSP) :
		c.writes;
	return c;
}
