/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles: sets of events that together answer one question. A target's table is compiled from
 * profiles.tab. To measure a profile: add it to a plan (metric.h), schedule the plan, count or
 * sample run by run. */
#ifndef PROFILE_H
#define PROFILE_H

#include <stddef.h>

#include "metric.h"

/* One profile of profiles.tab. */
struct pmu_profile {
	const char *name;
	const char *source;		/* section or table of the manual */
	const char *title;		/* its purpose, in our own words */
	unsigned runs;			/* number of runs that the manual states; 0: none */
	unsigned count;	/* length of `event` */
	const char *const *event;	/* in event_parse's syntax, with modifiers for sampling */
};

/* Ordered by name (strcasecmp), without duplicates. */
struct pmu_profile_table {
	const struct pmu_profile *profile;
	size_t count;
};

/* Returns the profile of this name, upper or lower case, or NULL. */
const struct pmu_profile *pmu_profile_find(const struct pmu_profile_table *table, const char *name);

/* Adds a profile's events to a plan, unless the plan has them. On failure the plan is unchanged. */
enum pmu_metric_error pmu_profile_plan(const struct pmu_driver *driver,
				       const struct pmu_profile *profile,
				       struct pmu_metric_plan *plan,
				       struct pmu_metric_refusal *refusal);

#endif
