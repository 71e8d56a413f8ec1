// SPDX-License-Identifier: BSD-2-Clause
// Requests to PMUs whose counters have thresholds and the levels USR and OS, and nothing else.

#include "plain_request.h"

const char *plain_objection(const struct event_request *r)
{
	if (r->modifiers & EVENT_PRECISE)
		return "this driver takes no precise records (p)";
	if (r->modifiers & EVENT_PREFERRED)
		return "this processor has no SPFLT user filter (spflt)";
	if (r->modifiers & EVENT_MONITORS)
		return "this PMU has no pins and no event address registers (ev, oi, dear, iear)";
	if (r->latency || r->tlb)
		return "this driver samples no addresses and no latencies";
	if (r->code_range.given || r->data_range.given || r->opcode.given)
		return "neither addresses nor opcodes qualify events";
	if (r->sets)
		return "there is one instruction set";
	if (r->extra)
		return "no register goes with this event: it has no msr";
	return NULL;
}

// USR means levels 1 to 3, of which systems use 3.
#define LOWER_LEVELS	0xE
#define LOWEST_LEVEL	0x8

const char *plain_levels_objection(const struct event_request *r)
{
	const unsigned lower = r->levels & LOWER_LEVELS;

	if (lower && lower != LOWEST_LEVEL && lower != LOWER_LEVELS)
		return "levels 1 to 3 are counted together (USR): not 1 or 2 without 3";
	return NULL;
}
