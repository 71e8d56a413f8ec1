// SPDX-License-Identifier: BSD-2-Clause
// How long a vCPU executes before another one does: turns.h.

#include "turns.h"

// Of references to memory it is a prime number, so that turns do not keep step with the guest's loops.
#define TURN		250	/* instructions */
#define REFERRING_TURN	97

static uint64_t ends;	// when the vCPU whose turn it is has come so far

static uint64_t progress(const struct cpu *c)
{
	return c->retired + c->iterations;
}

static uint64_t length(bool refers)
{
	return refers ? REFERRING_TURN : TURN;
}

uint64_t turns_left(const struct cpu *c, bool refers)
{
	static const struct cpu *executes;

	if (cpus_count == 1 || !unpromised_takes_turns())
		return UINT64_MAX;
	if (executes != c)
		ends = progress(c) + length(refers);
	executes = c;
	return ends > progress(c) ? ends - progress(c) : 0;
}

void turns_nothing(void *qemu, union run_on_cpu_data unused)
{
	(void)qemu, (void)unused;
}

bool turns_end(const struct cpu *c, bool refers)
{
	if (turns_left(c, refers))
		return false;
	ends = progress(c) + length(refers);
	async_run_on_cpu(c->qemu, turns_nothing, (union run_on_cpu_data){0});
	return true;
}
