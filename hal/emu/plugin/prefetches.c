// SPDX-License-Identifier: BSD-2-Clause
// Prefetches of programs: prefetches.h.

#include "prefetches.h"

#include <stdlib.h>

#include <Zydis/Zydis.h>

// What matters of an instruction.
struct decoded {
	bool is_valid;
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	const ZydisDecodedOperand *memory;	// its only operand there; NULL: it has none, or several
};

static void decode(struct decoded *d, const uint8_t *bytes, size_t size, unsigned bits)
{
	unsigned count = 0;
	ZydisDecoder decoder;

	if (bits == 64)
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	else
		ZydisDecoderInit(&decoder, bits == 32 ? ZYDIS_MACHINE_MODE_LEGACY_32 : ZYDIS_MACHINE_MODE_LEGACY_16,
				 bits == 32 ? ZYDIS_STACK_WIDTH_32 : ZYDIS_STACK_WIDTH_16);
	d->memory = NULL;
	d->is_valid = ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size, &d->instruction, d->operands));
	for (unsigned i = 0; d->is_valid && i < d->instruction.operand_count; i++)
		if (d->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY) {
			d->memory = &d->operands[i];
			count++;
		}
	if (count != 1 || d->memory->visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT)
		d->memory = NULL;
}

static bool is_prefetch(const struct decoded *d, uint8_t *hint)
{
	if (!d->is_valid || !d->memory)
		return false;
	switch (d->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_PREFETCHNTA: case ZYDIS_MNEMONIC_PREFETCHT0:
	case ZYDIS_MNEMONIC_PREFETCHT1: case ZYDIS_MNEMONIC_PREFETCHT2:
		*hint = d->instruction.raw.modrm.reg;
		return true;
	default:
		return false;
	}
}

static bool is_same_register(ZydisRegister one, ZydisRegister other)
{
	return one == other || (one != ZYDIS_REGISTER_NONE && other != ZYDIS_REGISTER_NONE &&
				ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, one) ==
				ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, other));
}

// Whether an instruction may change what the address is made of.
static bool changes(const struct decoded *d, const ZydisDecodedOperand *memory)
{
	for (unsigned i = 0; i < d->instruction.operand_count; i++) {
		const ZydisDecodedOperand *o = &d->operands[i];

		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER && o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
		    (is_same_register(o->reg.value, memory->mem.base) ||
		     is_same_register(o->reg.value, memory->mem.index)))
			return true;
	}
	return false;
}

// Whether one accesses memory by the same registers. An address by the instruction's own is of no use.
static bool is_beside(const struct decoded *d, const struct decoded *prefetch)
{
	const ZydisDecodedOperandMem *m = d->memory ? &d->memory->mem : NULL, *wanted = &prefetch->memory->mem;

	return m && m->type == ZYDIS_MEMOP_TYPE_MEM && !(d->instruction.attributes & ZYDIS_ATTRIB_HAS_REP) &&
	       d->memory->actions & (ZYDIS_OPERAND_ACTION_MASK_READ | ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
	       d->instruction.meta.category != ZYDIS_CATEGORY_PREFETCH &&
	       d->instruction.meta.category != ZYDIS_CATEGORY_WIDENOP &&
	       m->base != ZYDIS_REGISTER_RIP && m->base == wanted->base && m->index == wanted->index &&
	       m->scale == wanted->scale && m->segment == wanted->segment &&
	       d->instruction.address_width == prefetch->instruction.address_width;
}

static bool tell(struct prefetch *p, const struct decoded *prefetch, const struct decoded *d, size_t number)
{
	const int64_t distance = prefetch->memory->mem.disp.value - d->memory->mem.disp.value;

	p->of = number;
	p->loads = d->memory->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
	p->distance = (int32_t)distance;
	return p->distance == distance;
}

// The nearest one before it: that must not change what it has accessed by, either.
static bool find_before(struct prefetch *p, const struct decoded *prefetch, const uint8_t *at, const uint8_t *sizes,
			unsigned bits, size_t number)
{
	struct decoded d;

	while (number--) {
		at -= sizes[number];
		decode(&d, at, sizes[number], bits);
		if (!d.is_valid || changes(&d, prefetch->memory))
			return false;
		if (is_beside(&d, prefetch))
			return tell(p, prefetch, &d, number);
	}
	return false;
}

static bool find_behind(struct prefetch *p, const struct decoded *prefetch, const uint8_t *at, const uint8_t *sizes,
			size_t count, unsigned bits, size_t number)
{
	struct decoded d;

	for (at += sizes[number++]; number < count; at += sizes[number++]) {
		decode(&d, at, sizes[number], bits);
		if (!d.is_valid)
			return false;
		if (is_beside(&d, prefetch))
			return tell(p, prefetch, &d, number);
		if (changes(&d, prefetch->memory))
			return false;
	}
	return false;
}

bool prefetches_find(struct prefetch *p, const uint8_t *bytes, const uint8_t *sizes, size_t count, unsigned bits,
		     size_t number)
{
	struct decoded prefetch;

	for (size_t i = 0; i < number; i++)
		bytes += sizes[i];
	decode(&prefetch, bytes, sizes[number], bits);
	return is_prefetch(&prefetch, &p->hint) &&
	       (find_before(p, &prefetch, bytes, sizes, bits, number) ||
		find_behind(p, &prefetch, bytes, sizes, count, bits, number));
}
