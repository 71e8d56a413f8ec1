/* SPDX-License-Identifier: BSD-2-Clause */
/* The timeline of each vCPU: its instructions reach the PMU's model in program order, each in a cycle of its own, with
 * what happens because of it. Instructions that raise nothing that is counted are added up; the model defines that n
 * such cycles are n times one.
 *
 * vCPUs that share a core or a package take turns: what one has executed is the model's before another one executes. */
#ifndef QEMU_TIMELINE_H
#define QEMU_TIMELINE_H

#include "cpu.h"

/* `i` is about to execute on the vCPU, at a linear address: the one before it has retired. */
void timeline_begin(struct cpu *c, const struct instruction *i, uint64_t address);

/* The current instruction issues: by the timed clock the cycles before it pass. */
void timeline_issue(struct cpu *c);

/* The current instruction will not execute now: an interrupt comes before it, or the vCPU's turn ends. */
void timeline_interrupt(struct cpu *c);

/* The current instruction, if there is one, has retired, and `next` is the linear address that follows it. */
void timeline_retire(struct cpu *c, uint64_t next);

/* The current instruction will not retire: it has faulted. */
void timeline_drop(struct cpu *c);

/* The vCPU begins anew: nothing has executed. */
void timeline_forget(struct cpu *c);

/* The current instruction makes this happen, on some core of the machine, at a physical address. */
void timeline_happens(struct cpu *c, struct core *on, enum happening what, uint64_t address);

/* The model knows all that the vCPU has retired, and the vCPU is the one of its core that executes. Before each access
 * to a register of the PMU. */
void timeline_settle(struct cpu *c);

/* The models know all that all vCPUs have retired, those that count from outside, too. */
void timeline_settle_all(void);

/* Cycles that all vCPUs have executed; the vCPU that has executed last, NULL: none has. */
extern uint64_t timeline_executed;
struct cpu *timeline_running(void);

/* `ticks` have passed on the machine's clock. What no vCPU has executed of them is idle time: all CPUs halt, or an
 * instruction has been executed in vain. The clock of packages goes on, cores are halted. After timeline_settle. */
void timeline_pass_idle(uint64_t ticks);

/* The same, of a core whose clock is the PMU's (struct pmu_model, clock_address): `ticks` have passed on the machine's
 * clock. What the core's vCPUs have not executed of these is idle time. */
void timeline_follow_clock(struct cpu *c, uint64_t ticks);

/* The cycle of the core that the next instruction takes, as timeline_follow_clock counts them. */
static inline uint64_t timeline_now(const struct cpu *c)
{
	return c->core->ticks + c->quiet;
}

/* How many instructions of the vCPU, which it is about to execute at this level, may be added up (batch.h). Less than
 * `least`: not more even if the model knows all that has executed. */
uint64_t timeline_left_to_add(struct cpu *c, unsigned level, unsigned least);

/* After an access to a register of the PMU, or anything else by which what counts may change. */
void timeline_resume(struct cpu *c);

/* The current instruction is about to read a register of the PMU: as timeline_settle, and at the instruction's
 * level. */
void timeline_begin_read(struct cpu *c);

/* Where an overflow traps before its instruction executes: finds what the current instruction's cycle raises, by the
 * references and the branch that are already known. Its retirement uses that. */
void timeline_prepare(struct cpu *c);

/* Whether the prepared cycle raises a precise trap. Changes nothing. After timeline_begin_read. */
bool timeline_would_trap(struct cpu *c);

/* The current instruction is about to write a register of the PMU. Its cycle passes as a part of the write, after which
 * timeline_resume is called. */
void timeline_begin_write(struct cpu *c);

#endif
