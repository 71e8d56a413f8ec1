// SPDX-License-Identifier: BSD-2-Clause
// Estimates counts of which a part was measured. Not part of the resident runtime.

#include "pmu.h"

bool pmu_scale(uint64_t count, uint64_t part, uint64_t whole, uint64_t *scaled)
{
	unsigned __int128 estimate;

	if (!part)
		return false;
	estimate = ((unsigned __int128)count * whole + part / 2) / part;
	*scaled = estimate > UINT64_MAX ? UINT64_MAX : (uint64_t)estimate;
	return true;
}
