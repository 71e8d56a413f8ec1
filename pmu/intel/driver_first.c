// SPDX-License-Identifier: BSD-2-Clause
// Version 1 of architectural performance monitoring, without global registers: counters start and
// stop one after the other, and nothing but their values shows an overflow.

#include "driver.h"

// Enables exactly these counters; their selects keep all other bits.
bool intel_first_enable(uint64_t counters)
{
	bool ok = true;

	for (unsigned n = 0; n < intel_found.general; n++) {
		const uint64_t enable = counters >> n & 1 ? FIELD(IA32_PERFEVTSEL, EN) : 0;
		uint64_t select = 0;

		ok &= reg_read(MSR_IA32_PERFEVTSEL + n, &select);
		if ((select & FIELD(IA32_PERFEVTSEL, EN)) != enable)
			ok &= reg_write(MSR_IA32_PERFEVTSEL + n,
					(select & ~FIELD(IA32_PERFEVTSEL, EN)) | enable);
	}
	return ok;
}

// Reads which counters are enabled.
bool intel_first_enabled(uint64_t *counters)
{
	bool ok = true;

	*counters = 0;
	for (unsigned n = 0; n < intel_found.general; n++) {
		uint64_t select = 0;

		ok &= reg_read(MSR_IA32_PERFEVTSEL + n, &select);
		*counters |= FIELD_GET(IA32_PERFEVTSEL, EN, select) << n;
	}
	return ok;
}

// Only counters of running sessions are armed.
bool intel_first_overflowed(uint64_t *overflowed)
{
	const uint64_t armed = pmu_this_cpu()->enabled;
	bool ok = true;

	*overflowed = 0;
	for (unsigned n = 0; n < intel_found.general; n++) {
		uint64_t value = ~0ULL;

		if (!(armed >> n & 1))
			continue;
		ok &= reg_read(MSR_IA32_PMC + n, &value);
		*overflowed |= (~value >> (intel_shape.width - 1) & 1) << n;
	}
	return ok;
}
