// SPDX-License-Identifier: BSD-2-Clause
// Stages of instructions: stages.h. Registers by number: general; X87 for all registers of the
// x87 unit together; those of the vector unit.

#include "stages.h"

#include "decoder.h"
#include "uops.h"

#define X87	16
#define SET(n)	(1ULL << (n))

_Static_assert(INORDER_VECTORS + 32 <= INORDER_REGISTERS, "the vector unit has 32 registers");

// Only results that delay a later address delay anything: the stack pointer after a PUSH is
// predicted (pipes.h).
static struct inorder_instruction of_pipes(const struct pipes_class *pipes)
{
	return (struct inorder_instruction){
		.stages = 1, .latency = 1, .reads = pipes->reads & ~pipes->addresses,
		.writes = pipes->delays, .addresses = pipes->addresses,
	};
}

bool stages_find(const struct processor *processor, const uint8_t *bytes, size_t size,
		 unsigned bits, const struct classes *is, struct inorder_instruction *to)
{
	const ZydisDecoder decoder = decoder_of(bits);
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	const struct processor_uops *row;
	ZydisDecodedInstruction i;

	*to = of_pipes(&is->pipes);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size, &i, operands)))
		return false;
	if (is->raises & CPU_EVENT_SET(X87)) {
		to->reads |= SET(X87);
		to->writes |= SET(X87);
	}
	row = uops_row(processor, &i, operands);
	if (!row)
		return false;
	to->stages = row->every ? row->every : 1;
	to->latency = row->latency;
	to->uses = is->loads && to->stages > 1;
	return true;
}

struct inorder_instruction stages_lacking(const struct lacking *is)
{
	struct inorder_instruction i = of_pipes(&is->pipes);

	if (is->kind != LACKING_VECTOR || is->vector.what == VECTOR_SET_MASK)
		return i;
	i.latency = VECTOR_LATENCY;
	i.reads |= (uint64_t)vector_needs(&is->vector) << INORDER_VECTORS;
	if (vector_writes(&is->vector))
		i.writes |= SET(INORDER_VECTORS + is->vector.to);
	return i;
}
