/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines that a core has asked for, and that have not come yet: by VPREFETCH0 and VPREFETCH1, or, by the timed clock, by
 * whatever refers to them. */
#ifndef MODEL_FLIGHTS_H
#define MODEL_FLIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#define FLIGHTS 64	/* of a core; a further one takes the oldest one's place */

struct flights {
	unsigned next;
	struct flight {
		uint64_t line;		/* its address in lines */
		uint64_t from, until;	/* the cycles in which it has been asked for, and comes */
		bool first;		/* for VPREFETCH0; not of a timed machine */
	} flight[FLIGHTS];
};

/* The request for a line that is still on its way in cycle `now`. NULL: there is none. */
const struct flight *flights_find(const struct flights *f, uint64_t line, uint64_t now);

/* The first cycle, `now` or a later one, in which fewer than `most` lines are on their way. most: 1 to FLIGHTS. */
uint64_t flights_wait(const struct flights *f, unsigned most, uint64_t now);

/* How many lines are on their way in a cycle. *until: the first later cycle in which that may change, or UINT64_MAX. */
unsigned flights_count(const struct flights *f, uint64_t cycle, uint64_t *until);

void flights_begin(struct flights *f, const struct flight *flight);

#endif
