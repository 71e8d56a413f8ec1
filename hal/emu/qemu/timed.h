/* SPDX-License-Identifier: BSD-2-Clause */
/* The timed clock (clock=timed): the processor's description determines cycles (core_clock.h). Instructions issue in
 * order, several of them in a cycle, and each effect reaches the model in its own cycle. QEMU's own time, for timers
 * and the time-stamp counter, stays that of its instruction clock.
 *
 * The machine has one time. CPUs execute alternately: a cycle belongs to one CPU, and to all packages. */
#ifndef QEMU_TIMED_H
#define QEMU_TIMED_H

#include "../model/memory.h"
#include "cpu.h"

/* Sets the processor whose latencies and width determine cycles. */
void timed_begin(const struct processor *processor);

/* Sets the machine's number of packages, and the lines in flight to a vCPU's core. */
void timed_begin_packages(unsigned count);
void timed_begin_fills(const struct cpu *c, const struct flights *flights);

/* The current instruction issues; cycles before it pass, in which counters may overflow. */
void timed_issue(struct cpu *c);

/* An interrupt precedes the instruction, which will issue again. */
void timed_undo(const struct cpu *c);

/* The instruction has retired, and raises these signals in the cycle in which it issued. */
void timed_retire(struct cpu *c, const struct occurrence *signals, size_t count);

/* The instruction will not retire; its cycles have passed. */
void timed_drop(const struct cpu *c);

/* Reports all retired instructions to the model; after a turn of the vCPU, also the cycles in which it waits. */
void timed_settle(struct cpu *c);

/* The retiring instruction writes a register, and raises these signals: connects its cycle, which the model passes with
 * the write. */
void timed_connect_write(struct cpu *c, const struct occurrence *signals, size_t count);

/* The current cycle of the vCPU, for its references; the result of a reference; no instruction issues before cycle
 * `until`. With the unit clock, timed_now is 0 and the others have no effect. */
uint64_t timed_now(const struct cpu *c);
void timed_refer(const struct cpu *c, enum access access, const struct reached *reached);
void timed_wait(const struct cpu *c, uint64_t until);

/* The current instruction locks the bus: all queues of its package are empty from cycle `until` on. */
void timed_lock_bus(const struct cpu *c, uint64_t until);

/* The executing vCPU causes an event in a package, in this cycle or a later one. */
void timed_happens(void *context, unsigned package, enum happening what, uint64_t address, uint64_t cycle);

#endif
