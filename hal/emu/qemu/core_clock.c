// SPDX-License-Identifier: BSD-2-Clause
// In-order issue of a core's instructions: core_clock.h.

#include "core_clock.h"

#define LATENCY(name)	(1u << LATENCY_##name)
#define QUEUE(name)	(1u << QUEUE_##name)

const struct processor_needs core_clock_needs = {
	.latencies = LATENCY(L1D) | LATENCY(L2) | LATENCY(L3) | LATENCY(L3_SHARED) |
		LATENCY(L3_MODIFIED) |
		     LATENCY(MEMORY) | LATENCY(REMOTE_CACHE) | LATENCY(REMOTE_MEMORY),
	.widths = 1u << WIDTH_ISSUE,
	.queues = QUEUE(GQ_READ) | QUEUE(GQ_WRITE) | QUEUE(GQ_PEER) | QUEUE(QHL_LOCAL) |
		QUEUE(QHL_ALONE) |
		  QUEUE(QHL_REMOTE) | QUEUE(IMC_READ) | QUEUE(IMC_WRITE),
};

// A computed result is ready in the next cycle.
uint64_t core_clock_issue(struct core_clock *k, const struct processor *processor,
			  const struct classes *instruction)
{
	k->last = instruction;
	k->loaded = issue_next(&k->issue, processor->width[WIDTH_ISSUE], instruction->pipes.reads);
	issue_write(&k->issue, instruction->pipes.writes, k->issue.now + 1);
	return k->issue.now;
}

// Returns true if the instruction loads into a general register (not just the stack pointer that it
// moves).
static bool loads_register(const struct classes *c)
{
	return c->pipes.delays && !c->stores && !c->branch;
}

void core_clock_refer(struct core_clock *k, const struct processor *processor, enum access access,
		      const struct reached *reached)
{
	const unsigned width = processor->width[WIDTH_ISSUE];
	const uint64_t until = k->issue.now + reached->latency;
	const bool misses = reached->latency > processor->latency[LATENCY_L1D];

	issue_wait(&k->issue, width, k->issue.now + reached->waits);
	if (access == ACCESS_LOCK || (access == ACCESS_FETCH && misses))
		issue_wait(&k->issue, width, until);
	if (access != ACCESS_LOAD || until <= k->loaded)
		return;
	k->loaded = until;
	if (loads_register(k->last))
		issue_write(&k->issue, k->last->pipes.delays, until);
	else if (!k->last->branch && misses)
		issue_wait(&k->issue, width, until);
}
