// SPDX-License-Identifier: BSD-2-Clause
// Requests: which counters can count them, with which control bits.

#include "driver.h"

// Event codes have 12 bits, and 8 before family 10h.
#define CODE_MOST	0xFFFu
#define SHORT_CODE_MOST	0xFFu

static const char *object_to_code(const struct event_request *r)
{
	if (event_code(r) > CODE_MOST)
		return "event codes have 12 bits";
	if (event_code(r) > SHORT_CODE_MOST && amd_found.family < AMD_FAMILY_LONG)
		return "event codes have 8 bits before family 10h";
	return NULL;
}

static const char *object_to_condition(const struct event_request *r)
{
	if (r->modifiers & EVENT_INV && !r->cmask)
		return "inversion needs a threshold (c)";
	if (r->modifiers & EVENT_ANY)
		return "counters count their own thread only, not any (t)";
	return object_to_code(r);
}

const char *amd_objection(const struct event_request *r)
{
	const char *why = plain_objection(r);

	if (!why)
		why = plain_levels_objection(r);
	if (why)
		return why;
	if (r->modifiers & EVENT_BRANCHES || r->branches)
		return "this driver takes no branch records (LBR)";
	return object_to_condition(r);
}

// On family 15h an event counts on some counters only.
static uint64_t counters_of(unsigned code)
{
#define RANGE(first, last, counters) {first, last, counters},
	static const struct {
		uint16_t first, last;
		uint8_t counters;
	} ranges[] = {AMD_RESTRICTED_EVENTS(RANGE)};

	if (amd_found.family != AMD_FAMILY_RESTRICTED)
		return amd_shape.counters;
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return ranges[i].counters;
	return 0;
}

uint64_t amd_choices(const struct event_request *r)
{
	const uint64_t wanted = r->counter == EVENT_ANY_COUNTER ? ~0ULL : 1ULL << r->counter;

	return amd_objection(r) ? 0 : event_counters(r) & amd_shape.counters &
	       counters_of(event_code(r)) & wanted;
}

uint64_t amd_encode(const struct event_request *r, unsigned counter)
{
	const unsigned code = event_code(r);

	(void)counter;
	return FIELD_PUT(PERF_CTL, EVENT_SELECT, code) |
	       FIELD_PUT(PERF_CTL, EVENT_SELECT_HIGH, code >> 8) |
	       FIELD_PUT(PERF_CTL, UNIT_MASK, r->umask) |
	       FIELD_PUT(PERF_CTL, USR, !!(r->modifiers & EVENT_USER)) |
	       FIELD_PUT(PERF_CTL, OS, !!(r->modifiers & EVENT_OS)) |
	       FIELD_PUT(PERF_CTL, EDGE, !!(r->modifiers & EVENT_EDGE)) |
	       FIELD_PUT(PERF_CTL, INV, !!(r->modifiers & EVENT_INV)) |
	       FIELD_PUT(PERF_CTL, CNT_MASK, r->cmask) |
	       FIELD(PERF_CTL, INT) | FIELD(PERF_CTL, EN);
}
