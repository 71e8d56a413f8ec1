/* SPDX-License-Identifier: BSD-2-Clause */
/* A block of instructions, as QEMU translates it, that executes without a callback before each of them: where they are
 * added up (batch.h), and no overflow can come among them. Such a block is open until it is known how far it has come.
 *
 * QEMU executes a block from its start. It leaves it behind its last instruction; or before one of its instructions,
 * which faults, or which QEMU begins anew in another block. Only the last one can branch. */
#ifndef QEMU_BLOCK_H
#define QEMU_BLOCK_H

#include "cpu.h"

struct block {
	unsigned count;			/* of instructions, at least 1 */
	bool steps;			/* a callback must come before each of them */
	unsigned sums;			/* what the ones between the first and the last raise: so many happenings, */
	struct {
		uint8_t what;		/* this one */
		uint16_t n;		/* so many times */
	} sum[64];
	uint64_t numbers;		/* CYCLE_NUMBERS that some of them raise, but for the last */
	struct instruction instruction[];
};

/* The block, as a number, whose last instruction has begun: translated code sets it. Also that of blocks that are not
 * open: an access to a device that has begun in the open block executes in a block of its own. */
extern uint64_t block_ended;

/* A block of so many instructions, each all zero. Its other fields are found when they are known, by block_complete. */
struct block *block_new(size_t count);
void block_complete(struct block *b);

/* The vCPU's block is about to execute without steps at a linear address, and its first instruction is the current one.
 * All of it may be added up (timeline_can_add). */
void block_open(struct cpu *c, const struct block *b, uint64_t address);

/* A block is open on this vCPU; NULL: on none. No other one executes before it is closed. */
extern struct cpu *block_opened;

/* That vCPU goes on at a linear address, or has faulted there: all instructions of the block before that have retired.
 * A block that has ended may go on anywhere: its last instruction is the current one. */
void block_close(uint64_t address);

/* Likewise where its turn has ended: outside translated code. `block_goes_on_at`: the linear address at which a vCPU
 * will go on; before the first vCPU begins. */
void block_leave(void);
extern uint64_t (*block_goes_on_at)(const struct cpu *c);

#endif
