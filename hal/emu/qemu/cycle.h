/* SPDX-License-Identifier: BSD-2-Clause */
/* What an instruction raises in its cycle. */
#ifndef QEMU_CYCLE_H
#define QEMU_CYCLE_H

#include "cpu.h"

/* Event signals of the current instruction's cycle. Room for the clock's comes first. */
struct cycle {
	size_t count;
	struct occurrence clock[VPMU_CLOCK_MOST], signal[SIGNALS_MOST];
};

/* What says of x87 and MMX which of them was used last. */
#define CYCLE_NUMBERS	(HAPPENING_SET(X87) | HAPPENING_SET(MMX))

/* The vCPU retires an instruction, which is at its address, and `next` is the linear address that follows it: finds
 * what that raises of what is counted. */
void cycle_find(struct cpu *c, const struct instruction *i, uint64_t next, struct cycle *cycle);

/* Likewise, and adds it to the quiet instructions (batch.h). */
void cycle_add(struct cpu *c, const struct instruction *i, uint64_t next);

/* Likewise, of an instruction that is no branch, but does not count it as a quiet one. */
void cycle_add_first(struct cpu *c, const struct instruction *i);

/* A branch in the quiet instructions has led to the linear address `next`. */
void cycle_add_outcome(struct cpu *c, const struct instruction *branch, uint64_t next);

/* Whether the current instruction's load took longer than the PMU asks for. */
static inline bool cycle_load_is_slow(const struct cpu *c)
{
	return c->load.occurrence.latency > vpmu_outputs(&c->vpmu)->slow_above[c->vpmu.thread];
}

/* Whether some counter of the core counts reference cycles. In parallel (parallel.h) they follow TSC. */
bool cycle_has_references(const struct cpu *c);

/* Reference cycles until now do not count. */
void cycle_skip_references(struct cpu *c);

/* Writes the clock's signals of the vCPU's next cycle to an array of VPMU_CLOCK_MOST, with the reference cycles since
 * the last call. Returns the number of signals. */
size_t cycle_clock(struct cpu *c, struct occurrence *signals);

/* The kinds of the instruction right before the current one (CLASS_*); 0: they are not known. */
static inline unsigned cycle_kinds_before(const struct cpu *c)
{
	return c->last_next == c->address ? c->last_kinds : 0;
}

/* Connects the cycle to the model's state, or to a copy of it. */
void cycle_connect(void *state, struct cpu *c, const struct instruction *i, struct cycle *cycle);

/* What the instruction's branch raises if it is taken; 0: it is none. */
uint64_t cycle_taken(const struct instruction *i);

/* Appends what these effects raise, as signals_raise, and forgets them. */
size_t cycle_add_effects(const struct signals *s, struct effects *effects, const struct occurrence *o, bool all,
			 struct occurrence *signal, size_t count);

#endif
