// SPDX-License-Identifier: BSD-2-Clause
// The distance to an overflow if events may occur in each cycle (hal/include/vpmu.h). A separate
// file, because most programs do not need it.

#include "vpmu.h"

uint64_t vpmu_headroom_with(struct vpmu *v, const struct occurrence *occurrences, size_t count)
{
	struct occurrence signals[VPMU_CLOCK_MOST + VPMU_KINDS_MOST];
	uint64_t headroom;

	vpmu_connect_occurrences(v, signals, occurrences, count);
	headroom = vpmu_behind(v, vpmu_outputs(v)->steady);
	vpmu_resume(v);
	return headroom;
}
