/* SPDX-License-Identifier: BSD-2-Clause */
/* The timed clock (clock=timed): cycles pass as the description of the processor says (core_clock.h).
 * Instructions issue in order, several of them in a cycle, and each effect reaches the model in its own cycle. QEMU's
 * own time, which timers and the time-stamp counter follow, stays that of its instruction clock.
 *
 * There is one time for the machine. CPUs take turns: a cycle is one CPU's, and the cycle of all packages. */
#ifndef QEMU_TIMED_H
#define QEMU_TIMED_H

#include "../model/memory.h"
#include "cpu.h"

/* The processor by whose latencies and width time passes. */
void timed_begin(const struct processor *processor);

/* The machine's packages begin: so many. And the lines on their way to a vCPU's core are these. */
void timed_begin_packages(unsigned count);
void timed_begin_fills(const struct cpu *c, const struct flights *flights);

/* The current instruction issues; cycles before it pass, in which counters may overflow. */
void timed_issue(struct cpu *c);

/* It will be issued once more, as an interrupt comes before it. */
void timed_undo(const struct cpu *c);

/* It has retired, and raises this in the cycle in which it has issued. */
void timed_retire(struct cpu *c, const struct occurrence *signals, size_t count);

/* It will not retire: its time has passed. */
void timed_drop(const struct cpu *c);

/* The model knows all that has retired; after a turn of the vCPU, also the time for which it waits. */
void timed_settle(struct cpu *c);

/* The instruction that is being retired writes a register, and raises this: connects its cycle, which the model passes
 * with the write. */
void timed_connect_write(struct cpu *c, const struct occurrence *signals, size_t count);

/* The current cycle of the vCPU, for its references; what one of them has done; nothing issues before a cycle. By the
 * unit clock, 0 and nothing. */
uint64_t timed_now(const struct cpu *c);
void timed_refer(const struct cpu *c, enum access access, const struct reached *reached);
void timed_wait(const struct cpu *c, uint64_t until);

/* The current instruction locks the bus: before this cycle all queues of its package are empty. */
void timed_lock_bus(const struct cpu *c, uint64_t until);

/* By the vCPU that executes, something happens in a package: in this cycle or a later one. */
void timed_happens(void *context, unsigned package, enum happening what, uint64_t address, uint64_t cycle);

#endif
