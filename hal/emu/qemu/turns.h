/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of several vCPUs, with QEMU's instruction clock. A time slice is a number of
 * instructions; it ends early when the vCPU waits (HLT, PAUSE) or another one gets an overflow
 * interrupt. The next slice belongs to the next vCPU that does not wait, or to the one that gets
 * the interrupt. QEMU itself switches vCPUs at times that depend on the host; then the vCPU whose
 * slice has not ended continues first.
 *
 * Counters may count events of other vCPUs, and several vCPUs may use the same lines of memory.
 * While such counters are enabled, time slices are short.
 *
 * With the timed clock of cores whose threads share pipes (threads.h) there are no slices: the vCPU
 * executes whose next instruction issues first. */
#ifndef QEMU_TURNS_H
#define QEMU_TURNS_H

#include "cpu.h"
#include "unpromised.h"

/* The length of time slices, determined by the enabled counters. */
enum turns {
	TURNS_LONG,		/* they count events of their own vCPU only */
	TURNS_SHORT,		/* some count events of other vCPUs */
	TURNS_REFERRING,	/* some count memory references */
};
void turns_set(enum turns turns);

/* Returns the number of instructions that the vCPU may still execute in its slice. Call it only
 * after turns_wait returned false. */
uint64_t turns_left(const struct cpu *c);

/* Ends the slice if it is used up, or if another vCPU's instruction issues first. Returns true if
 * so: the vCPU must leave its block. */
bool turns_end(const struct cpu *c);

/* Ends the slice: this vCPU waits. */
void turns_give_up(const struct cpu *c);

/* Begins a slice of this vCPU, which gets an interrupt. */
void turns_give_to(const struct cpu *c);

/* Makes all vCPUs leave their blocks. */
void turns_pause(void);

/* Returns true if this vCPU, which is about to execute, must leave its block because another one's
 * slice has not ended. */
bool turns_wait(const struct cpu *c);

#endif
