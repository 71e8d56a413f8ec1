// SPDX-License-Identifier: BSD-2-Clause
// The other agents on the bus, and their snoops of this processor's caches: agents.h.

#include "agents.h"

#include "bus.h"
#include "hierarchy.h"
#include "machine.h"
#include "raise.h"

// The actions: the README's table.
static const struct action {
	enum ia64_transaction transaction;
	uint8_t initiator;
	bool invalidates;	// in other caches
} actions[] = {
	{TRANSACTION_BRL_DATA, SUB_ANY, false}, {TRANSACTION_BRIL, SUB_ANY, true},
	{TRANSACTION_BRL_DATA, SUB_IO, false}, {TRANSACTION_BWL, SUB_IO, true},
	{TRANSACTION_BRP, SUB_IO, false}, {TRANSACTION_BWP, SUB_IO, true},
};
#define ACTIONS		(sizeof actions / sizeof *actions)

// No instruction causes these events.
static const struct occurrence nobody = {.n = 1};

// Returns whether this processor's caches held the line.
static bool snoop(struct machine *m, uint64_t address, bool invalidates)
{
	struct ia64_hierarchy *h = m->hierarchy;
	const bool held = ia64_holds_line(h, address);
	const bool modified = invalidates ? ia64_invalidate_line(h, address) :
		ia64_clean_line(h, address);

	ia64_raise(m, &nobody, EVENT_BUS_SNOOPS, SUB_ANY);
	if (modified)
		ia64_raise(m, &nobody, EVENT_BUS_SNOOPS_HITM, SUB_ANY);
	return held;
}

// Passes a transaction to this processor. Returns whether its caches held the line.
static bool send(struct machine *m, enum ia64_transaction t, unsigned initiator, uint64_t address,
		 bool invalidates)
{
	uint64_t now = m->cycle.ended;

	ia64_transact(m, &nobody, t, initiator, address);
	if (m->timed)
		ia64_queue_write(&m->hierarchy->queues, &now);
	return snoop(m, address, invalidates);
}

// Whether the second processor needs no transaction.
static bool hits(struct cache *other, uint64_t address, bool owns)
{
	struct cache_line *line = cache_find(other, address);

	if (!line || (owns && line->state == LINE_SHARED))
		return false;
	cache_touch(other, line);
	line->state = owns ? LINE_MODIFIED : line->state;
	return true;
}

static void refer(struct machine *m, const struct action *a, uint64_t address)
{
	struct cache *other = &m->hierarchy->other;
	struct cache_victim victim;
	bool shared;

	if (hits(other, address, a->invalidates))
		return;
	shared = send(m, a->transaction, a->initiator, address, a->invalidates);
	cache_flush(other, address);
	cache_place(other, address, a->invalidates ? LINE_MODIFIED :
		    shared ? LINE_SHARED : LINE_EXCLUSIVE, &victim);
	if (victim.dirty)
		send(m, TRANSACTION_BWL, a->initiator, victim.address, false);
}

// An I/O agent has no cache. The second processor gives up a line that it writes, or its
// modifications of a line that it reads.
static void transfer(struct machine *m, const struct action *a, uint64_t address)
{
	struct cache *other = &m->hierarchy->other;
	struct cache_line *line = cache_find(other, address);

	send(m, a->transaction, a->initiator, address, a->invalidates);
	if (a->invalidates)
		cache_flush(other, address);
	else if (line)
		line->state = LINE_SHARED;
}

bool ia64_act(struct machine *m, uint64_t action, uint64_t address)
{
	if (action >= ACTIONS)
		return false;
	if (m->hierarchy && actions[action].initiator == SUB_IO)
		transfer(m, &actions[action], address);
	else if (m->hierarchy)
		refer(m, &actions[action], address);
	return true;
}
