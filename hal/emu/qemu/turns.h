/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of several vCPUs, with QEMU's instruction clock: a turn is a number of instructions, or ends when the vCPU
 * waits (HLT, PAUSE). QEMU itself switches vCPUs at times that depend on the host and on the plugin's requests. Then
 * the vCPU that has not ended its turn continues first.
 *
 * Counters may count events of other vCPUs, and several vCPUs may use the same lines of memory. While such counters
 * are enabled, turns are short. */
#ifndef QEMU_TURNS_H
#define QEMU_TURNS_H

#include "cpu.h"
#include "unpromised.h"

/* The length of turns, from the next one on, by the enabled counters. */
enum turns {
	TURNS_LONG,		/* they count their own vCPU's events only */
	TURNS_SHORT,		/* some count events of other vCPUs */
	TURNS_REFERRING,	/* some count references to memory */
};
void turns_set(enum turns turns);

/* How many instructions the vCPU, for which turns_wait was false, may execute in its turn. */
uint64_t turns_left(const struct cpu *c);

/* Whether its turn ends: the vCPU must leave its block. */
bool turns_end(const struct cpu *c);

/* Ends the turn: the vCPU waits, or it or others get an interrupt. */
void turns_give_up(void);

/* The plugin makes all vCPUs leave their blocks. */
void turns_pause(void);

/* Whether this vCPU, which is about to execute, must leave its block, because another one has not ended its turn. */
bool turns_wait(const struct cpu *c);

#endif
