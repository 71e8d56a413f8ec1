/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests in the bus request queue (BRQ) and in the bus's in-order queue (IOQ), with the timed
 * clock (7.8, BUS_BRQ_LIVE_REQ and BUS_IOQ_LIVE_REQ). All times are numbers of cycles:
 *
 *     now             now + L2        now + L3
 *      |               |               |
 *      it starts       L2 misses       L3 misses                       its data is there
 *                      +---- BRQ: a read -------------------------------+
 *                                      +- waits -+- IOQ: MEMORY - L3 ---+
 *
 * A read waits in BRQ while IOQ is full. A reference that finds BRQ full, or a write that finds IOQ
 * full, starts later. */
#ifndef IA64_QUEUES_H
#define IA64_QUEUES_H

#include "../model/processor.h"

#define REQUESTS	(4 * PROCESSOR_QUEUE)

struct ia64_queue {
	unsigned size;		/* entries */
	unsigned count;		/* length of `request`: those in the queue, and those to come */
	struct {
		uint64_t from, until;	/* it is in the queue from the first cycle until before the
					 * second one */
	} request[REQUESTS];
};

struct ia64_queues {
	struct ia64_queue requests, bus;	/* BRQ; IOQ */
	uint64_t present;	/* the first cycle that has not ended */
	uint64_t last;		/* `from` of the last request in IOQ: its requests stay in order */
	const unsigned *latency;	/* of the processor */
};

/* Numbers of requests in a cycle, and the first later cycle in which they may differ. */
struct ia64_live {
	unsigned requests, bus;
	uint64_t until;
};

/* Empties the queues. */
void ia64_begin_queues(struct ia64_queues *q, const struct processor *processor);

/* Adds a read that misses L2; `hits`: L3 has the line. Returns the cycle in which its data is
 * there. *now: the cycle in which the reference starts; the cycles that it must wait are added. */
uint64_t ia64_queue_read(struct ia64_queues *q, bool hits, uint64_t *now);

/* Adds a bus transaction that is no read: BWL, BIL, BWP. *now: as above. */
void ia64_queue_write(struct ia64_queues *q, uint64_t *now);

struct ia64_live ia64_queues_in(const struct ia64_queues *q, uint64_t cycle);

#endif
