/* SPDX-License-Identifier: BSD-2-Clause */
/* The timed clock (clock=timed): the processor's description determines cycles (core_clock.h).
 * Instructions issue in order, several per cycle, and each effect reaches the model in its own
 * cycle. QEMU's own time, for timers and the time-stamp counter, remains that of its instruction
 * clock.
 *
 * The machine has one time. CPUs execute alternately: a cycle belongs to one CPU, and to all
 * packages. */
#ifndef QEMU_TIMED_H
#define QEMU_TIMED_H

#include "../model/memory.h"
#include "cpu.h"

/* Sets the processor whose latencies and width determine cycles. */
void timed_begin(const struct processor *processor);

/* Sets the number of packages; sets the lines in flight to a vCPU's core. */
void timed_begin_packages(unsigned count);
void timed_begin_fills(const struct cpu *c, const struct flights *flights);

/* Issues the current instruction. The cycles before it pass; counters may overflow in them. */
void timed_issue(struct cpu *c);

/* Reverts timed_issue: an interrupt precedes the instruction, which will issue again. */
void timed_undo(const struct cpu *c);

/* Retires the instruction. Its signals belong to the cycle in which it issued. */
void timed_retire(struct cpu *c, const struct occurrence *signals, size_t count);

/* Drops the instruction, which will not retire; its cycles have passed. */
void timed_drop(const struct cpu *c);

/* Passes all retired instructions to the model, and at the end of a time slice also the cycles in
 * which the vCPU waits. */
void timed_settle(struct cpu *c);

/* The retiring instruction writes a PMU register and raises these signals. Connects its cycle,
 * which passes in the model as a part of the write. */
void timed_connect_write(struct cpu *c, const struct occurrence *signals, size_t count);

/* timed_now: the vCPU's cycle for its references. timed_refer: reports the result of a reference.
 * timed_wait: no instruction issues before cycle `until`. With the unit clock, timed_now returns 0
 * and the others have no effect. */
uint64_t timed_now(const struct cpu *c);
void timed_refer(const struct cpu *c, enum access access, const struct reached *reached);
void timed_wait(const struct cpu *c, uint64_t until);

/* The current instruction locks the bus: all queues of its package are empty from cycle `until`
 * on. */
void timed_lock_bus(const struct cpu *c, uint64_t until);

/* The executing vCPU raises an event of a package, in this cycle or a later one. */
void timed_happens(void *context, unsigned package, enum cpu_event what, uint64_t address,
		   uint64_t cycle);

#endif
