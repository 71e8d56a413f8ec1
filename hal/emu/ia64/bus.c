// SPDX-License-Identifier: BSD-2-Clause
// Raises the events of bus transactions: bus.h.

#include "bus.h"

#include "machine.h"
#include "raise.h"

static void raise_transaction(struct machine *m, const struct occurrence *o,
			      enum ia64_transaction t, unsigned initiator)
{
	static const enum ia64_event of[][4] = {
		[TRANSACTION_BRL_CODE] = {EVENT_BUS_BURST, EVENT_BUS_RD_ALL},
		[TRANSACTION_BRL_DATA] = {EVENT_BUS_BURST, EVENT_BUS_RD_ALL, EVENT_BUS_RD_DATA},
		[TRANSACTION_BRIL] = {EVENT_BUS_BURST, EVENT_BUS_RD_INVAL_BST},
		[TRANSACTION_BWL] = {EVENT_BUS_BURST, EVENT_BUS_WR_WB},
		[TRANSACTION_BIL] = {EVENT_BUS_RD_INVAL},
		[TRANSACTION_BRP] = {EVENT_BUS_PARTIAL, EVENT_BUS_RD_PRTL},
		[TRANSACTION_BWP] = {EVENT_BUS_PARTIAL},
	};

	ia64_raise(m, o, EVENT_BUS_ALL, initiator);
	ia64_raise(m, o, EVENT_BUS_MEMORY, initiator);
	for (unsigned i = 0; i < 4 && of[t][i]; i++)
		ia64_raise(m, o, of[t][i], initiator);
	if (initiator == SUB_SELF && t <= TRANSACTION_BRIL)
		ia64_raise(m, o, EVENT_BUS_BRQ_READ_REQ_INSERTED, 0);
}

// The other processor supplies a line that it has modified. A read leaves it a shared line.
static void answer(struct machine *m, const struct occurrence *o, enum ia64_transaction t,
		   uint64_t address)
{
	static const struct {
		enum ia64_event hit, modified;	// 0: none
		bool invalidates;
	} of[] = {
		[TRANSACTION_BRL_CODE] = {EVENT_BUS_RD_HIT, EVENT_BUS_RD_HITM, false},
		[TRANSACTION_BRL_DATA] = {EVENT_BUS_RD_HIT, EVENT_BUS_RD_HITM, false},
		[TRANSACTION_BRIL] = {0, EVENT_BUS_RD_INVAL_BST_HITM, true},
		[TRANSACTION_BIL] = {0, EVENT_BUS_RD_INVAL_HITM, true},
	};
	struct cache *other = &m->hierarchy->other;
	struct cache_line *line = cache_find(other, address);

	if (!line || t >= sizeof of / sizeof *of || !of[t].modified)
		return;
	if (line->state == LINE_MODIFIED) {
		ia64_raise(m, o, of[t].modified, 0);
		ia64_raise(m, o, EVENT_BUS_HITM, 0);
	} else if (of[t].hit) {
		ia64_raise(m, o, of[t].hit, 0);
	}
	line->state = LINE_SHARED;
	if (of[t].invalidates)
		cache_flush(other, address);
}

void ia64_transact(struct machine *m, const struct occurrence *o, enum ia64_transaction t,
		   unsigned initiator, uint64_t address)
{
	raise_transaction(m, o, t, initiator);
	if (initiator == SUB_SELF)
		answer(m, o, t, address);
}
