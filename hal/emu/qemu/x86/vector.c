// SPDX-License-Identifier: BSD-2-Clause
// Knights Corner's vector unit: vector.h. 327364, "Intel Xeon Phi Coprocessor Instruction Set
// Architecture Reference Manual". Floating-point arithmetic is the host's, which rounds to nearest;
// exceptions are masked and set no flags.

#include "vector.h"

#include <string.h>

//
// Instructions
//

static const struct {
	ZydisMnemonic mnemonic;
	enum vector_what what;
	bool wide;
} table[] = {
	{ZYDIS_MNEMONIC_VMOVAPS, VECTOR_MOVE, false}, {ZYDIS_MNEMONIC_VMOVAPD, VECTOR_MOVE, true},
	{ZYDIS_MNEMONIC_VMOVDQA32, VECTOR_MOVE, false},
	{ZYDIS_MNEMONIC_VMOVDQA64, VECTOR_MOVE, true},
	{ZYDIS_MNEMONIC_VADDPS, VECTOR_ADD_FLOAT, false},
	{ZYDIS_MNEMONIC_VADDPD, VECTOR_ADD_FLOAT, true},
	{ZYDIS_MNEMONIC_VSUBPS, VECTOR_SUBTRACT_FLOAT, false},
	{ZYDIS_MNEMONIC_VSUBPD, VECTOR_SUBTRACT_FLOAT, true},
	{ZYDIS_MNEMONIC_VMULPS, VECTOR_MULTIPLY_FLOAT, false},
	{ZYDIS_MNEMONIC_VMULPD, VECTOR_MULTIPLY_FLOAT, true},
	{ZYDIS_MNEMONIC_VFMADD231PS, VECTOR_MULTIPLY_ADD_FLOAT, false},
	{ZYDIS_MNEMONIC_VFMADD231PD, VECTOR_MULTIPLY_ADD_FLOAT, true},
	{ZYDIS_MNEMONIC_VPADDD, VECTOR_ADD, false}, {ZYDIS_MNEMONIC_VPSUBD, VECTOR_SUBTRACT, false},
	{ZYDIS_MNEMONIC_VPANDD, VECTOR_AND, false}, {ZYDIS_MNEMONIC_VPANDQ, VECTOR_AND, true},
	{ZYDIS_MNEMONIC_VPORD, VECTOR_OR, false}, {ZYDIS_MNEMONIC_VPORQ, VECTOR_OR, true},
	{ZYDIS_MNEMONIC_VPXORD, VECTOR_XOR, false}, {ZYDIS_MNEMONIC_VPXORQ, VECTOR_XOR, true},
	{ZYDIS_MNEMONIC_KMOV, VECTOR_SET_MASK, false},
};

static uint8_t number_of(const ZydisDecodedOperand *o)
{
	return (uint8_t)ZydisRegisterGetId(o->reg.value);
}

static bool is_mask(const ZydisDecodedOperand *o)
{
	return ZydisRegisterGetClass(o->reg.value) == ZYDIS_REGCLASS_MASK;
}

static bool take_mask_move(struct vector_operation *o, const ZydisDecodedOperand *operands)
{
	o->to = number_of(&operands[0]);
	o->second = number_of(&operands[1]);
	o->from_general = !is_mask(&operands[1]);
	return is_mask(&operands[0]);
}

// Operands: destination, mask, and one or two sources.
static bool take_vectors(struct vector_operation *o, const ZydisDecodedInstruction *i,
			 const ZydisDecodedOperand *operands)
{
	const ZydisDecodedOperand *last = &operands[i->operand_count - 1], *memory;

	if (i->encoding != ZYDIS_INSTRUCTION_ENCODING_MVEX || i->operand_count < 3)
		return false;
	o->loads = last->type == ZYDIS_OPERAND_TYPE_MEMORY;
	o->stores = operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY;
	memory = o->stores ? &operands[0] : last;
	o->bytes = o->loads || o->stores ? (uint8_t)(memory->size / 8) : 0;
	o->to = o->stores ? 0 : number_of(&operands[0]);
	o->first = i->operand_count > 3 ? number_of(&operands[2]) : 0;
	o->second = o->loads ? 0 : number_of(last);
	o->mask = number_of(&operands[1]);
	return true;
}

bool vector_take(struct vector_operation *o, const ZydisDecodedInstruction *i,
		 const ZydisDecodedOperand *operands)
{
	*o = (struct vector_operation){0};
	for (size_t n = 0; n < sizeof table / sizeof *table; n++)
		if (table[n].mnemonic == i->mnemonic) {
			o->what = table[n].what;
			o->wide = table[n].wide;
			if (o->what == VECTOR_SET_MASK)
				return take_mask_move(o, operands);
			return i->avx.conversion.mode == ZYDIS_CONVERSION_MODE_INVALID &&
			       i->avx.swizzle.mode <= ZYDIS_SWIZZLE_MODE_DCBA && !i->avx.has_sae &&
			       i->avx.rounding.mode == ZYDIS_ROUNDING_MODE_INVALID &&
			       take_vectors(o, i, operands);
		}
	return false;
}

//
// Operations
//

unsigned vector_active(const struct vector_unit *v, const struct vector_operation *o)
{
	const unsigned mask = o->mask ? v->k[o->mask] : UINT16_MAX;

	return o->what == VECTOR_SET_MASK ? 0 : o->wide ? mask & 0xFF : mask;
}

bool vector_writes(const struct vector_operation *o)
{
	return o->what != VECTOR_SET_MASK && !o->stores;
}

uint32_t vector_needs(const struct vector_operation *o)
{
	if (o->what == VECTOR_SET_MASK)
		return 0;
	return (o->what == VECTOR_MOVE ? 0 : 1u << o->first) | (o->loads ? 0 : 1u << o->second) |
	       (o->stores ? 0 : 1u << o->to);
}

bool vector_waits(struct vector_unit *v, const struct vector_operation *o, uint64_t cycle)
{
	bool waits = false;

	for (uint32_t rest = vector_needs(o); rest; rest &= rest - 1)
		waits |= v->ready[__builtin_ctz(rest)] > cycle;
	if (vector_writes(o))
		v->ready[o->to] = cycle + VECTOR_LATENCY;
	return waits;
}

#define FLOATS(name, type, fused)								\
	static type name(enum vector_what what, type to, type first, type second)		\
	{											\
		switch (what) {									\
		case VECTOR_ADD_FLOAT:								\
			return first + second;							\
		case VECTOR_SUBTRACT_FLOAT:							\
			return first - second;							\
		case VECTOR_MULTIPLY_FLOAT:							\
			return first * second;							\
		default:									\
			return fused(first, second, to);					\
		}										\
	}
FLOATS(calculate_float, float, __builtin_fmaf)
FLOATS(calculate_double, double, __builtin_fma)

static uint64_t calculate_integer(enum vector_what what, uint64_t first, uint64_t second)
{
	switch (what) {
	case VECTOR_ADD:
		return first + second;
	case VECTOR_SUBTRACT:
		return first - second;
	case VECTOR_AND:
		return first & second;
	case VECTOR_OR:
		return first | second;
	case VECTOR_XOR:
		return first ^ second;
	default:
		return second;	// VECTOR_MOVE
	}
}

static bool is_float(enum vector_what what)
{
	return what >= VECTOR_ADD_FLOAT && what <= VECTOR_MULTIPLY_ADD_FLOAT;
}

static void calculate_element(const struct vector_operation *o, void *to, const void *first,
			      const void *second)
{
	const size_t size = o->wide ? 8 : 4;
	uint64_t one = 0, other = 0, result;
	double doubles[3];
	float floats[3];

	if (is_float(o->what) && o->wide) {
		memcpy(&doubles[0], to, size);
		memcpy(&doubles[1], first, size);
		memcpy(&doubles[2], second, size);
		doubles[0] = calculate_double(o->what, doubles[0], doubles[1], doubles[2]);
		memcpy(to, doubles, size);
	} else if (is_float(o->what)) {
		memcpy(&floats[0], to, size);
		memcpy(&floats[1], first, size);
		memcpy(&floats[2], second, size);
		floats[0] = calculate_float(o->what, floats[0], floats[1], floats[2]);
		memcpy(to, floats, size);
	} else {
		memcpy(&one, first, size);
		memcpy(&other, second, size);
		result = calculate_integer(o->what, one, other);
		memcpy(to, &result, size);
	}
}

void vector_execute(struct vector_unit *v, const struct vector_operation *o,
		    uint8_t memory[VECTOR_BYTES], uint64_t general)
{
	const size_t size = o->wide ? 8 : 4;
	uint8_t *to = o->stores ? memory : (uint8_t *)v->z[o->to];
	const uint8_t *first = (const uint8_t *)v->z[o->first];
	const uint8_t *second = o->loads ? memory : (const uint8_t *)v->z[o->second];
	const unsigned active = vector_active(v, o);

	if (o->what == VECTOR_SET_MASK) {
		v->k[o->to] = o->from_general ? (uint16_t)general : v->k[o->second];
		return;
	}
	for (size_t at = o->bytes; o->loads && at < VECTOR_BYTES; at += o->bytes)
		memcpy(memory + at, memory, o->bytes);
	for (size_t n = 0; n < VECTOR_BYTES / size; n++)
		if (active >> n & 1)
			calculate_element(o, to + n * size, first + n * size, second + n * size);
}
