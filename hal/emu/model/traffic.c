// SPDX-License-Identifier: BSD-2-Clause
// Requests in a package's queues: traffic.h. See the performance analysis guide, "The Global
// Queue", "Intel QuickPath Interconnect Home Logic" and "Integrated Memory Controller".

#include "traffic.h"

static void begin_queue(struct queue *q, const struct processor *processor,
			enum processor_queue which)
{
	*q = (struct queue){.entries = processor->queue[which]};
}

void traffic_begin(struct traffic *t, const struct processor *processor, unsigned packages,
		   void (*at)(void *context, unsigned package, enum cpu_event what,
			      uint64_t address, uint64_t cycle))
{
	begin_queue(&t->read, processor, QUEUE_GQ_READ);
	begin_queue(&t->write, processor, QUEUE_GQ_WRITE);
	begin_queue(&t->peer, processor, QUEUE_GQ_PEER);
	begin_queue(&t->local, processor, packages > 1 ? QUEUE_QHL_LOCAL : QUEUE_QHL_ALONE);
	begin_queue(&t->remote, processor, QUEUE_QHL_REMOTE);
	for (unsigned i = 0; i < TRAFFIC_CHANNELS; i++) {
		begin_queue(&t->reads[i], processor, QUEUE_IMC_READ);
		begin_queue(&t->writes[i], processor, QUEUE_IMC_WRITE);
	}
	t->at = at;
}

//
// Entries
//

// Returns the entry that is free first. *from: the cycle of the request; on return, the cycle in
// which it gets the entry.
static unsigned take(const struct queue *q, uint64_t *from)
{
	unsigned first = 0;

	for (unsigned i = 1; i < q->entries; i++)
		if (q->until[i] < q->until[first])
			first = i;
	*from = q->until[first] > *from ? q->until[first] : *from;
	return first;
}

static void keep(struct queue *q, unsigned entry, uint64_t address, uint64_t until)
{
	q->until[entry] = until;
	q->last = until > q->last ? until : q->last;
	q->line[entry] = address >> 6;
}

// Reports that a request enters and leaves a queue. `enters`: the cpu event; the next one in the
// enum is leaving.
static void stay(const struct package *p, enum cpu_event enters, uint64_t address, uint64_t from,
		 uint64_t until)
{
	const unsigned number = p->all ? (unsigned)(p - p->all) : 0;

	p->traffic->at(p->context, number, enters, address, from);
	p->traffic->at(p->context, number, (enum cpu_event)(enters + 1), address, until);
}

// A request that occupies an entry of a queue for `stays` cycles, as soon as one is free. Returns
// the cycle in which it leaves.
static uint64_t pass(struct package *p, struct queue *q, enum cpu_event enters, uint64_t address,
		     uint64_t from, uint64_t stays)
{
	const unsigned entry = take(q, &from);

	keep(q, entry, address, from + stays);
	stay(p, enters, address, from, from + stays);
	return from + stays;
}

// Cycles until the L3 cache answers, hit or miss.
static uint64_t response(const struct package *p)
{
	return p->processor->latency[LATENCY_L3] - p->processor->latency[LATENCY_L2];
}

// Cycles that the home logic and the memory controller take for an access to memory.
static uint64_t memory_time(const struct package *p)
{
	return p->processor->latency[LATENCY_MEMORY] - p->processor->latency[LATENCY_L3];
}

// Cycles from one package to another.
static uint64_t way(const struct package *p, const struct package *home)
{
	return p == home ? 0 :
	       (p->processor->latency[LATENCY_REMOTE_MEMORY] -
		p->processor->latency[LATENCY_MEMORY]) / 2;
}

// Sends a request through the home logic and, unless `memory` is 0, the memory controller. *taken:
// the cycle in which it gets an entry of the home logic. Returns the cycle in which it is done.
static uint64_t go_home(struct package *home, bool local, bool write, enum cpu_event memory,
			uint64_t address, uint64_t from, uint64_t *taken)
{
	static const enum cpu_event of[2][2] = {
		{CPU_EVENT_QHL_REMOTE_READ_ENTERS, CPU_EVENT_QHL_REMOTE_WRITE_ENTERS},
		{CPU_EVENT_QHL_LOCAL_READ_ENTERS, CPU_EVENT_QHL_LOCAL_WRITE_ENTERS},
	};
	struct traffic *t = home->traffic;
	struct queue *tracker = local ? &t->local : &t->remote;
	const unsigned channel = traffic_channel(address), entry = take(tracker, &from);
	struct queue *queue = memory == CPU_EVENT_IMC_READ_ENTERS ? &t->reads[channel] :
		&t->writes[channel];
	uint64_t until;

	*taken = from;
	if (memory)
		until = pass(home, queue, memory, address, from, memory_time(home));
	else
		until = from + home->processor->latency[LATENCY_REMOTE_CACHE] -
			home->processor->latency[LATENCY_L3];
	keep(tracker, entry, address, until);
	stay(home, of[local][write], address, from, until);
	return until;
}

//
// Requests
//

void traffic_read(struct package *p, uint64_t address, enum supplier supplier, enum asked asked)
{
	struct package *home = package_home_agent(p, address);
	struct traffic *t = p->traffic;
	uint64_t from, looked_up, taken = 0, done, until;
	unsigned entry;

	if (!t)
		return;
	from = p->now + p->processor->latency[LATENCY_L2];
	entry = take(&t->read, &from);
	looked_up = from + response(p);
	until = looked_up + package_latency(p, supplier) - p->processor->latency[LATENCY_L3];
	if (asked != ASKED_NOBODY) {
		done = go_home(home, p == home, false,
			       asked == ASKED_MEMORY ? CPU_EVENT_IMC_READ_ENTERS : 0, address,
			       looked_up + way(p, home), &taken);
		if (asked == ASKED_MEMORY)
			until = done + way(p, home);
	}
	if (supplier > SUPPLIER_MODIFIED) {
		stay(p, CPU_EVENT_GQ_READ_TOKEN_ENTERS, address, looked_up, taken - way(p, home));
		stay(p, CPU_EVENT_GQ_MISS_ENTERS, address, looked_up, until);
	}
	stay(p, CPU_EVENT_GQ_RESPONSE_ENTERS, address, from, looked_up);
	stay(p, CPU_EVENT_GQ_READ_ENTERS, address, from, until);
	keep(&t->read, entry, address, until);
	t->arrives = until;
}

void traffic_write_back(struct package *p, uint64_t address)
{
	if (p->traffic)
		pass(p, &p->traffic->write, CPU_EVENT_GQ_WRITE_ENTERS, address,
		     p->now + p->processor->latency[LATENCY_L2], response(p));
}

void traffic_write(struct package *p, uint64_t address)
{
	struct package *home = package_home_agent(p, address);
	uint64_t taken;

	if (p->traffic)
		go_home(home, p == home, true, CPU_EVENT_IMC_WRITE_ENTERS, address,
			p->now + p->processor->latency[LATENCY_L3] + way(p, home), &taken);
}

// The line is first read for ownership, which the home logic counts as a read (table 39). For a
// store to the own package's memory, the home logic counts this read only.
unsigned traffic_stream(struct package *p, uint64_t address, bool whole)
{
	struct package *home = package_home_agent(p, address);
	struct traffic *t = p->traffic;
	const uint64_t asks = p->now + p->processor->latency[LATENCY_L2];
	uint64_t from = asks, looked_up, taken;
	unsigned entry;

	if (!t)
		return 0;
	entry = take(&t->write, &from);
	looked_up = from + response(p);
	go_home(home, p == home, p != home, whole ? CPU_EVENT_IMC_WRITE_ENTERS :
		CPU_EVENT_IMC_PARTIAL_ENTERS, address, looked_up + way(p, home), &taken);
	if (p != home)
		stay(home, CPU_EVENT_QHL_REMOTE_READ_ENTERS, address, taken, taken);
	taken -= way(p, home);
	stay(p, CPU_EVENT_GQ_WRITE_TOKEN_ENTERS, address, looked_up, taken);
	stay(p, CPU_EVENT_GQ_WRITE_ENTERS, address, from, taken);
	keep(&t->write, entry, address, taken);
	return (unsigned)(from - asks);
}

void traffic_probe(struct package *p, uint64_t address, bool asks)
{
	const unsigned *latency = p->processor->latency;

	if (p->traffic)
		pass(p, &p->traffic->peer, CPU_EVENT_GQ_PEER_ENTERS, address,
		     p->now + latency[LATENCY_L3],
		     response(p) + (asks ? latency[LATENCY_L3_SHARED] - latency[LATENCY_L3] : 0));
}

unsigned traffic_device(struct package *p, uint64_t address, bool write)
{
	const unsigned *latency = p->processor->latency;
	const uint64_t asks = p->now + latency[LATENCY_L2],
		stays = latency[LATENCY_MEMORY] - latency[LATENCY_L2];

	if (!p->traffic)
		return 0;
	return (unsigned)(pass(p, write ? &p->traffic->write : &p->traffic->read,
			       write ? CPU_EVENT_GQ_WRITE_ENTERS : CPU_EVENT_GQ_READ_ENTERS,
			       address, asks, stays) -
			  asks - stays);
}

//
// Requests in flight
//

bool traffic_is_full(const struct package *p)
{
	const uint64_t asks = p->now + p->processor->latency[LATENCY_L2];
	uint64_t from = asks;

	if (p->traffic)
		take(&p->traffic->read, &from);
	return from > asks;
}

uint64_t traffic_arrival(const struct package *p, uint64_t address, uint64_t now)
{
	const struct queue *q = &p->traffic->read;

	for (unsigned i = 0; i < q->entries && now < q->last; i++)
		if (q->line[i] == address >> 6 && q->until[i] > now)
			return q->until[i];
	return now;
}

static uint64_t end_of(const struct queue *q, uint64_t now)
{
	return q->last > now ? q->last : now;
}

uint64_t traffic_end(const struct package *p, uint64_t now)
{
	const struct traffic *t = p->traffic;

	now = end_of(&t->read,
		     end_of(&t->write,
			    end_of(&t->peer, end_of(&t->local, end_of(&t->remote, now)))));
	for (unsigned i = 0; i < TRAFFIC_CHANNELS; i++)
		now = end_of(&t->reads[i], end_of(&t->writes[i], now));
	return now;
}
