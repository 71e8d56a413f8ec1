// SPDX-License-Identifier: BSD-2-Clause
// Profiles: looks them up, plans their events. Not part of the resident runtime.

#include "profile.h"

#include <stdlib.h>
#include <strings.h>

static int compare_name(const void *key, const void *element)
{
	return strcasecmp(key, ((const struct pmu_profile *)element)->name);
}

const struct pmu_profile *pmu_profile_find(const struct pmu_profile_table *table, const char *name)
{
	return table->count ? bsearch(name, table->profile, table->count, sizeof *table->profile,
				      compare_name) : NULL;
}

enum pmu_metric_error pmu_profile_plan(const struct pmu_driver *driver,
				       const struct pmu_profile *profile,
				       struct pmu_metric_plan *plan,
				       struct pmu_metric_refusal *refusal)
{
	const unsigned before = plan->count;

	*refusal = (struct pmu_metric_refusal){.error = METRIC_OK};
	for (unsigned i = 0; i < profile->count; i++)
		if (pmu_metric_plan_event(driver, profile->event[i], plan, refusal)) {
			plan->count = before;
			break;
		}
	return refusal->error;
}
