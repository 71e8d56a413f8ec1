/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of Knights Corner's vector unit that the plugin carries out: moves and arithmetic of whole registers under
 * masks. Each hardware thread has one. */
#ifndef QEMU_VECTOR_H
#define QEMU_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include <Zydis/Zydis.h>

#define VECTOR_BYTES	64
#define VECTOR_WORDS	16	/* elements of 32 bits */

enum vector_what {
	VECTOR_MOVE, VECTOR_ADD_FLOAT, VECTOR_SUBTRACT_FLOAT, VECTOR_MULTIPLY_FLOAT, VECTOR_MULTIPLY_ADD_FLOAT,
	VECTOR_ADD, VECTOR_SUBTRACT, VECTOR_AND, VECTOR_OR, VECTOR_XOR, VECTOR_SET_MASK
};

/* An instruction. Registers by their numbers. */
struct vector_operation {
	enum vector_what what;
	bool wide;		/* elements of 64 bits: 8 of them */
	bool loads, stores;	/* its last operand is in memory; its result is */
	uint8_t bytes;		/* of that operand: 64; fewer are repeated */
	uint8_t to, first, second;
	uint8_t mask;		/* mask register; 0: all elements */
	bool from_general;	/* VECTOR_SET_MASK: `second` is a general register */
};

struct vector_unit {
	uint32_t z[32][VECTOR_WORDS];
	uint16_t k[8];
	uint64_t ready[32];	/* the cycle from which a register is ready */
};

/* Converts a decoded instruction. False: it is another instruction, or has a swizzle, a conversion, or its own
 * rounding. */
bool vector_take(struct vector_operation *o, const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands);

/* The elements that its mask leaves active, by bits. */
unsigned vector_active(const struct vector_unit *v, const struct vector_operation *o);

/* Whether the operation must wait in this cycle for a register that an earlier one writes. Also notes its own result.
 * */
bool vector_waits(struct vector_unit *v, const struct vector_operation *o, uint64_t cycle);

/* Carries it out. `memory`: the operand in memory, of VECTOR_BYTES, loaded before or stored after this. `general`: the
 * general register's value. */
void vector_execute(struct vector_unit *v, const struct vector_operation *o, uint8_t memory[VECTOR_BYTES],
		    uint64_t general);

#endif
