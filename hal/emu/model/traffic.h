/* SPDX-License-Identifier: BSD-2-Clause */
/* With the timed clock: requests in a package's queues, i.e. the trackers of the global queue and
 * of the home logic, and the queues of the memory controller. DECISIONS.md says how long a request
 * stays in each. */
#ifndef MODEL_TRAFFIC_H
#define MODEL_TRAFFIC_H

#include "package.h"

#define TRAFFIC_CHANNELS 3	/* of memory, interleaved by line */

static inline unsigned traffic_channel(uint64_t address)
{
	return (unsigned)((address >> 6) % TRAFFIC_CHANNELS);
}

/* By entry: the cycle until which it is occupied, and the line of its request. */
struct queue {
	unsigned entries;
	uint64_t last;		/* cycle from which on all entries are free */
	uint64_t until[PROCESSOR_QUEUE], line[PROCESSOR_QUEUE];
};

struct traffic {
	struct queue read, write, peer;		/* of the global queue */
	struct queue local, remote;		/* of the home logic: for requests of this
						 * package, of other packages */
	struct queue reads[TRAFFIC_CHANNELS], writes[TRAFFIC_CHANNELS];
	uint64_t arrives;			/* cycle in which the data of the last read
						 * arrives */

	/* Receives the cpu events of queues (CPU_EVENTS_OF_QUEUES), with package and cycle. */
	void (*at)(void *context, unsigned package, enum cpu_event what, uint64_t address,
		   uint64_t cycle);
};

/* Initializes the queues, all empty, of one of `packages` packages. */
void traffic_begin(struct traffic *t, const struct processor *processor, unsigned packages,
		   void (*at)(void *context, unsigned package, enum cpu_event what,
			      uint64_t address, uint64_t cycle));

/* Requests in cycle p->now. All do nothing if p->traffic is NULL. Those that return unsigned return
 * the cycles that the core must wait for an entry of the global queue. */

/* A read that missed the L2 caches. `supplier`: the source of the data; `asked`: the units that
 * received the request. */
void traffic_read(struct package *p, uint64_t address, enum supplier supplier, enum asked asked);

/* A writeback from an L2 cache to the L3 cache; a writeback to memory; a write of combined
 * non-temporal stores. */
void traffic_write_back(struct package *p, uint64_t address);
void traffic_write(struct package *p, uint64_t address);
unsigned traffic_stream(struct package *p, uint64_t address, bool whole);

/* A probe from another package. `asks`: the L3 cache asks a core. */
void traffic_probe(struct package *p, uint64_t address, bool asks);

/* An access to a device. */
unsigned traffic_device(struct package *p, uint64_t address, bool write);

/* Returns true if a further read would wait for an entry of the global queue. Prefetchers then
 * request nothing: no instruction waits for their requests, so their number would grow without
 * bound. */
bool traffic_is_full(const struct package *p);

/* Returns the cycle in which a line that a cache already holds arrives, if it is still in flight;
 * else `now`. */
uint64_t traffic_arrival(const struct package *p, uint64_t address, uint64_t now);

/* Returns the first cycle, `now` or later, in which all queues are empty. */
uint64_t traffic_end(const struct package *p, uint64_t now);

#endif
