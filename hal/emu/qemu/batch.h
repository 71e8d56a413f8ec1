/* SPDX-License-Identifier: BSD-2-Clause */
/* Batching: where counters only need sums, the events of several instructions reach the model
 * together, in the cycle of the last one. With batch=off, each instruction that raises a counted
 * event is a cycle of its own. Both modes give the same counts and overflow at the same
 * instructions. With the timed clock, timed.c adds up. */
#ifndef QEMU_BATCH_H
#define QEMU_BATCH_H

#include "cpu.h"

/* Set before the first vCPU begins. */
extern bool batch_is_used;

/* Returns true if, with the current PMU registers, every enabled counter only needs sums. */
bool batch_allowed(const struct cpu *c);

/* Returns a lower bound of the number of instructions before an overflow, whatever events they
 * raise. 0: too few to batch. */
uint64_t batch_left(const struct cpu *c);

/* Adds cpu events, each raised once by the last deferred instruction. Ignores events that no
 * counter counts. */
static inline void batch_add(struct cpu *c, uint64_t cpu_events)
{
	cpu_events &= c->core->signals.counted_set;
	c->summed |= cpu_events;
	for (; cpu_events; cpu_events &= cpu_events - 1)
		c->sum[__builtin_ctzll(cpu_events)]++;
}

/* The same for one cpu event, raised `n` times. */
static inline void batch_add_many(struct cpu *c, unsigned cpu_event, unsigned n)
{
	const uint64_t set = c->core->signals.counted_set & 1ULL << cpu_event;

	c->summed |= set;
	c->sum[cpu_event] += set ? n : 0;
}

/* Reverts batch_add, because the last deferred instruction did not retire after all. */
static inline void batch_take_back(struct cpu *c, uint64_t cpu_events)
{
	for (cpu_events &= c->core->signals.counted_set; cpu_events; cpu_events &= cpu_events - 1)
		c->sum[__builtin_ctzll(cpu_events)]--;
}

/* Adds a cpu event raised `n` times by memory references of a deferred instruction; any event, if
 * counted. */
static inline void batch_add_referred(struct cpu *c, enum cpu_event what, unsigned n)
{
	if (!c->core->signals.counted[what])
		return;
	c->sum[what] += n;
	c->referred = true;
}

/* Passes the cycle of the last deferred instruction, with all sums, to the model, and clears the
 * sums. */
void batch_pass(struct cpu *c);

#endif
