// SPDX-License-Identifier: BSD-2-Clause
// Raises events (events.h): in the cycle of the instruction that they are of, apart from it, or only added up.

#include "machine.h"

bool ia64_is_counted(const struct ia64_events *e, unsigned code)
{
	bool counted = false;

	for (unsigned i = 0; i < e->counted_codes; i++)
		counted |= e->counted[i] == code;
	return counted;
}

void ia64_add_up(struct machine *m, enum ia64_event code, unsigned sub, unsigned n)
{
	struct ia64_events *e = &m->events;

	e->tally[code][sub] += e->all ? n : 0;
	if (e->all && !ia64_is_counted(e, code))
		return;
	e->total[code][sub] += n;
	e->some = true;
}

// Events behind the L2 cache have nothing to do with the cycle or the context of an instruction, and those of TLBs are
// also of instructions that fault, with whose context they wait; they come one a cycle.
bool ia64_comes_late(unsigned code)
{
	static const uint8_t ranges[][2] = {
		{EVENT_L1I_FILLS, EVENT_L1I_FILLS}, {EVENT_ISB_LINES_IN, EVENT_ITLB_INSERTS_HPW},
		{EVENT_BUS_ALL, EVENT_BUS_BRQ_READ_REQ_INSERTED}, {EVENT_DTC_MISSES, EVENT_DTLB_INSERTS_HPW},
		{EVENT_L3_REFERENCES, EVENT_L3_LINES_REPLACED},
	};

	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (code >= ranges[i][0] && code <= ranges[i][1])
			return true;
	return false;
}

void ia64_raise_apart(struct machine *m, const struct occurrence *o, enum ia64_event code, unsigned sub)
{
	struct ia64_events *e = &m->events;

	if (!e->selected[code])
		return;
	if (e->batched || e->aparts == APART) {
		ia64_add_up(m, code, sub, 1);
		return;
	}
	e->tally[code][sub] += e->all;
	e->apart[e->aparts] = *o;
	e->apart[e->aparts].code = code;
	e->apart[e->aparts++].sub = (uint16_t)sub;
}

void ia64_raise_selected(struct machine *m, const struct occurrence *context, enum ia64_event code, unsigned sub)
{
	struct ia64_events *e = &m->events;

	if (e->batched || ia64_comes_late(code)) {
		ia64_add_up(m, code, sub, 1);
		if (!e->batched)
			m->stop = 0;
		return;
	}
	if (context->type & OCCURRENCE_TYPE_WALKER) {
		ia64_raise_apart(m, context, code, sub);
		return;
	}
	e->tally[code][sub] += e->all;
	if (e->count < OCCURRENCES) {
		e->cycle[e->count] = *context;
		e->cycle[e->count].code = code;
		e->cycle[e->count++].sub = (uint16_t)sub;
	}
}

void ia64_raise_stop(struct machine *m, bool written)
{
	ia64_raise(m, &m->events.context, EVENT_ALL_STOPS_DISPERSED, 0);
	if (written)
		ia64_raise(m, &m->events.context, EVENT_EXPL_STOPS_DISPERSED, 0);
}
