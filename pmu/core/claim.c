// SPDX-License-Identifier: BSD-2-Clause
// The counters of a PMU that palmon uses, if other software owns the others.

#include "package.h"
#include "pmu_unit.h"

static const char *claim(const struct pmu_cpu *unit, const struct pmu_driver *driver, uint64_t counters)
{
	if (unit && unit->driver == driver && unit->open)
		return "sessions that are open have counters";
	return driver->owners->claim(counters);
}

static const char *claim_shared(const struct pmu_driver *driver, uint64_t counters)
{
	const char *why = "another CPU has stayed in this PMU too long";
	bool interrupts;

	if (pmu_shared_lock(&interrupts)) {
		why = claim(pmu_package(), driver, counters);
		pmu_shared_unlock(interrupts);
	}
	return why;
}

// A CPU that has not called pmu_begin has no sessions.
const char *pmu_claim(const struct pmu_driver *driver, uint64_t counters)
{
	if (!driver->owners)
		return "all counters of this PMU are ours";
	return driver->cores && pmu_this_cpu() ? claim_shared(driver, counters) :
						 claim(pmu_this_cpu(), driver, counters);
}
