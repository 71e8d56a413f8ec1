// SPDX-License-Identifier: BSD-2-Clause
// Time in which no vCPU executes: timeline_pass_idle.

#include "pmus.h"
#include "timeline.h"

static uint64_t idle;		// ticks of the machine's clock in which no vCPU executed

// Returns the number of instructions that have executed on other vCPUs and have not retired yet.
static unsigned begun(const struct cpu *running)
{
	unsigned count = 0;

	for (const struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		count += c != running && c->current;
	return count;
}

// Passes cycles in which the thread is halted, so that only faulty counters count.
static void halt_for(struct cpu *c, uint64_t cycles)
{
	vpmu_resume(&c->vpmu);
	vpmu_set_halted(&c->vpmu, true);
	c->vpmu.model->advance(c->vpmu.state, cycles, NULL, 0);
	vpmu_set_halted(&c->vpmu, false);
}

void timeline_pass_idle(uint64_t ticks)
{
	struct cpu *const running = timeline_running();
	const uint64_t now = ticks - timeline_executed - begun(running);
	struct vpmu_package *package;

	if ((int64_t)(now - idle) <= 0)
		return;
	for (struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		if (c->core)
			halt_for(c, now - idle);
	for (unsigned number = 0; (package = pmus_package(number)) != NULL; number++) {
		package->pending += now - idle;
		vpmu_package_sync(package);
	}
	if (running)
		timeline_resume(running);
	idle = now;
}
