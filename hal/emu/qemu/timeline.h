/* SPDX-License-Identifier: BSD-2-Clause */
/* The timeline of each vCPU: its instructions reach the PMU model in program order, each in a cycle
 * of its own, together with its effects. Instructions without a counted event are deferred and
 * passed together: by the model's definition, running n such cycles at once equals running them one
 * by one.
 *
 * vCPUs that share a core or a package execute in time slices. The model receives all instructions
 * of one vCPU before another one executes. */
#ifndef QEMU_TIMELINE_H
#define QEMU_TIMELINE_H

#include "cpu.h"

/* Instruction `i` is about to execute at a linear address: the previous one has retired. */
void timeline_begin(struct cpu *c, const struct instruction *i, uint64_t address);

/* Issues the current instruction. With the timed clock, the cycles before it pass. */
void timeline_issue(struct cpu *c);

/* The current instruction will not execute now: an interrupt precedes it, or the time slice
 * ends. */
void timeline_interrupt(struct cpu *c);

/* Retires the current instruction, if any; `next`: the linear address of its successor. */
void timeline_retire(struct cpu *c, uint64_t next);

/* Drops the current instruction, which has faulted. */
void timeline_drop(struct cpu *c);

/* Resets the vCPU's timeline: nothing has executed. */
void timeline_forget(struct cpu *c);

/* The current instruction raises a cpu event of some core, at a physical address. */
void timeline_happens(struct cpu *c, struct core *on, enum cpu_event what, uint64_t address);

/* Synchronizes: the model knows all instructions that the vCPU has retired, and the vCPU is the
 * executing one of its core. Call it before each access to a PMU register. */
void timeline_settle(struct cpu *c);

/* The same for all vCPUs, including models that count from outside. */
void timeline_settle_all(void);

/* timeline_executed: cycles executed by all vCPUs together. timeline_running: the vCPU that
 * executed last, or NULL. */
extern uint64_t timeline_executed;
struct cpu *timeline_running(void);

/* Advances to `ticks` of the machine's clock. Ticks in which no vCPU executed are idle: all CPUs
 * were halted, or an instruction did not retire. In idle time, the clock of packages runs and cores
 * are halted. Call it after timeline_settle. */
void timeline_pass_idle(uint64_t ticks);

/* The same for a core whose clock is a PMU register (struct pmu_model, clock_address): ticks that
 * its vCPUs have not executed are idle. */
void timeline_follow_clock(struct cpu *c, uint64_t ticks);

/* Returns the core's cycle of the next instruction, in the ticks of timeline_follow_clock. */
static inline uint64_t timeline_now(const struct cpu *c)
{
	return c->core->ticks + c->quiet;
}

/* Returns the number of instructions at this level that may be batched (batch.h) from now on. If
 * that is less than `least`, synchronizing does not increase it. */
uint64_t timeline_left_to_add(struct cpu *c, unsigned level, unsigned least);

/* Call after an access to a PMU register or any other change of the counters' selections. */
void timeline_resume(struct cpu *c);

/* Call before the current instruction reads a PMU register: timeline_settle at the instruction's
 * level. */
void timeline_begin_read(struct cpu *c);

/* For overflows that trap before the instruction: computes the current instruction's cycle from its
 * references and branch, which are already known. Its retirement uses the result. */
void timeline_prepare(struct cpu *c);

/* Returns true if the prepared cycle raises a precise trap. Has no effect. Call it after
 * timeline_begin_read. */
bool timeline_would_trap(struct cpu *c);

/* Call before the current instruction writes a PMU register. Its cycle passes as a part of the
 * write. Then call timeline_resume. */
void timeline_begin_write(struct cpu *c);

#endif
