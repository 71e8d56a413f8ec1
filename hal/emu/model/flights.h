/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines in flight to a core: requested by VPREFETCH0 and VPREFETCH1, or, with the timed clock, by
 * any reference. */
#ifndef MODEL_FLIGHTS_H
#define MODEL_FLIGHTS_H

#include <stdint.h>

#include "package.h"

#define FLIGHTS 64	/* lines per core; one more replaces the oldest */

struct flights {
	unsigned next;
	uint64_t last;			/* cycle from which on none of them is in flight */
	struct flight {
		uint64_t line;		/* address / line size */
		uint64_t from, until;	/* cycle of the request, and of the line's arrival */
		enum access access;	/* the request */
	} flight[FLIGHTS];
};

/* Returns the request for a line that is in flight in cycle `now`, or NULL. */
const struct flight *flights_find(const struct flights *f, uint64_t line, uint64_t now);

/* Returns the first cycle, `now` or later, in which fewer than `most` (1 to FLIGHTS) lines are in
 * flight. */
uint64_t flights_wait(const struct flights *f, unsigned most, uint64_t now);

/* Returns the number of lines in flight in a cycle. *until: the first later cycle in which it may
 * change, or UINT64_MAX. */
unsigned flights_count(const struct flights *f, uint64_t cycle, uint64_t *until);

void flights_begin(struct flights *f, const struct flight *flight);

#endif
