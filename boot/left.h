/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters that firmware or the loader has left running. The image's own code then moves them, and
 * their overflows interrupt. */
#ifndef BOOT_LEFT_H
#define BOOT_LEFT_H

#include <stddef.h>

#include "pmu_driver.h"

struct left {
	uint64_t overflowed;		/* overflow status of running counters; bit n: counter n */
	size_t count;			/* running counters */
	struct left_counter {
		unsigned counter;
		uint64_t select;	/* control register */
		uint64_t events;	/* that it counted in LEFT_LOOP iterations of an empty
					 * loop */
	} counter[PMU_COUNTER_NUMBERS];
};

#define LEFT_LOOP	10000

/* Finds them on the calling CPU. Writes no register; call before the first reset. Returns a result
 * that the next call overwrites. */
const struct left *left_find(const struct pmu_driver *driver);

/* Returns the name of the event that a counter counts; NULL: unknown, or a fixed event. */
const char *left_event(const struct pmu_driver *driver, const struct left_counter *left);

/* Prints them, a line each; nothing if there are none. */
void left_print(const struct pmu_driver *driver, const struct left *left);

#endif
