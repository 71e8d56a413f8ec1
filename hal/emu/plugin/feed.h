/* SPDX-License-Identifier: BSD-2-Clause */
/* What the models get of what observed guests do. An instruction's position is how many have retired, with it, since
 * the monitor last said how much time has passed. */
#ifndef PLUGIN_FEED_H
#define PLUGIN_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu.h"

#define FEED_KEPT	16	/* of the branches of a kind, taken or not, the last ones: as many as a PMU records */
#define FEED_LANES	16	/* kinds, 0 to 7, each not taken and taken */

struct feed {
	struct vpmu *v;		/* NULL: it has no PMU yet */
	uint64_t position;	/* of the instruction that has retired last */
	uint64_t passed;	/* up to this position the model knows */
	int64_t again;		/* what the clock has counted and has not retired: iterations of repeated strings */

	/* Branches that the model does not know. */
	bool in_order;		/* it counts edges: each is passed on at once */
	uint64_t branches;
	struct feed_lane {
		uint64_t count, out;	/* how many; how many of those are gone */
		struct feed_branch {
			uint64_t position, from, to;
		} kept[FEED_KEPT];
	} lane[FEED_LANES];
};

extern struct feed feeds[VPMU_CPUS];

void feed_start(unsigned cpu, struct vpmu *v);

/* The instruction that has retired last is a branch; `branch` is as in struct occurrence. */
void feed_branch(struct feed *feed, unsigned branch, uint64_t from, uint64_t to);

/* The instruction at this position is a bus lock. */
void feed_bus_lock(struct feed *feed, uint64_t position);

/* So much has passed since the last time, by the clock: what has retired, and what the monitor adds. */
void feed_pass(struct feed *feed, uint64_t cycles);

#endif
