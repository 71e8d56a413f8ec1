// SPDX-License-Identifier: BSD-2-Clause
// The events that the machine can raise, and how often it has raised each.

#include "tally.h"

#include <inttypes.h>

#include "cycle.h"
#include "machine.h"

#define ROW(name, code, subs) {#name, code, subs},
static const struct row {
	const char *name;
	uint16_t code, subs;
} events[] = {IA64_EVENTS(ROW)}, captures[] = {IA64_CAPTURES(ROW)};
#define EVENTS		(sizeof events / sizeof *events)
#define CAPTURES	(sizeof captures / sizeof *captures)

// Whether only the timed clock raises all occurrences of an event: cycles, stalls, requests in
// queues, and flushes, most of which are of branches.
static bool needs_timing(uint64_t code)
{
	return code <= EVENT_MEMORY_CYCLE || code == EVENT_INST_DISPERSED ||
	       code == EVENT_EXPL_STOPS_DISPERSED ||
	       code == EVENT_ALL_STOPS_DISPERSED || code == EVENT_PIPELINE_FLUSH ||
	       code == EVENT_L2_FLUSHES || code == EVENT_L2_FLUSH_DETAILS ||
	       (code >= EVENT_BUS_IOQ_LIVE_REQ_LO && code <= EVENT_BUS_BRQ_LIVE_REQ_HI);
}

// Whether a counter with this code and unit mask counts the event of a row. A counter can count
// events of another code: FP_OPS_RETIRED_HI counts the weights that _LO raises.
static bool is_counted(const struct machine *m, const struct row *row, uint64_t code,
		       uint64_t umask)
{
	bool some = false;

	for (unsigned sub = 0; sub < EVENT_SUBS; sub++) {
		const struct occurrence o = {.code = row->code, .sub = (uint16_t)sub};

		some |= row->subs >> sub & 1 &&
			model_counts(m->pmu.model, &o, (uint16_t)code, (uint8_t)umask);
	}
	return some;
}

bool ia64_event_happens(const struct machine *m, uint64_t code, uint64_t umask)
{
	bool happens = code == INTERVAL_TIMER;

	if (!m->monitored || (needs_timing(code) && !m->timed))
		return false;
	for (size_t i = 0; i < EVENTS; i++)
		happens |= code < EVENT_CODES && is_counted(m, &events[i], code, umask);
	for (size_t i = 0; i < CAPTURES; i++)
		happens |= captures[i].code == code;
	return happens;
}

void ia64_print_tally(struct machine *m, FILE *to)
{
	ia64_report(m);
	m->cycle.tally[EVENT_IA64_INST_RETIRED][0] = ia64_retired(m);
	m->cycle.tally[EVENT_CPU_CYCLES][0] = m->cycle.seen;
	for (size_t i = 0; i < EVENTS; i++)
		for (unsigned sub = 0; sub < EVENT_SUBS; sub++) {
			const uint64_t times = m->cycle.tally[events[i].code][sub];

			if (times || events[i].subs >> sub & 1)
				fprintf(to, "%-30s 0x%02x/%02x %15" PRIu64 "%s\n", events[i].name,
					events[i].code, sub,
					times, events[i].subs >> sub & 1 ? "" : " unknown");
		}
}
