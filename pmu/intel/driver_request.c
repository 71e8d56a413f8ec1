// SPDX-License-Identifier: BSD-2-Clause
// Requests: which counters can count them, with which control bits.

#include "driver.h"

static const struct {
	uint16_t code;
	uint8_t umask;
} architectural[] = {INTEL_ARCHITECTURAL_EVENTS};

static bool is_absent(const struct event_request *r)
{
	for (unsigned i = 0; i < sizeof architectural / sizeof *architectural; i++)
		if (r->event->code == architectural[i].code && r->umask == architectural[i].umask)
			return intel_found.absent >> i & 1;
	return false;
}

// USR means levels 1 to 3, of which systems use 3.
#define LOWER_LEVELS	0xE
#define LOWEST_LEVEL	0x8

static const char *object_to_condition(const struct event_request *r)
{
	const unsigned lower = r->levels & LOWER_LEVELS;

	if (lower && lower != LOWEST_LEVEL && lower != LOWER_LEVELS)
		return "levels 1 to 3 are counted together (USR): not 1 or 2 without 3";
	if (r->modifiers & (EVENT_INV | EVENT_EDGE) && !r->cmask)
		return "inversion and edge detection need a threshold (c)";
	if (r->modifiers & EVENT_ANY && !intel_found.any_thread)
		return "CPUID.0AH reports no any-thread counting (t)";
	return NULL;
}

const char *intel_objection(const struct event_request *r)
{
	if (r->modifiers & EVENT_PRECISE)
		return "this driver takes no precise records (PEBS)";
	if (r->modifiers & EVENT_BRANCHES && !intel_found.lbr.depth)
		return "this processor has no branch records (LBR) that the driver knows";
	if (r->branches && !intel_found.lbr_filters)
		return "CPUID.1CH:EBX reports that branch records are not filtered";
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
	if (is_absent(r))
		return "CPUID.0AH:EBX reports that the processor lacks this event";
	return lbr_objection(r) ? lbr_objection(r) : object_to_condition(r);
}

uint64_t intel_choices(const struct event_request *r)
{
	uint64_t choices = intel_objection(r) ? 0 : event_counters(r) & intel_shape.counters;

	// A fixed counter has no threshold.
	if (r->cmask)
		choices &= ~INTEL_FIXED_MASK;
	if (r->counter != EVENT_ANY_COUNTER)
		choices &= 1ULL << r->counter;
	return choices;
}

static uint64_t encode_fixed(const struct event_request *r, unsigned counter)
{
	const uint64_t control =
		FIELD_PUT(IA32_FIXED_CTR_CTRL, EN0_OS, !!(r->modifiers & EVENT_OS)) |
		FIELD_PUT(IA32_FIXED_CTR_CTRL, EN0_USR, !!(r->modifiers & EVENT_USER)) |
		FIELD_PUT(IA32_FIXED_CTR_CTRL, AnyThread0, !!(r->modifiers & EVENT_ANY)) |
		FIELD(IA32_FIXED_CTR_CTRL, PMI0);

	return control << intel_fixed_shift(counter);
}

uint64_t intel_encode(const struct event_request *r, unsigned counter)
{
	if (counter >= INTEL_FIRST_FIXED)
		return encode_fixed(r, counter);
	return FIELD_PUT(IA32_PERFEVTSEL, EventSelect, event_code(r)) |
	       FIELD_PUT(IA32_PERFEVTSEL, UMASK, r->umask) |
	       FIELD_PUT(IA32_PERFEVTSEL, USR, !!(r->modifiers & EVENT_USER)) |
	       FIELD_PUT(IA32_PERFEVTSEL, OS, !!(r->modifiers & EVENT_OS)) |
	       FIELD_PUT(IA32_PERFEVTSEL, E, !!(r->modifiers & EVENT_EDGE)) |
	       FIELD_PUT(IA32_PERFEVTSEL, AnyThread, !!(r->modifiers & EVENT_ANY)) |
	       FIELD_PUT(IA32_PERFEVTSEL, INV, !!(r->modifiers & EVENT_INV)) |
	       FIELD_PUT(IA32_PERFEVTSEL, CMASK, r->cmask) |
	       FIELD(IA32_PERFEVTSEL, INT) | FIELD(IA32_PERFEVTSEL, EN);
}
