// SPDX-License-Identifier: BSD-2-Clause
// The bus request queue and the bus's in-order queue: queues.h.

#include "queues.h"

void ia64_begin_queues(struct ia64_queues *q, const struct processor *processor)
{
	q->requests.size = processor->queue[QUEUE_BRQ];
	q->bus.size = processor->queue[QUEUE_IOQ];
	q->latency = processor->latency;
}

// Returns the first cycle, not before `at`, in which the queue has room.
static uint64_t room_from(const struct ia64_queue *q, uint64_t at)
{
	for (;;) {
		uint64_t next = UINT64_MAX;
		unsigned live = 0;

		for (unsigned i = 0; i < q->count; i++) {
			const uint64_t until = q->request[i].until;

			live += until > at;
			next = until > at && until < next ? until : next;
		}
		if (live < q->size)
			return at;
		at = next;
	}
}

// Forgets the requests that have left the queue before the present cycle. If the others take all
// places, as with a .machine file whose L2 is slower than its L3, the oldest one goes.
static void forget_past(struct ia64_queue *q, uint64_t present)
{
	unsigned left = 0;

	for (unsigned i = q->count == REQUESTS && q->request[0].until > present; i < q->count; i++)
		if (q->request[i].until > present)
			q->request[left++] = q->request[i];
	q->count = left;
}

static void enter(struct ia64_queues *q, struct ia64_queue *queue, uint64_t from, uint64_t until)
{
	forget_past(queue, q->present);
	queue->request[queue->count].from = from;
	queue->request[queue->count++].until = until;
}

// The cycle in which IOQ has room for a request that arrives in cycle `at`.
static uint64_t bus_from(const struct ia64_queues *q, uint64_t at)
{
	return room_from(&q->bus, at > q->last ? at : q->last);
}

// Returns the cycle in which the transaction ends.
static uint64_t enter_bus(struct ia64_queues *q, uint64_t from)
{
	const unsigned l3 = q->latency[LATENCY_L3], memory = q->latency[LATENCY_MEMORY];
	const uint64_t until = from + (memory > l3 ? memory - l3 : 0);

	enter(q, &q->bus, from, until);
	q->last = from;
	return until;
}

uint64_t ia64_queue_read(struct ia64_queues *q, bool hits, uint64_t *now)
{
	const unsigned l2 = q->latency[LATENCY_L2], l3 = q->latency[LATENCY_L3];
	uint64_t until;

	*now = room_from(&q->requests, *now + l2) - l2;
	until = hits ? *now + l3 : enter_bus(q, bus_from(q, *now + l3));
	enter(q, &q->requests, *now + l2, until);
	return until;
}

void ia64_queue_write(struct ia64_queues *q, uint64_t *now)
{
	const unsigned l3 = q->latency[LATENCY_L3];

	*now = bus_from(q, *now + l3) - l3;
	enter_bus(q, *now + l3);
}

static unsigned count(const struct ia64_queue *q, uint64_t cycle, uint64_t *until)
{
	unsigned live = 0;

	for (unsigned i = 0; i < q->count; i++) {
		const uint64_t from = q->request[i].from, end = q->request[i].until;

		live += from <= cycle && cycle < end;
		*until = from > cycle && from < *until ? from : *until;
		*until = end > cycle && end < *until ? end : *until;
	}
	return live;
}

struct ia64_live ia64_queues_in(const struct ia64_queues *q, uint64_t cycle)
{
	struct ia64_live live = {.until = UINT64_MAX};

	live.requests = count(&q->requests, cycle, &live.until);
	live.bus = count(&q->bus, cycle, &live.until);
	return live;
}
