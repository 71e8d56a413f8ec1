// SPDX-License-Identifier: BSD-2-Clause
// Polls counters whose overflows raise no interrupt.

#include "poll.h"

#include "overflow.h"
#include "package.h"

// An overflow whose interrupt is on its way is served here as well; its interrupt then finds nothing.
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
	pmu_overflow_rounds(&(struct pmu_service){cpu, driver, ip, level, false, hal_clock()}, overflowed, PMU_ROUNDS);
	if (!driver->enable(cpu->enabled))
		pmu_register_faulted(cpu);
}

// Another CPU may be changing it, if it is the package's PMU.
static bool is_polled(const struct pmu_cpu *unit)
{
	return __atomic_load_n(&unit->polling, __ATOMIC_RELAXED);
}

// The CPU's own counters, and the package's, if they need it.
static void look_at_all(uint64_t ip, unsigned level)
{
	struct pmu_cpu *cpu = pmu_this_cpu();

	if (is_polled(cpu))
		look(cpu, ip, level);
	if (is_polled(pmu_package()))
		pmu_shared_look();
}

void pmu_poll(void)
{
	bool interrupts = hal_interrupts_disable();

	look_at_all((uintptr_t)__builtin_return_address(0), 0);
	hal_interrupts_restore(interrupts);
}

static uint64_t clocks_of(const struct pmu_cpu *unit)
{
	return is_polled(unit) ? unit->driver->poll->clocks : UINT64_MAX;
}

void pmu_poll_counters(struct pmu_cpu *unit)
{
	uint64_t own, shared;
	bool any = false;

	for (unsigned i = 0; i < PMU_COUNTER_NUMBERS; i++)
		any |= unit->counter[i] && unit->counter[i]->polled;
	if (any == unit->polling)
		return;
	pmu_poll();		// the time begins anew
	__atomic_store_n(&unit->polling, any, __ATOMIC_RELAXED);
	own = clocks_of(pmu_this_cpu());
	shared = clocks_of(pmu_package());
	if (own == UINT64_MAX && shared == UINT64_MAX)
		hal_poll(NULL, 0);
	else
		hal_poll(look_at_all, own < shared ? own : shared);
}
