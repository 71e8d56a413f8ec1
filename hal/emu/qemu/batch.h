/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions are added up where only sums matter: what several of them have raised reaches the model in the cycle of
 * the last one. Without it (batch=off) each instruction that raises something counted is a cycle by itself. Counts,
 * overflows and their instructions are the same. */
#ifndef QEMU_BATCH_H
#define QEMU_BATCH_H

#include "cpu.h"

/* Before the first vCPU begins. */
extern bool batch_is_used;

/* Whether the instructions of a vCPU may be added up, with its registers as they are: of all that is counted only sums
 * matter. */
bool batch_allowed(const struct cpu *c);

/* So many of them may be before an overflow, whatever they raise; it may be fewer than could be. 0: too few to be
 * worth it. */
uint64_t batch_left(const struct cpu *c);

/* The last quiet instruction has raised these happenings, each once. Those that are not counted do not matter. */
static inline void batch_add(struct cpu *c, uint64_t happenings)
{
	happenings &= c->core->signals.counted_set;
	c->summed |= happenings;
	for (; happenings; happenings &= happenings - 1)
		c->sum[__builtin_ctzll(happenings)]++;
}

/* Likewise one of them `n` times. */
static inline void batch_add_many(struct cpu *c, unsigned happening, unsigned n)
{
	const uint64_t set = c->core->signals.counted_set & 1ULL << happening;

	c->summed |= set;
	c->sum[happening] += set ? n : 0;
}

/* The last quiet instruction has not retired after all. */
static inline void batch_take_back(struct cpu *c, uint64_t happenings)
{
	for (happenings &= c->core->signals.counted_set; happenings; happenings &= happenings - 1)
		c->sum[__builtin_ctzll(happenings)]--;
}

/* The references of a quiet instruction have raised any happening `n` times. If it is counted, it is added up. */
static inline void batch_add_referred(struct cpu *c, enum happening what, unsigned n)
{
	if (!c->core->signals.counted[what])
		return;
	c->sum[what] += n;
	c->referred = true;
}

/* Lets the cycle of the last quiet instruction pass, with all that has been added up, which is forgotten then. */
void batch_pass(struct cpu *c);

#endif
