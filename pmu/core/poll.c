// SPDX-License-Identifier: BSD-2-Clause
// Polls for overflows that raise no interrupt, or whose interrupt can be lost.

#include "poll.h"

#include "overflow.h"
#include "package.h"

// Also serves an overflow whose interrupt is pending; that interrupt is then spurious.
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
	pmu_overflow_rounds(&(struct pmu_service){cpu, driver, ip, level, false, hal_clock()},
			    overflowed, PMU_ROUNDS);
	if (!driver->enable(cpu->enabled))
		pmu_register_faulted(cpu);
}

// Returns the poll interval in hal_clock units; 0: no polls. Another CPU may change the interval of
// the package's PMU meanwhile.
static uint64_t clocks_of(const struct pmu_cpu *unit)
{
	return __atomic_load_n(&unit->polling, __ATOMIC_RELAXED);
}

// Polls the CPU's own counters and the package's, if they need polls.
static void look_at_all(uint64_t ip, unsigned level)
{
	struct pmu_cpu *cpu = pmu_this_cpu();

	if (clocks_of(cpu))
		look(cpu, ip, level);
	if (clocks_of(pmu_package()))
		pmu_shared_look();
}

void pmu_poll(void)
{
	bool interrupts = hal_interrupts_disable();

	look_at_all((uintptr_t)__builtin_return_address(0), 0);
	hal_interrupts_restore(interrupts);
}

// Returns the poll interval that a PMU's open counters need.
static uint64_t clocks_needed(const struct pmu_cpu *unit)
{
	const struct pmu_polling *poll = unit->driver->poll;
	uint64_t clocks = 0;

	for (unsigned i = 0; i < PMU_COUNTER_NUMBERS; i++) {
		const struct pmu_counter *c = unit->counter[i];

		if (c && c->polled)
			return poll->clocks;
		if (c && poll->may_lose && poll->may_lose(c->select))
			clocks = c->period || clocks == poll->lost_clocks ? poll->lost_clocks :
				poll->wrap_clocks;
	}
	return clocks;
}

void pmu_poll_counters(struct pmu_cpu *unit)
{
	const uint64_t needed = clocks_needed(unit);
	uint64_t own, shared;

	if (needed == unit->polling)
		return;
	pmu_poll();		// the interval begins again
	__atomic_store_n(&unit->polling, needed, __ATOMIC_RELAXED);
	own = clocks_of(pmu_this_cpu());
	shared = clocks_of(pmu_package());
	if (!own && !shared)
		hal_poll(NULL, 0);
	else
		hal_poll(look_at_all, !own || (shared && shared < own) ? shared : own);
}
