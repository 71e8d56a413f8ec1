// SPDX-License-Identifier: BSD-2-Clause
// Which of a PMU's counters are ours, where other software has the rest.

#include "cpu.h"

static bool is_open(const struct pmu_driver *driver)
{
	const struct pmu_cpu *unit = pmu_this_cpu() ? pmu_unit(driver) : NULL;

	return unit && unit->driver == driver && unit->open;
}

const char *pmu_claim(const struct pmu_driver *driver, uint64_t counters)
{
	if (!driver->claim)
		return "all counters of this PMU are ours";
	if (is_open(driver))
		return "sessions that are open have counters";
	return driver->claim(counters);
}
