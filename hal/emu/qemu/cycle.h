/* SPDX-License-Identifier: BSD-2-Clause */
/* The events that an instruction raises in its cycle. */
#ifndef QEMU_CYCLE_H
#define QEMU_CYCLE_H

#include "cpu.h"

/* Event signals of the current instruction's cycle. cycle_signals places the clock's signals right
 * before `signal`. */
struct cycle {
	size_t count;
	struct occurrence clock[VPMU_CLOCK_MOST], signal[SIGNALS_MOST];
};

/* Cpu events that determine whether x87 or MMX was used last. */
#define CYCLE_NUMBERS	(CPU_EVENT_SET(X87) | CPU_EVENT_SET(MMX))

/* Computes the counted events of the current instruction, which retires; `next`: the linear address
 * of its successor. */
void cycle_find(struct cpu *c, const struct instruction *i, uint64_t next, struct cycle *cycle);

/* The same, and adds them to the deferred instructions' sums (batch.h). */
void cycle_add(struct cpu *c, const struct instruction *i, uint64_t next);

/* The same for an instruction that is not a branch; the caller counts it as deferred. */
void cycle_add_first(struct cpu *c, const struct instruction *i);

/* A branch among the deferred instructions has gone to the linear address `next`. */
void cycle_add_outcome(struct cpu *c, const struct instruction *branch, uint64_t next);

/* Returns true if the current instruction's load took longer than the PMU's latency threshold. */
static inline bool cycle_load_is_slow(const struct cpu *c)
{
	return c->load.occurrence.latency > vpmu_outputs(&c->vpmu)->slow_above[c->vpmu.thread];
}

/* Returns true if vCPUs execute in parallel and some counter of the core counts reference cycles,
 * which then follow TSC. */
bool cycle_has_references(const struct cpu *c);

/* Starts a new interval of reference cycles; the time before it does not count. */
void cycle_skip_references(struct cpu *c);

/* Writes the clock's signals of the vCPU's next cycle to an array of VPMU_CLOCK_MOST, with the
 * reference cycles since the last call. Returns their number. */
size_t cycle_clock(struct cpu *c, struct occurrence *signals);

/* Returns the kinds (CLASS_*) of the instruction right before the current one; 0: unknown. */
static inline unsigned cycle_kinds_before(const struct cpu *c)
{
	return c->last_next == c->address ? c->last_kinds : 0;
}

/* Returns all signals of the cycle, *all of them. */
const struct occurrence *cycle_signals(struct cpu *c, const struct instruction *i,
				       struct cycle *cycle, size_t *all);

/* Returns the cpu events of the instruction's branch if it is taken; 0: no branch. */
uint64_t cycle_taken(const struct instruction *i);

/* Appends the signals of these effects, as signals_raise does, and clears the effects. */
size_t cycle_add_effects(const struct signals *s, struct effects *effects,
			 const struct occurrence *o, bool all,
			 struct occurrence *signal, size_t count);

#endif
