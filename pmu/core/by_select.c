// SPDX-License-Identifier: BSD-2-Clause
// PMUs without global registers: counters start and stop one after the other, and nothing but their
// values shows an overflow.

#include "by_select.h"

#include "pmu_unit.h"

bool pmu_enable_by_select(const struct pmu_driver *driver, uint64_t enable, uint64_t counters)
{
	bool ok = true;

	for (uint64_t rest = driver->shape->counters; rest; rest &= rest - 1) {
		const unsigned n = (unsigned)__builtin_ctzll(rest);
		const uint64_t wanted = counters >> n & 1 ? enable : 0;
		uint64_t select = 0;

		ok &= driver->read(driver->control(n), &select);
		if ((select & enable) != wanted)
			ok &= driver->write(driver->control(n), (select & ~enable) | wanted);
	}
	return ok;
}

bool pmu_enabled_by_select(const struct pmu_driver *driver, uint64_t enable, uint64_t *counters)
{
	bool ok = true;

	*counters = 0;
	for (uint64_t rest = driver->shape->counters; rest; rest &= rest - 1) {
		uint64_t select = 0;

		ok &= driver->read(driver->control((unsigned)__builtin_ctzll(rest)), &select);
		*counters |= select & enable ? rest & -rest : 0;
	}
	return ok;
}

// Only counters of running sessions are armed.
bool pmu_overflowed_by_value(const struct pmu_driver *driver, uint64_t *overflowed)
{
	bool ok = true;

	*overflowed = 0;
	for (uint64_t rest = pmu_this_cpu()->enabled; rest; rest &= rest - 1) {
		uint64_t value = 0;
		const bool read = driver->read(driver->address((unsigned)__builtin_ctzll(rest)),
					       &value);

		if (read && !(value >> (driver->shape->width - 1) & 1))
			*overflowed |= rest & -rest;
		ok &= read;
	}
	return ok;
}
