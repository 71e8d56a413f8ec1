/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of instructions, as QEMU translates them, that execute without a callback: where instructions are added up
 * (batch.h) and no overflow can come among them. Translated code adds up what they raise. block_settle and block_leave
 * say how far a vCPU has come.
 *
 * QEMU executes a block from its start. It leaves it behind its last instruction; or before one of its instructions,
 * which faults, or which QEMU begins anew in another block. Only the last one can branch. */
#ifndef QEMU_BLOCK_H
#define QEMU_BLOCK_H

#include "cpu.h"

struct block {
	struct cpu *of;			/* the vCPU that executes it */
	unsigned count;			/* of instructions, at least 1 */
	bool steps;			/* a callback must come before each of them */
	uint64_t numbers;		/* of CYCLE_NUMBERS, the last one that they raise; 0: they raise none */
	struct block *next;		/* in the list of all of its vCPU */
	struct instruction instruction[];
};

/* The vCPU begins: nothing has executed. */
void block_begin(struct cpu *c);

/* A block of so many instructions, each all zero, for a vCPU. */
struct block *block_new(struct cpu *c, size_t count);

/* Finds the block's other fields from its instructions. `refers`: the plugin follows their references to memory. */
void block_complete(struct block *b, bool refers);

/* No translated code is left: forgets all blocks, and what the vCPUs may execute without a callback. */
void block_forget_all(void);

/* Blocks also add up these happenings from now on; `branches_ask`: of branches, it matters where they go. False: all
 * blocks that have been translated do that already. */
bool block_add_up(uint64_t happenings, bool branches_ask);
bool block_asks_branches(void);
void block_add_up_nothing(void);

/*
 * What translated code does in a block
 */

/* A vCPU's `blocks.room` of the block's level is BLOCK_ROOM, less how many instructions may execute without a callback.
 * While a block is open, its address is in the bits above, from BLOCK_OPEN on. */
#define BLOCK_ROOM	0x10000u
#define BLOCK_OPEN	16

/* Before its first instruction: calls back if the vCPU's room exceeds this. */
static inline uint64_t block_least(const struct block *b)
{
	return BLOCK_ROOM - b->count;
}

/* After that: adds this to the room. */
static inline uint64_t block_opens(const struct block *b)
{
	return b->count > 1 ? (uint64_t)(uintptr_t)b << BLOCK_OPEN : 0;
}

/* Before its last one: adds this to the room, and this to each of the vCPU's `blocks.sum`. */
static inline uint64_t block_closes(const struct block *b)
{
	return b->count - block_opens(b);
}
void block_sums(const struct block *b, uint64_t sum[BLOCK_SUMS]);

/*
 * What the plugin does
 */

/* The vCPU is about to execute a block, whose first instruction is the current one, and after it whatever comes, as far
 * as `most` instructions at this level allow, at least those of the block. All may be added up. */
void block_open(struct cpu *c, const struct block *b, uint64_t most);

/* Where it matters where branches go: the vCPU begins this block, and the last instruction of the one before it may be
 * a branch. */
void block_branched(struct cpu *c, const struct block *to);

/* Call before the plugin reports to the memory model that this instruction of an open block fetches a line or accesses
 * memory. Adds up the effects of the instruction that did so before. False: no block is open; each instruction takes a
 * cycle by itself. */
bool block_refers(struct cpu *c, const struct instruction *i);

/* What the vCPU has executed without a callback joins the quiet instructions. Its last instruction may be the current
 * one then. A block may be open still, of which block_settle and block_leave say how far the vCPU has come. Returns how
 * many instructions have been added up. */
uint64_t block_take(struct cpu *c);

/* Likewise where the vCPU goes on at a linear address, or has faulted there. */
uint64_t block_settle(struct cpu *c, uint64_t address);

/* Likewise outside the vCPU's translated code. The instruction set's functions (isa.h) are needed before the first vCPU
 * begins. */
void block_leave(struct cpu *c);
extern uint64_t (*block_goes_on_at)(const struct cpu *c), (*block_left_at)(const struct cpu *c);

#endif
