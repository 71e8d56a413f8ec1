// SPDX-License-Identifier: BSD-2-Clause
// Sums over several instructions: batch.h.

#include "batch.h"

#include "cycle.h"
#include "issue.h"

bool batch_is_used = true;

#define FEWEST	16		/* instructions; fewer are not worth the overhead */
#define MOST	(1u << 24)	/* instructions; keeps each sum within 32 bits */

// Cpu events that depend on earlier instructions, other than the pairing of a compare and a branch.
#define STATEFUL	(PIPES_RAISE | CPU_EVENT_SET(X87_BEHIND_MMX) | \
			 CPU_EVENT_SET(MMX_BEHIND_X87))

bool batch_allowed(const struct cpu *c)
{
	const struct pmu_model *const model = c->vpmu.model;
	const struct model_outputs *outputs = vpmu_outputs(&c->vpmu);

	return batch_is_used && !timed_is_used && !c->watched && !c->outside &&
	       !model->machine->commit &&
	       !outputs->comparing && !outputs->records &&
	       (!outputs->recording || (model->records && !model->records->has_cycles)) &&
	       !(c->core->signals.counted_set & STATEFUL);
}

uint64_t batch_left(const struct cpu *c)
{
	struct model_headroom h;
	uint64_t left;

	c->vpmu.model->headroom(c->vpmu.state, c->core->signals.most, &h);
	left = h.instructions < h.cycles ? h.instructions : h.cycles;
	return left < FEWEST ? 0 : left > MOST ? MOST : left;
}

static size_t raise_sum(struct cpu *c, enum cpu_event what, const struct occurrence *o,
			struct occurrence *signals, size_t count)
{
	if (c->sum[what])
		count = signals_raise(&c->core->signals, what, c->sum[what], 0, o, false, signals,
				      count);
	c->sum[what] = 0;
	return count;
}

void batch_pass(struct cpu *c)
{
	const struct occurrence o = {
		.thread = (uint8_t)c->vpmu.thread, .level = (uint8_t)c->vpmu.level, .many = 1,
	};
	struct occurrence signals[VPMU_CLOCK_MOST + SIGNALS_MOST];
	const size_t clock_count = cycle_clock(c, signals);
	size_t count = 0;

	for (; c->summed; c->summed &= c->summed - 1)
		count = raise_sum(c, (enum cpu_event)__builtin_ctzll(c->summed), &o,
				  signals + clock_count, count);
	for (unsigned what = CPU_EVENT_INSTRUCTIONS; c->referred && what < CPU_EVENT_COUNT; what++)
		count = raise_sum(c, (enum cpu_event)what, &o, signals + clock_count, count);
	c->referred = false;
	vpmu_advance(&c->vpmu, 1, signals, clock_count + count);
	vpmu_resume(&c->vpmu);
}
