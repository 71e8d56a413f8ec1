// SPDX-License-Identifier: BSD-2-Clause
// How far the virtual PMU is from an overflow if what comes may be branches: hal/include/vpmu.h. Not in vpmu.c, as most
// programs do not ask.

#include "vpmu.h"

__attribute__((noinline)) static uint64_t headroom_beside(struct vpmu *v, const struct occurrence *occurrences,
							   size_t count)
{
	struct occurrence signals[VPMU_SIGNALS_MOST];

	vpmu_connect_beside(v, signals, occurrences, count);
	return vpmu_headroom(v);
}

static uint64_t headroom_with(struct vpmu *v, unsigned kind, unsigned taken)
{
	struct occurrence occurrences[MODEL_BRANCH_MOST];
	const struct occurrence branch = {
		.n = 1, .thread = (uint8_t)v->thread, .level = (uint8_t)v->level,
		.branch = (uint8_t)(OCCURRENCE_BRANCH | kind | taken),
	};

	return headroom_beside(v, occurrences, v->model->branch(&branch, occurrences));
}

uint64_t vpmu_branch_headroom(struct vpmu *v)
{
	uint64_t least = vpmu_headroom(v);

	for (unsigned kind = OCCURRENCE_KIND_CONDITIONAL; kind <= OCCURRENCE_KIND_FAR;
	     kind += OCCURRENCE_KIND_CONDITIONAL)
		for (unsigned taken = 0; taken <= OCCURRENCE_TAKEN; taken += OCCURRENCE_TAKEN) {
			const uint64_t headroom = headroom_with(v, kind, taken);

			least = headroom < least ? headroom : least;
		}
	vpmu_resume(v);
	return least;
}
