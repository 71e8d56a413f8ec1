/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of several vCPUs, with QEMU's instruction clock: each one executes so many instructions in its turn, or
 * until it waits (HLT, PAUSE). QEMU ends turns whenever it has something else to do, which depends on the host and on
 * what the plugin asks for. Then the vCPU whose turn it is goes on first.
 *
 * Counters may count what other vCPUs execute; and several vCPUs may use the same lines of memory. While such counters
 * count, turns are short. */
#ifndef QEMU_TURNS_H
#define QEMU_TURNS_H

#include "cpu.h"
#include "unpromised.h"

/* What counts: how long a turn is, from the next one on. */
enum turns {
	TURNS_LONG,		/* each vCPU's events by themselves */
	TURNS_SHORT,		/* what other vCPUs execute */
	TURNS_REFERRING,	/* references to memory */
};
void turns_set(enum turns turns);

/* How many instructions the vCPU, for which turns_wait was false, may execute in its turn. */
uint64_t turns_left(const struct cpu *c);

/* Whether its turn ends: the vCPU must leave its block. */
bool turns_end(const struct cpu *c);

/* The vCPU waits for something, or it or others get an interrupt: its turn ends. */
void turns_give_up(void);

/* All vCPUs leave their blocks, for a reason that is the plugin's. */
void turns_pause(void);

/* Whether this vCPU, which is about to execute, must leave its block, as it is the turn of another one. */
bool turns_wait(const struct cpu *c);

#endif
