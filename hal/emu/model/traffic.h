/* SPDX-License-Identifier: BSD-2-Clause */
/* With the timed clock: requests in a package's queues. These are the trackers of the global queue and of the home
 * logic, and the memory controller's queues. README.md says how long a request stays in each. */
#ifndef MODEL_TRAFFIC_H
#define MODEL_TRAFFIC_H

#include "package.h"

#define TRAFFIC_CHANNELS 3	/* of memory, interleaved by lines */

static inline unsigned traffic_channel(uint64_t address)
{
	return (unsigned)((address >> 6) % TRAFFIC_CHANNELS);
}

/* For each entry, the cycle until which it is in use, and the line of its request. */
struct queue {
	unsigned entries;
	uint64_t until[PROCESSOR_QUEUE], line[PROCESSOR_QUEUE];
};

struct traffic {
	struct queue read, write, peer;		/* the global queue's */
	struct queue local, remote;		/* the home logic's: of this package, of others */
	struct queue reads[TRAFFIC_CHANNELS], writes[TRAFFIC_CHANNELS];
	uint64_t arrives;			/* the cycle in which the data of the last read arrives */

	/* Gets happenings of queues (HAPPENINGS_OF_QUEUES), with their package and cycle. */
	void (*at)(void *context, unsigned package, enum happening what, uint64_t address, uint64_t cycle);
};

/* Begins the queues of one of `packages`, all empty. */
void traffic_begin(struct traffic *t, const struct processor *processor, unsigned packages,
		   void (*at)(void *context, unsigned package, enum happening what, uint64_t address, uint64_t cycle));

/* Requests in the cycle p->now. Without p->traffic these functions do nothing. Those of the core itself return the
 * cycles for which the core must wait for an entry of the global queue. */

/* A read that missed the L2 caches: the data's source, and the units that were asked for it. */
void traffic_read(struct package *p, uint64_t address, enum supplier supplier, enum asked asked);

/* A writeback from an L2 cache to the L3 cache; one from there to memory; and a write of non-temporal stores. */
void traffic_write_back(struct package *p, uint64_t address);
void traffic_write(struct package *p, uint64_t address);
unsigned traffic_stream(struct package *p, uint64_t address, bool whole);

/* Another package's probe. `asks`: the L3 cache asks a core. */
void traffic_probe(struct package *p, uint64_t address, bool asks);

/* An access to a device. */
unsigned traffic_device(struct package *p, uint64_t address, bool write);

/* Whether the global queue has no entry for a further read. Prefetchers then request nothing: no instruction waits for
 * their requests, which would make other requests wait longer and longer. */
bool traffic_is_full(const struct package *p);

/* The cycle in which a line that a cache has arrives, if it is in flight; else `now`. */
uint64_t traffic_arrival(const struct package *p, uint64_t address, uint64_t now);

/* The cycle from which on all queues are empty, `now` or a later one. */
uint64_t traffic_end(const struct package *p, uint64_t now);

#endif
