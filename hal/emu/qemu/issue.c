// SPDX-License-Identifier: BSD-2-Clause
// Pairing of instructions: issue.h.

#include "issue.h"

uint64_t issue_raises(struct cpu *c, const struct instruction *i)
{
	struct issued *issued = &c->issued;
	const uint64_t before = issued->access;
	uint64_t raises;

	if (c->interrupted)
		issued->pipes = (struct pipes){0};
	if (c->last_next != c->address)
		pipes_part(&issued->pipes);
	raises = pipes_issue(&issued->pipes, &i->is.pipes);
	issued->access = c->first_access;
	if (raises & CPU_EVENT_SET(PAIRED_REFERENCES) && before && issued->access &&
	    pipes_conflict(before, issued->access))
		raises |= CPU_EVENT_SET(BANK_CONFLICT);
	return raises;
}
