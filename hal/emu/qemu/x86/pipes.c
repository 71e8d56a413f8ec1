// SPDX-License-Identifier: BSD-2-Clause
// The Pentium's pipes: pipes.h. Sources: Pentium Processor User's Manual, volume 1, 3.1.2, and
// Agner Fog, How to optimize for the Pentium family of microprocessors, "Address generation
// interlock" and "Pairing integer instructions".

#include "pipes.h"

#include "cpu_event.h"

#define SP	(1u << 4)

// Both exceptions concern the stack pointer, which hardware predicts. Flags cause no dependency: in
// the V pipe, only conditional branches read them, and they may pair with the instruction that sets
// them.
static bool depends(const struct pipes_class *first, const struct pipes_class *second)
{
	unsigned common = first->writes & (second->reads | second->writes);

	if ((first->kinds & PIPES_PUSHES && second->kinds & (PIPES_PUSHES | PIPES_CALLS)) ||
	    (first->kinds & PIPES_POPS && second->kinds & PIPES_POPS))
		common &= ~SP;
	return common;
}

bool pipes_pair(const struct pipes_class *first, const struct pipes_class *second)
{
	return first->kinds & PIPES_FIRST && second->kinds & PIPES_SECOND &&
	       !depends(first, second);
}

uint64_t pipes_issue(struct pipes *p, const struct pipes_class *c)
{
	const bool joins = pipes_pair(&p->alone, c);
	uint64_t raises = 0;

	if (joins) {
		raises = CPU_EVENT_SET(PAIRED);
		if (p->alone.kinds & c->kinds & PIPES_REFERS)
			raises |= CPU_EVENT_SET(PAIRED_REFERENCES);
		p->alone.kinds = 0;
		p->delays |= c->delays;
	} else {
		p->before = p->delays;
		p->delays = c->delays;
		p->alone = *c;
	}
	if (c->addresses & p->before)
		raises |= CPU_EVENT_SET(INTERLOCKED);
	return raises;
}
