// SPDX-License-Identifier: BSD-2-Clause
// Raises the events of address translation: misses of the TLBs, reads and insertions by the page
// walker (7.7). Each event has the context of its instruction, which may never retire.
//
// The data TLB's first level (DTC) holds copies of some entries of the second level. An entry's
// field `first` is its place in DTC plus 1, or 0. Places are replaced round-robin. References and
// the page walker fill DTC; insertions by software do not.

#include "misses.h"

#include "cycle.h"
#include "entries.h"
#include "hierarchy.h"
#include "machine.h"
#include "raise.h"
#include "translation.h"

// Returns the context of the instruction that makes a reference, or whose fetch does.
static struct occurrence origin(const struct machine *m, uint64_t address, uint64_t access)
{
	const struct ia64_recent *recent = &m->code[ia64_recent_index(m->ip)];
	struct occurrence o = {.n = 1, .level = (uint8_t)m->pmu.level, .ip = m->ip,
			       .slot = m->slot};

	if (access & ISR_X)
		return o;
	o.data = 1;
	o.address = address;
	if (m->incomplete) {	// the branch that left the frame incomplete
		o.ip = m->returned.ip;
		o.slot = m->returned.slot;
		o.opcode = m->returned.bits;
		o.type = OCCURRENCE_TYPE_B;
	} else if (recent->page) {
		const unsigned number = m->ip % PAGE_BYTES / BUNDLE_BYTES * BUNDLE_SLOTS + m->slot;
		const struct op *op = (struct op *)recent->page + number;

		o.type = op->type;
		o.opcode = op->bits;
	}
	o.type |= access & ISR_RS ? OCCURRENCE_TYPE_RSE : 0;
	return o;
}

static void bring_in(struct machine *m, struct ia64_translation *t)
{
	struct ia64_hierarchy *h = m->hierarchy;
	struct ia64_translation **place = &h->dtc[h->dtc_next];

	h->dtc_next = (h->dtc_next + 1) % DTC_ENTRIES;
	if (*place && (*place)->first == place - h->dtc + 1)
		(*place)->first = 0;
	*place = t;
	t->first = (uint8_t)(place - h->dtc + 1);
}

static void raise_first_level_miss(struct machine *m, const struct occurrence *o)
{
	ia64_raise_separately(m, o, EVENT_DTC_MISSES, 0);
	ia64_raise_separately(m, o, EVENT_PIPELINE_FLUSH, SUB_DTC_FLUSH);
}

void ia64_see_miss(struct machine *m, uint64_t address, uint64_t access, enum ia64_served by)
{
	struct occurrence o;

	if (!m->selection.watched || access & ISR_NA)
		return;
	o = origin(m, address, access);
	o.served = (uint8_t)by;
	ia64_raise_separately(m, &o, access & ISR_X ? EVENT_ITLB_MISSES_FETCH : EVENT_DTLB_MISSES,
			      0);
	if (m->selection.translated && !(access & ISR_X))
		raise_first_level_miss(m, &o);
}

void ia64_see_walk(struct machine *m, uint64_t address, uint64_t access, uint64_t at)
{
	const struct ia64_reference read = {
		.kind = REFERENCE_WALK, .address = at,
		.uncacheable = m->selection.attributes && ia64_is_uncacheable(m, at, true),
	};
	struct occurrence o;
	unsigned latency = 0;

	if (!m->selection.watched)
		return;
	o = origin(m, address, access);
	o.type |= OCCURRENCE_TYPE_WALKER;
	o.data = 1;
	o.address = at;
	m->cycle.defers = true;
	ia64_raise(m, &o, EVENT_DATA_REFERENCES_RETIRED, 0);
	ia64_raise(m, &o, EVENT_LOADS_RETIRED, 0);
	if (read.uncacheable)
		ia64_raise(m, &o, EVENT_UC_LOADS_RETIRED, 0);
	if (m->selection.cached)
		latency = ia64_access(m, &o, &read);
	m->cycle.defers = false;
	*(access & ISR_X ? &m->retiring.walked_code : &m->retiring.walked_data) += latency;
}

void ia64_see_insertion(struct machine *m, uint64_t address, uint64_t access,
			struct ia64_translation *t)
{
	struct occurrence o;

	if (!m->selection.watched)
		return;
	o = origin(m, address, access);
	ia64_raise_separately(m, &o, access & ISR_X ? EVENT_ITLB_INSERTS_HPW :
			      EVENT_DTLB_INSERTS_HPW, 0);
	if (m->selection.translated && !(access & (ISR_X | ISR_NA)))
		bring_in(m, t);
}

void ia64_look_up(struct machine *m, const struct occurrence *o, const struct ia64_reference *r,
		  bool is_of_stack)
{
	struct occurrence miss;
	struct ia64_translation *t;

	if (!(m->psr & (is_of_stack ? PSR_RT : PSR_DT)))
		return;
	t = ia64_find_entry(m, &m->dtlb, r->address);
	if (!t || t->first)
		return;
	bring_in(m, t);
	miss = *o;
	miss.served = SERVED_BY_SECOND;
	raise_first_level_miss(m, &miss);
}
