// SPDX-License-Identifier: BSD-2-Clause

#include "counts.h"

#define SELECT_ENABLE		(1u << 22)
#define SELECT_EDGE		(1u << 18)
#define SELECT_LEVELS		(3u << 16)
#define FIXED_BITS		4	/* for each counter */
#define FIXED_LEVELS		3u
#define FIXED_FIRST		32	/* bit of the first fixed counter */

bool counts_any(struct svm_pmu *pmu)
{
	uint64_t global, control, select, enabled = 0;

	if (!svm_pmu_read(pmu, 0, COUNTS_GLOBAL_CONTROL, &global) ||
	    !svm_pmu_read(pmu, 0, COUNTS_FIXED_CONTROL, &control))
		return true;
	for (unsigned i = 0; i < COUNTS_SELECTS_MOST && svm_pmu_read(pmu, 0, COUNTS_SELECT + i, &select); i++)
		if (select & SELECT_ENABLE && select & SELECT_LEVELS)
			enabled |= 1ULL << i;
	for (unsigned i = 0; control >> i * FIXED_BITS; i++)
		if (control >> i * FIXED_BITS & FIXED_LEVELS)
			enabled |= 1ULL << (FIXED_FIRST + i);
	return global & enabled;
}

bool counts_edges(struct svm_pmu *pmu)
{
	uint64_t select;

	for (unsigned i = 0; i < COUNTS_SELECTS_MOST && svm_pmu_read(pmu, 0, COUNTS_SELECT + i, &select); i++)
		if ((select & (SELECT_ENABLE | SELECT_EDGE)) == (SELECT_ENABLE | SELECT_EDGE))
			return true;
	return false;
}
