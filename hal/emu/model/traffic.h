/* SPDX-License-Identifier: BSD-2-Clause */
/* By the timed clock: requests on their way through a package's queues. These are the trackers of the global queue and
 * of the home logic, and the memory controller's queues. README.md says how long a request stays where. */
#ifndef MODEL_TRAFFIC_H
#define MODEL_TRAFFIC_H

#include "package.h"

#define TRAFFIC_CHANNELS 3	/* of memory: lines are in one after the other */

static inline unsigned traffic_channel(uint64_t address)
{
	return (unsigned)((address >> 6) % TRAFFIC_CHANNELS);
}

/* Until when each of its entries is taken, and by a request for which line. */
struct queue {
	unsigned entries;
	uint64_t until[PROCESSOR_QUEUE], line[PROCESSOR_QUEUE];
};

struct traffic {
	struct queue read, write, peer;		/* the global queue's */
	struct queue local, remote;		/* the home logic's: of this package, of others */
	struct queue reads[TRAFFIC_CHANNELS], writes[TRAFFIC_CHANNELS];
	uint64_t arrives;			/* in this cycle the data comes that has been read last */

	/* Is told what happens in which cycle, of which package (HAPPENINGS_OF_QUEUES). */
	void (*at)(void *context, unsigned package, enum happening what, uint64_t address, uint64_t cycle);
};

/* A package of so many: all queues are empty. */
void traffic_begin(struct traffic *t, const struct processor *processor, unsigned packages,
		   void (*at)(void *context, unsigned package, enum happening what, uint64_t address, uint64_t cycle));

/* What happens in the cycle p->now. Without `traffic` these do nothing. What the core hands on itself returns for how
 * many cycles that has to wait for an entry of the global queue. */

/* What the L2 caches lack has been read, from there; who was asked for it. */
void traffic_read(struct package *p, uint64_t address, enum supplier supplier, enum asked asked);

/* A line goes from an L2 cache to the L3 cache; from there to its memory; and what non-temporal stores write there. */
void traffic_write_back(struct package *p, uint64_t address);
void traffic_write(struct package *p, uint64_t address);
unsigned traffic_stream(struct package *p, uint64_t address, bool whole);

/* Another package's probe, which has some core asked, or has not. */
void traffic_probe(struct package *p, uint64_t address, bool asks);

/* A device is read or written. */
unsigned traffic_device(struct package *p, uint64_t address, bool write);

/* The global queue has no entry for a further read. Prefetchers ask for nothing then: nobody waits for what they ask
 * for, and requests would have to wait longer and longer. */
bool traffic_is_full(const struct package *p);

/* When a line that a cache has comes, if it is on its way; else `now`. */
uint64_t traffic_arrival(const struct package *p, uint64_t address, uint64_t now);

/* The cycle from which on all queues are empty, `now` or a later one. */
uint64_t traffic_end(const struct package *p, uint64_t now);

#endif
