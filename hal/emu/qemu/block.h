/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of instructions, as translated by QEMU, that execute without a callback. Used while
 * instructions are batched (batch.h) and no overflow is near. Translated code adds up the events;
 * block_settle and block_leave find how far a vCPU has come.
 *
 * QEMU enters a block at its start. It leaves the block after the last instruction, or before any
 * instruction that faults or that QEMU restarts in another block. Only the last instruction can
 * branch. */
#ifndef QEMU_BLOCK_H
#define QEMU_BLOCK_H

#include "cpu.h"

struct block {
	struct cpu *of;			/* the vCPU that executes the block */
	unsigned count;			/* instructions, at least 1 */
	bool steps;			/* the block needs a callback before each instruction */
	uint64_t numbers;		/* CYCLE_NUMBERS of the last instruction that raises any;
					 * 0: none does */
	struct block *next;		/* list of all blocks of the vCPU */
	struct instruction instruction[];
};

/* Initializes a vCPU that has executed nothing. */
void block_begin(struct cpu *c);

/* Allocates a block of `count` zeroed instructions for a vCPU. */
struct block *block_new(struct cpu *c, size_t count);

/* Computes the block's other fields from its instructions. `refers`: the plugin follows memory
 * references. */
void block_complete(struct block *b, bool refers);

/* Forgets all blocks and ends all vCPUs' permission to execute without callbacks. Call it when QEMU
 * has flushed all translated code. */
void block_forget_all(void);

/* Requests that blocks also sum these cpu events; `branches_ask`: and report where branches go.
 * Returns false if all translated blocks already do so. */
bool block_add_up(uint64_t cpu_events, bool branches_ask);
bool block_asks_branches(void);
void block_add_up_nothing(void);

/* Operations of translated code in a block */

/* A vCPU's `blocks.room[level]` is BLOCK_ROOM minus the number of instructions that may still
 * execute without a callback. While a block is open, bits BLOCK_OPEN and above hold its address. */
#define BLOCK_ROOM	0x10000u
#define BLOCK_OPEN	16

/* Before the block's first instruction: calls back if the room exceeds this. */
static inline uint64_t block_least(const struct block *b)
{
	return BLOCK_ROOM - b->count;
}

/* Next, adds this to the room. */
static inline uint64_t block_opens(const struct block *b)
{
	return b->count > 1 ? (uint64_t)(uintptr_t)b << BLOCK_OPEN : 0;
}

/* Before the block's last instruction: adds this to the room, and block_sums() to `blocks.sum`. */
static inline uint64_t block_closes(const struct block *b)
{
	return b->count - block_opens(b);
}
void block_sums(const struct block *b, uint64_t sum[BLOCK_SUMS]);

/* Operations of the plugin */

/* Allows the vCPU to execute block `b`, whose first instruction is the current one, and any
 * following blocks: `most` instructions at this level, at least b->count. All must be batchable. */
void block_open(struct cpu *c, const struct block *b, uint64_t most);

/* With block_asks_branches: the vCPU begins this block; the last instruction of the previous block
 * may be a branch. */
void block_branched(struct cpu *c, const struct block *to);

/* Call before an instruction of an open block fetches a line or accesses memory. Adds up the
 * effects of the previous referring instruction. Returns false if no block is open, i.e. each
 * instruction takes a cycle of its own. */
bool block_refers(struct cpu *c, const struct instruction *i);

/* Adds the completed blocks to the deferred instructions; their last instruction may become the
 * current one. If a block is still open, block_settle or block_leave finds how far the vCPU has
 * come. Returns the number of instructions added. */
uint64_t block_take(struct cpu *c);

/* The same, for a vCPU that continues, or has faulted, at a linear address. */
uint64_t block_settle(struct cpu *c, uint64_t address);

/* The same, outside the vCPU's translated code. The two functions are those of isa.h, set before
 * the first vCPU begins. */
void block_leave(struct cpu *c);
extern uint64_t (*block_goes_on_at)(const struct cpu *c), (*block_left_at)(const struct cpu *c);

#endif
