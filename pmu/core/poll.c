// SPDX-License-Identifier: BSD-2-Clause
// Counters whose overflows raise no interrupt: somebody has to look. Linked where a driver has such.

#include "session.h"

// An overflow that has an interrupt of its own may be on its way: it is served here as well, and the interrupt finds
// nothing.
static void look(struct pmu_cpu *cpu, uint64_t ip, unsigned level)
{
	const struct pmu_driver *driver = cpu->driver;
	uint64_t overflowed;

	if (!pmu_overflowed(cpu, driver))
		return;
	if (!driver->enable(0))
		pmu_register_faulted(cpu);
	overflowed = pmu_overflowed(cpu, driver);
	cpu->statistics.polled += (unsigned)__builtin_popcountll(overflowed);
	pmu_overflow_rounds(cpu, driver, overflowed, ip, level, hal_clock(), PMU_ROUNDS);
	if (!driver->enable(cpu->enabled))
		pmu_register_faulted(cpu);
}

static void on_time(uint64_t ip, unsigned level)
{
	look(pmu_this_cpu(), ip, level);
}

void pmu_poll(void)
{
	bool interrupts = hal_interrupts_disable();

	look(pmu_this_cpu(), (uintptr_t)__builtin_return_address(0), 0);
	hal_interrupts_restore(interrupts);
}

void pmu_poll_counters(struct pmu_cpu *cpu)
{
	bool any = false;

	for (unsigned i = 0; i < PMU_COUNTER_NUMBERS; i++)
		any |= cpu->counter[i] && cpu->counter[i]->polled;
	if (any != cpu->polling)
		hal_poll(any ? on_time : NULL, cpu->driver->poll_clocks);
	cpu->polling = any;
}
