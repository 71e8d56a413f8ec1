// SPDX-License-Identifier: BSD-2-Clause

#include "counts.h"

#define MSR_SELECT		0x186u
#define SELECTS_MOST		32
#define SELECT_ENABLE		(1u << 22)
#define SELECT_EDGE		(1u << 18)
#define SELECT_LEVELS		(3u << 16)
#define MSR_FIXED_CONTROL	0x38Du
#define FIXED_BITS		4	/* for each counter */
#define FIXED_LEVELS		3u
#define MSR_GLOBAL_CONTROL	0x38Fu
#define FIXED_FIRST		32	/* bit of the first fixed counter */
#define MSR_COUNTER		0x0C1u
#define COUNTERS_MOST		8
#define MSR_LAST		0x3FFu	/* of the PMU's that begin with the selects */
#define MSR_MISC_ENABLE		0x1A0u	/* among them, and not the PMU's */

bool counts_is_control(uint32_t msr)
{
	return msr - MSR_SELECT < SELECTS_MOST || msr == MSR_FIXED_CONTROL || msr == MSR_GLOBAL_CONTROL;
}

bool counts_is_register(uint32_t msr)
{
	return msr - MSR_COUNTER < COUNTERS_MOST ||
	       (msr - MSR_SELECT <= MSR_LAST - MSR_SELECT && msr != MSR_MISC_ENABLE);
}

bool counts_any(struct vpmu *vpmu)
{
	uint64_t global, control, select, enabled = 0;

	if (!vpmu_read(vpmu, MSR_GLOBAL_CONTROL, &global) || !vpmu_read(vpmu, MSR_FIXED_CONTROL, &control))
		return true;
	for (unsigned i = 0; i < SELECTS_MOST && vpmu_read(vpmu, MSR_SELECT + i, &select); i++)
		if (select & SELECT_ENABLE && select & SELECT_LEVELS)
			enabled |= 1ULL << i;
	for (unsigned i = 0; control >> i * FIXED_BITS; i++)
		if (control >> i * FIXED_BITS & FIXED_LEVELS)
			enabled |= 1ULL << (FIXED_FIRST + i);
	return global & enabled;
}

bool counts_edges(struct vpmu *vpmu)
{
	uint64_t select;

	for (unsigned i = 0; i < SELECTS_MOST && vpmu_read(vpmu, MSR_SELECT + i, &select); i++)
		if ((select & (SELECT_ENABLE | SELECT_EDGE)) == (SELECT_ENABLE | SELECT_EDGE))
			return true;
	return false;
}
