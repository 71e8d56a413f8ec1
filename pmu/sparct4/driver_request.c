// SPDX-License-Identifier: BSD-2-Clause
// Requests: the events that the SPARC T4's counters can count, and the PCR values (Tables 10-1 and
// 10-2).

#include "driver.h"

// Sets of masks, as bits: a single mask, and all masks made of the bits of another one.
#define MASK(m)		(1ULL << (m))
#define ALL_OF_2	0x000000000000000EULL
#define ALL_OF_3	0x00000000000000FEULL
#define ALL_OF_4	0x000000000000FFFEULL
#define ALL_OF_6	0xFFFFFFFFFFFFFFFEULL
#define ANY		0xFFFFFFFFFFFFFFFFULL

// The masks that each group accepts, and the reason why it refuses others.
static const struct group {
	uint64_t masks;
	const char *why_not;
} groups[1 << PCR_sl_WIDTH] = {
	[1] = {MASK(0x01) | MASK(0x02) | MASK(0x04) | MASK(0x08) | MASK(0x10) | MASK(0x06) |
	       MASK(0x18),
	       "of several mask bits of sl 1 only 06 and 18 are useful"},
	[2] = {MASK(0x01) | MASK(0x02) | MASK(0x04) | MASK(0x08) | MASK(0x0E),
	       "of several mask bits of sl 2 only 0E gives meaningful data"},
	[3] = {ALL_OF_6},
	[4] = {ALL_OF_6},
	[5] = {ALL_OF_3 | MASK(0x08) | MASK(0x10),
	       "sl 5 has unrelated events: instruction cache misses (mask bits 2:0), BTC misses "
	       "(3), ITLB misses (4)"},
	[6] = {ALL_OF_6},
	[7] = {MASK(0x01) | MASK(0x02) | MASK(0x04) | MASK(0x08) | MASK(0x05) | MASK(0x06) |
	       MASK(0x09) |
	       MASK(0x0A) | MASK(0x0C) | MASK(0x0D) | MASK(0x0E),
	       "mask bits 0 and 1 of sl 7 are not mutually exclusive, bits 5:4 are ignored"},
	[8] = {MASK(0x01) | MASK(0x02) | MASK(0x04) | MASK(0x08),
	       "sl 8 has unrelated events: several mask bits are not useful, bits 5:4 are ignored"},
	[9] = {MASK(0x01) | MASK(0x02) | MASK(0x04) | MASK(0x08) | MASK(0x10) | MASK(0x06) |
	       MASK(0x0A) |
	       MASK(0x0C) | MASK(0x0E),
	       "of several mask bits of sl 9 only 06, 0A, 0C and 0E are useful"},
	[10] = {ALL_OF_6},
	[11] = {ALL_OF_2, "mask bits 5:2 of sl 11 are ignored"},
	[16] = {ALL_OF_3, "mask bits 5:3 of sl 16 are ignored"},
	[17] = {ALL_OF_6},
	[18] = {ALL_OF_3, "mask bits 5:3 of sl 18 are ignored"},
	[19] = {ALL_OF_4, "mask bits 5:4 of sl 19 are ignored"},
	[20] = {MASK(0x01) | MASK(0x02) | MASK(0x03) | MASK(0x04) | MASK(0x08) | MASK(0x0C) |
		MASK(0x0A) |
		MASK(0x0F) | MASK(0x10),
		"of several mask bits of sl 20 only 03, 0A, 0C and 0F are meaningful"},
	[21] = {ALL_OF_6},
	[22] = {ALL_OF_6},
	[23] = {ALL_OF_3, "mask bits 5:3 of sl 23 are ignored"},
	[24] = {ALL_OF_6},
	[25] = {MASK(0x01) | MASK(0x02) | MASK(0x04) | MASK(0x08) | MASK(0x06) | MASK(0x0A) |
		MASK(0x0C) |
		MASK(0x0E) | MASK(0x0F),
		"mask bits 3:1 of sl 25 combine, all four are 0F, bits 5:4 are ignored"},
	[SPARCT4_SL_CYCLES] = {ANY},
	[SPARCT4_SL_COMMITS] = {MASK(0x01) | MASK(0x02) | MASK(0x03) | MASK(0x04) | MASK(0x08) |
				MASK(0x0C),
				"of sl 28 only the masks 01, 02, 03, 04, 08 and 0C are known"},
};

static const char *objection_to_event(const struct event_request *r)
{
	const unsigned sl = event_code(r), mask = r->umask;

	if (sl == SPARCT4_SL_DISABLED)
		return "sl 0 counts nothing";
	if (sl >= 1 << PCR_sl_WIDTH || !groups[sl].masks)
		return "its group (sl) is reserved";
	if (mask >= 1 << PCR_mask_WIDTH)
		return "masks have six bits";
	if (groups[sl].masks >> mask & 1)
		return NULL;
	return mask ? groups[sl].why_not : "with mask 0 its group (sl) counts nothing";
}

#define BIT(level) (1U << (level))
#define LEVELS (BIT(SPARCT4_HYPERPRIVILEGED) | BIT(SPARCT4_PRIVILEGED) | BIT(SPARCT4_USER))
#define NO_LEVEL 0x4U

// Level 2 does not exist. It is accepted if the request names both levels below the highest one.
static const char *objection_to_levels(unsigned levels)
{
	const unsigned lower = BIT(SPARCT4_PRIVILEGED) | BIT(SPARCT4_USER);

	if (!(levels & LEVELS) || (levels & NO_LEVEL && (levels & lower) != lower))
		return "there is no level 2: 0 is hyperprivileged, 1 privileged, 3 user";
	return NULL;
}

const char *sparct4_objection(const struct event_request *r)
{
	const char *why = objection_to_event(r);

	if (!why)
		why = objection_to_levels(r->levels);
	if (why)
		return why;
	if (r->cmask || r->modifiers & (EVENT_INV | EVENT_EDGE))
		return "counters have no threshold, no inversion and no edge detection";
	if (r->modifiers & EVENT_ANY)
		return "the event itself decides whether it counts for all strands: there is no "
		       "'t'";
	if (r->modifiers & EVENT_PREFERRED)
		return "this processor has no SPFLT user filter (spflt)";
	if (r->modifiers & EVENT_OPEN && r->period)
		return "programs can write a counter that is open to them, and would choose its "
		       "samples (open, period)";
	if (r->modifiers & EVENT_MONITORS)
		return "this PMU has no pins and no event address registers (ev, oi, dear, iear)";
	if (r->modifiers & EVENT_PRECISE)
		return "the processor writes no records; samples of precise events have their "
		       "instruction's address";
	if (r->modifiers & EVENT_BRANCHES || r->branches)
		return "the processor records no branches";
	if (r->latency || r->tlb)
		return "the processor samples no addresses and no latencies";
	if (r->code_range.given || r->data_range.given || r->opcode.given)
		return "neither addresses nor opcodes qualify events";
	return r->sets ? "there is one instruction set" : NULL;
}

uint64_t sparct4_choices(const struct event_request *r)
{
	uint64_t choices = sparct4_objection(r) ? 0 : event_counters(r);

	if (r->counter != EVENT_ANY_COUNTER)
		choices &= r->counter < SPARCT4_COUNTERS ? 1ULL << r->counter : 0;
	return choices;
}

// With PCR.ht, and in hyperprivileged mode, precise traps are lost (section 10.3). An open counter
// does not trap either, because a program could cause its traps. The core polls both.
bool sparct4_polled(const struct event_request *r)
{
	return r->modifiers & EVENT_OPEN ||
	       (r->levels & BIT(SPARCT4_HYPERPRIVILEGED) &&
		SPARCT4_PRECISE_GROUPS >> event_code(r) & 1);
}

uint64_t sparct4_encode(const struct event_request *r, unsigned counter)
{
	(void)counter;
	return (r->modifiers & EVENT_OPEN ? 0 : SPARCT4_CLOSED) |
	       FIELD_PUT(PCR, sl, event_code(r)) | FIELD_PUT(PCR, mask, r->umask) |
	       FIELD_PUT(PCR, ht, !!(r->levels & BIT(SPARCT4_HYPERPRIVILEGED))) |
	       FIELD_PUT(PCR, st, !!(r->levels & BIT(SPARCT4_PRIVILEGED))) |
	       FIELD_PUT(PCR, ut, !!(r->levels & BIT(SPARCT4_USER))) |
	       FIELD_PUT(PCR, toe, !sparct4_polled(r));
}
