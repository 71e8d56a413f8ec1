// SPDX-License-Identifier: BSD-2-Clause
// What an emulated processor's caches and TLBs raise (hal/include/vpmu.h).

#include "vpmu.h"

bool vpmu_row_counts(const struct pmu_model *model, const struct model_raised *r, uint16_t code, uint8_t umask,
		     uint64_t setting)
{
	const struct occurrence o = {.code = r->code, .sub = r->sub};

	return vpmu_counts(model, &o, code, umask) &&
	       (!r->request || (setting & r->request && setting >> 8 & r->response));
}

bool vpmu_clock_happens(const struct pmu_model *model, uint16_t code, uint8_t umask)
{
	const struct vpmu v = {.model = model};
	size_t count;
	const struct occurrence *o = model_clock(model, 0, 0, &count);

	for (; count; o++, count--)
		if (vpmu_counts(model, o, code, umask))
			return true;
	return vpmu_branch_happens(&v, code, umask);
}

bool vpmu_memory_happens(const struct pmu_model *model, uint16_t code, uint8_t umask, uint64_t setting)
{
	for (const struct model_raised *r = model->raised; r && r->happening != HAPPENING_COUNT; r++)
		if (vpmu_row_counts(model, r, code, umask, setting))
			return true;
	return false;
}
