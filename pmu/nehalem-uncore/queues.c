// SPDX-License-Identifier: BSD-2-Clause
// The uncore's queues: entries that the event signals report to enter and leave, the queues'
// contents, and the events that follow from them. Like counters, queues are advanced late.

#include <string.h>

#include "state.h"

// Sizes with two packages, and with one ("In the UP mode there are only the local and IOH queues
// and both have 32 entries"). GQ and QHL: the guide, "The Global Queue" and "QuickPath Interconnect
// Home Logic". It has no sizes for the memory controller: here they equal the GQ's read tracker,
// whose reads they serve.
#define OF_GQ		32, 32, 32, 32, 16, 16, 12
#define OF_IMC		32, 32, 32, 32, 32, 32, 32, 32, 32

static const uint8_t capacities[2][QUEUES] = {
	{OF_GQ, 24, 16, 24, 24, 16, 24, OF_IMC},
	{OF_GQ, 32, 0, 32, 32, 0, 32, OF_IMC},
};

// Queues of an event's unit-mask bits: queues that an entry enters (the memory controller's writes:
// full lines and partial ones), or that the event measures. Queues that share entries count
// together.
#define Q(queue)	(1u << (queue))
#define THREE(queue)	Q(queue), Q((queue) + 1), Q((queue) + 2)
#define QHL(tracker)	Q(QHL_READS + (tracker)) | Q(QHL_WRITES + (tracker))
#define READS(channel)	Q(IMC_READS + (channel)) | Q(IMC_ISOC + (channel))
#define TRACKERS	Q(GQ_READ), Q(GQ_WRITE), Q(GQ_PEER)
#define STAGES \
	Q(GQ_READ), Q(GQ_READ_MISS), Q(GQ_READ_L3), Q(GQ_READ_RTID), Q(GQ_WRITE_RTID), \
		Q(GQ_WRITE), Q(GQ_PEER)

static const struct event {
	enum { NONE, ENTERS, OCCUPANCY, FULL, BUSY } means;
	uint32_t queues[8];
} events[] = {
	[UNCORE_EVENT_GQ_FULL] = {FULL, {TRACKERS}},
	[UNCORE_EVENT_GQ_BUSY] = {BUSY, {TRACKERS}},
	[UNCORE_EVENT_GQ_OCCUPANCY] = {OCCUPANCY, {STAGES}},
	[UNCORE_EVENT_GQ_ALLOC] = {ENTERS, {STAGES}},
	[UNCORE_EVENT_QHL_REQUESTS] = {ENTERS, {Q(QHL_READS), Q(QHL_WRITES), Q(QHL_READS + 1),
						Q(QHL_WRITES + 1),
						Q(QHL_READS + 2), Q(QHL_WRITES + 2)}},
	[UNCORE_EVENT_QHL_FULL] = {FULL, {QHL(0), QHL(1), QHL(2)}},
	[UNCORE_EVENT_QHL_NOT_EMPTY] = {BUSY, {QHL(0), QHL(1), QHL(2)}},
	[UNCORE_EVENT_QHL_OCCUPANCY] = {OCCUPANCY, {THREE(QHL_READS)}},
	[UNCORE_EVENT_IMC_ISOC_FULL] = {FULL, {THREE(IMC_ISOC), THREE(IMC_WRITES)}},
	[UNCORE_EVENT_IMC_BUSY] = {BUSY, {READS(0), READS(1), READS(2), THREE(IMC_WRITES)}},
	[UNCORE_EVENT_IMC_OCCUPANCY] = {OCCUPANCY, {THREE(IMC_READS)}},
	[UNCORE_EVENT_ISOC_OCCUPANCY] = {OCCUPANCY, {THREE(IMC_ISOC)}},
	[UNCORE_EVENT_IMC_READS] = {ENTERS, {THREE(IMC_READS)}},
	[UNCORE_EVENT_IMC_HIGH_READS] = {ENTERS, {THREE(IMC_ISOC)}},
	[UNCORE_EVENT_IMC_CRITICAL_READS] = {ENTERS, {THREE(IMC_ISOC)}},
	[UNCORE_EVENT_IMC_WRITES] = {ENTERS, {THREE(IMC_WRITES), THREE(IMC_WRITES)}},
};

static const struct event *event_of(unsigned code)
{
	static const struct event none;

	return code <= UNCORE_EVENT_IMC_WRITES ? &events[code] : &none;
}

static const struct event *selected_by(uint64_t select)
{
	return event_of((unsigned)FIELD_GET(UNCORE_PERFEVTSEL, EVTSEL, select));
}

bool nehalem_uncore_is_queued(uint64_t select)
{
	return selected_by(select)->means > ENTERS;
}

// Returns the entries of a home logic tracker that belong to its other queue (reads or writes).
static unsigned others_of(const uint16_t held[QUEUES], unsigned queue)
{
	if (queue < QHL_READS || queue >= IMC_READS)
		return 0;
	return held[queue < QHL_WRITES ? queue + 3 : queue - 3];
}

// Advances by a cycle. Returns true if a queue has changed. A full queue ignores arrivals, an empty
// one departures. In a tracker with reads and writes, the reads enter first.
static bool pass_cycle(const struct uncore_state *m, uint16_t held[QUEUES])
{
	bool changed = false;

	for (uint32_t rest = m->moving; rest; rest &= rest - 1) {
		const unsigned i = (unsigned)__builtin_ctz(rest);
		const int64_t left = (int64_t)capacities[m->single][i] - others_of(held, i);
		const int64_t wanted = held[i] + m->change[i], most = wanted < left ? wanted : left;
		const uint16_t entries = most < 0 ? 0 : (uint16_t)most;

		changed |= entries != held[i];
		held[i] = entries;
	}
	return changed;
}

// A queue fills or empties in at most as many cycles as it has entries, and then stays as it is.
void nehalem_uncore_sync_queues(struct uncore_state *m)
{
	for (; m->moving && m->held_at < m->engine.cycles; m->held_at++)
		if (!pass_cycle(m, m->held))
			m->moving = 0;
	m->held_at = m->engine.cycles;
}

// Returns the sum of the queues that a counter measures.
static uint32_t measure(const struct uncore_state *m, unsigned counter, const uint16_t held[QUEUES])
{
	const uint64_t select = m->file[0][SLOT_UNCORE_PERFEVTSEL + counter];
	const struct event *event = selected_by(select);
	uint32_t sum = 0;

	for (uint64_t mask = FIELD_GET(UNCORE_PERFEVTSEL, EVTMSK, select); mask; mask &= mask - 1) {
		const uint32_t queues = event->queues[__builtin_ctzll(mask)];
		uint32_t entries = 0;

		for (uint32_t rest = queues; rest; rest &= rest - 1)
			entries += held[__builtin_ctz(rest)];
		if (event->means == OCCUPANCY)
			sum += entries;
		else if (entries)
			sum += event->means == BUSY ||
				entries == capacities[m->single][__builtin_ctz(queues)];
	}
	return sum;
}

bool nehalem_uncore_sum_queues(struct uncore_state *m)
{
	struct engine *e = &m->engine;
	uint16_t next[QUEUES];
	bool changes;

	nehalem_uncore_sync_queues(m);
	memcpy(next, m->held, sizeof next);
	changes = pass_cycle(m, next);
	for (uint32_t rest = m->queued & e->counting; rest; rest &= rest - 1) {
		const unsigned i = (unsigned)__builtin_ctz(rest);
		const uint32_t sum = measure(m, i, next);

		e->counter[i].step = sum > m->unknown[i] ? sum - m->unknown[i] : 0;
		ENGINE_PUT_BIT(e->moving, i, e->counter[i].step);
	}
	return changes;
}

// Signals or entries have changed. The home logic's trackers may now have other sizes. A bus lock
// matters while a tracker waits for it, or while a queue holds or gets entries.
static void follow(struct uncore_state *m)
{
	uint32_t holding = 0, changing = 0;

	for (unsigned i = 0; i < QUEUES; i++) {
		holding |= m->held[i];
		changing |= (uint32_t)(m->change[i] != 0) << i;
	}
	m->engine.outputs.locks_matter = m->waiting || holding || changing;
	m->moving = changing | 0x3Fu << QHL_READS;
}

bool nehalem_uncore_connect_queues(struct uncore_state *m, const struct occurrence *occurrences,
				   size_t count)
{
	int64_t change[QUEUES];
	uint32_t entering = 0;
	bool single = false, same;

	for (const struct occurrence *o = occurrences, *end = count ? o + count : o; o < end; o++) {
		const struct event *entrance = event_of(o->code & ~UNCORE_SIGNAL_OUT);

		single |= o->code == UNCORE_SIGNAL_SINGLE;
		for (unsigned rest = entrance->means == ENTERS ? o->sub & 0xFF : 0; rest;
		     rest &= rest - 1) {
			const uint32_t queue = entrance->queues[__builtin_ctz(rest)];
			const int64_t n = o->code & UNCORE_SIGNAL_OUT ? -(int64_t)o->n : o->n;

			if (queue)
				change[__builtin_ctz(queue)] = entering & queue ?
					change[__builtin_ctz(queue)] + n : n;
			entering |= queue;
		}
	}
	same = single == m->single && entering == m->entering;
	for (uint32_t rest = entering; rest && same; rest &= rest - 1)
		same = change[__builtin_ctz(rest)] == m->change[__builtin_ctz(rest)];
	if (same)
		return false;
	engine_sync(&m->engine);
	nehalem_uncore_sync_queues(m);
	m->single = single;
	m->entering = entering;
	memset(m->change, 0, sizeof m->change);
	for (uint32_t rest = entering; rest; rest &= rest - 1)
		m->change[__builtin_ctz(rest)] = change[__builtin_ctz(rest)];
	follow(m);
	return true;
}

//
// Trackers of occupancies
//

bool nehalem_uncore_has_tracker(const struct uncore_state *m, unsigned counter)
{
	return selected_by(m->file[0][SLOT_UNCORE_PERFEVTSEL + counter])->means == OCCUPANCY;
}

// The tracker starts at 0 for any contents of the queues.
void nehalem_uncore_start_tracker(struct uncore_state *m, unsigned counter, bool reset)
{
	const bool starts = nehalem_uncore_has_tracker(m, counter);

	nehalem_uncore_sync_queues(m);
	ENGINE_PUT_BIT(m->waiting, counter, starts && reset);
	m->unknown[counter] = starts ? measure(m, counter, m->held) : 0;
	follow(m);
}

// All requests complete before a bus lock is granted, so the queues are empty. Trackers that wait
// for the lock are exact from now on.
void nehalem_uncore_empty_queues(struct uncore_state *m)
{
	nehalem_uncore_sync_queues(m);
	memset(m->held, 0, sizeof m->held);
	for (; m->waiting; m->waiting &= m->waiting - 1)
		m->unknown[__builtin_ctz(m->waiting)] = 0;
	follow(m);
}

// Checks that each queue's entries fit, with one package or two, and that only occupancies have
// trackers.
bool nehalem_uncore_restore_queues(struct uncore_state *m)
{
	bool possible = true;

	for (unsigned i = 0; i < QUEUES; i++) {
		const unsigned entries = m->held[i] + others_of(m->held, i);

		possible &= entries <= capacities[false][i] || entries <= capacities[true][i];
	}
	for (unsigned i = 0; i < GENERAL; i++)
		possible &= nehalem_uncore_has_tracker(m, i) ||
			(!m->unknown[i] && !(m->waiting >> i & 1));
	follow(m);
	return possible;
}
