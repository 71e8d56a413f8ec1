/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of Knights Corner's vector unit that the plugin executes: masked moves and arithmetic of
 * whole registers. One unit per hardware thread. */
#ifndef QEMU_VECTOR_H
#define QEMU_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include <Zydis/Zydis.h>

#define VECTOR_BYTES	64
#define VECTOR_LATENCY	4	/* cycles until a result is ready: Intel, "Intel Xeon Phi
				 * Coprocessor Vector Microarchitecture" */
#define VECTOR_WORDS	16	/* elements of 32 bits */

enum vector_what {
	VECTOR_MOVE, VECTOR_ADD_FLOAT, VECTOR_SUBTRACT_FLOAT, VECTOR_MULTIPLY_FLOAT,
	VECTOR_MULTIPLY_ADD_FLOAT,
	VECTOR_ADD, VECTOR_SUBTRACT, VECTOR_AND, VECTOR_OR, VECTOR_XOR, VECTOR_SET_MASK
};

/* An instruction. Registers are given by number. */
struct vector_operation {
	enum vector_what what;
	bool wide;		/* 8 elements of 64 bits, instead of 16 of 32 bits */
	bool loads, stores;	/* the last source, or the destination, is in memory */
	uint8_t bytes;		/* of the memory operand: 64, or fewer, which are repeated */
	uint8_t to, first, second;
	uint8_t mask;		/* mask register; 0: all elements */
	bool from_general;	/* VECTOR_SET_MASK: `second` is a general register */
};

struct vector_unit {
	uint32_t z[32][VECTOR_WORDS];
	uint16_t k[8];
	uint64_t ready[32];	/* by register: first cycle in which it is ready */
};

/* Converts a decoded instruction. Returns false if it is unsupported: another instruction, or one
 * with a swizzle, a conversion or its own rounding mode. */
bool vector_take(struct vector_operation *o, const ZydisDecodedInstruction *i,
		 const ZydisDecodedOperand *operands);

/* Returns the set of registers that it waits for: those that it reads, and the one that it writes,
 * so that its write is the later one. */
uint32_t vector_needs(const struct vector_operation *o);

/* Returns true if it writes a register of the vector unit. */
bool vector_writes(const struct vector_operation *o);

/* Returns the elements that the mask enables, as a bit mask. */
unsigned vector_active(const struct vector_unit *v, const struct vector_operation *o);

/* Returns true if the operation must wait in this cycle for a register that an earlier one writes.
 * Records its own result's latency. */
bool vector_waits(struct vector_unit *v, const struct vector_operation *o, uint64_t cycle);

/* Executes the operation. `memory`: the memory operand, loaded before or stored after this call.
 * `general`: the general register's value. */
void vector_execute(struct vector_unit *v, const struct vector_operation *o,
		    uint8_t memory[VECTOR_BYTES], uint64_t general);

#endif
