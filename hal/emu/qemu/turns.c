// SPDX-License-Identifier: BSD-2-Clause
// How long a vCPU executes before another one does: turns.h.

#include "turns.h"

// Of references to memory it is a prime number, so that turns do not keep step with the guest's loops.
#define TURN		250	/* instructions */
#define REFERRING_TURN	97

static const struct cpu *executes;	// the vCPU whose turn it is; NULL: none has begun
static uint64_t ends;			// when it has come so far

static const struct cpu *paused;	// it goes on with its turn; NULL: any vCPU may execute
static unsigned waits;			// so many times others wait for that at most: it may halt

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
	if (cpus_count == 1 || !unpromised_takes_turns())
		return UINT64_MAX;
	if (executes != c)
		ends = progress(c) + length(refers);
	executes = c;
	return ends > progress(c) ? ends - progress(c) : 0;
}

void turns_pause(void)
{
	paused = executes;
	waits = 2 * cpus_count;
	for (struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		async_run_on_cpu(c->qemu, turns_nothing, (union run_on_cpu_data){0});
}

bool turns_wait(const struct cpu *c)
{
	if (!paused || c == paused || !waits) {
		paused = NULL;
		return false;
	}
	waits--;
	async_run_on_cpu(c->qemu, turns_nothing, (union run_on_cpu_data){0});
	return true;
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
