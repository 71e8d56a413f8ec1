// SPDX-License-Identifier: BSD-2-Clause
// Remarks in the report: when and how an event was counted, and why a number cannot be different.

#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "memory.h"
#include "result.h"

static const char *const cycles_are[] = {
	[HAL_CYCLES_ARE_TIME] = NULL,
	[HAL_CYCLES_ARE_INSTRUCTIONS] = "cycles are instructions (unit clock)",
	[HAL_CYCLES_ARE_MOSTLY_INSTRUCTIONS] = "cycles are mostly instructions (unit clock)",
};

// The privilege level of the workload; that level as a bit of an event's levels.
static unsigned workload_level(const struct session_results *results)
{
	return results->plan->highest_level ? 0 : EVENT_LEVELS - 1;
}

static bool counts_workload(const struct session_results *results, unsigned event)
{
	const struct session_event *e = &results->plan->event[event];

	return session_is_shared(results->plan, e->unit) ||
	       e->request.levels >> workload_level(results) & 1;
}

//
// Remarks after a count
//

static void print_remark(const char **before, const char *remark)
{
	printf("%s%s", *before, remark);
	*before = ", ";
}

// The exact count of an event that took turns, on all threads, and its part of the time.
static void print_slices(const struct session_results *results, unsigned event, const char **before)
{
	const struct session_plan *plan = results->plan;
	uint64_t count = 0, clocks = 0, all = 0, percent = 0;
	char text[120];

	for (unsigned t = 0; t < plan->threads; t++) {
		count += results->thread[t].result[event].count;
		clocks += results->thread[t].result[event].clocks;
		all += results->thread[t].clocks_of_groups;
	}
	pmu_scale(clocks, all, 10000, &percent);
	snprintf(text, sizeof text, "group %u, %s in %u.%02u%% of the time",
		 plan->event[event].group + 1, session_grouped(count), (unsigned)(percent / 100),
		 (unsigned)(percent % 100));
	print_remark(before, text);
}

static void print_sampling(const char **before, const struct pmu_counter *c)
{
	char text[120];

	snprintf(text, sizeof text, "%s samples, one in %s", session_grouped(c->samples),
		 session_grouped(c->period));
	print_remark(before, text);
	if (c->throttled)
		print_remark(before, "then THROTTLED");
	if (c->polled)
		print_remark(before, "polled: its samples come late");
}

void session_print_remarks(const struct session_results *results, unsigned event, uint64_t count,
			   const struct pmu_counter *c)
{
	const struct session_event *e = &results->plan->event[event];
	const char *before = " # ";
	char text[120];

	if (results->plan->runs > 1) {
		snprintf(text, sizeof text, "run %u", e->run + 1);
		print_remark(&before, text);
	}
	if (session_is_shared(results->plan, e->unit))
		print_remark(&before, results->plan->unit[e->unit]->name);
	if (!session_happens(results->plan, event)) {
		snprintf(text, sizeof text, "does not happen under %s", hal_backend());
		print_remark(&before, text);
		return;
	}
	if (session_is_scaled(results->plan, event))
		print_slices(results, event, &before);
	if (c && c->period)
		print_sampling(&before, c);
	if (!counts_workload(results, event)) {
		snprintf(text, sizeof text, "not counted at level %u, where the workload ran",
			 workload_level(results));
		print_remark(&before, text);
	} else if (!count && session_happens(results->plan, event) == HAL_UNKNOWN) {
		print_remark(&before, "unknown whether it happens here");
	}
	if (e->request.event->clock && cycles_are[hal_cycles()])
		print_remark(&before, cycles_are[hal_cycles()]);
}

//
// Remarks after a metric
//

void session_print_metric_remark(const struct session_results *results,
				 const struct session_metric *m)
{
	struct pmu_value value;
	enum pmu_metric_clock clock = METRIC_WITHOUT_CYCLES;
	char text[SESSION_VALUE];

	if (cycles_are[hal_cycles()])
		clock = pmu_metric_by_unit_clock(results->plan->unit[m->unit], m->metric,
						 m->modifiers,
						 session_needed(results->plan, m), &value);
	if (clock == METRIC_WITHOUT_CYCLES)
		return;
	if (clock == METRIC_CONSTANT && hal_cycles() == HAL_CYCLES_ARE_INSTRUCTIONS) {
		pmu_value_print(&value, 0, text, sizeof text);
		printf(", always %s here:", text);
	} else {
		printf(",");
	}
	printf(" %s", cycles_are[hal_cycles()]);
}

//
// Remarks after the table of counts
//

static bool any_event(const struct session_results *results,
		      bool (*is)(const struct session_results *results, unsigned event))
{
	for (unsigned i = 0; i < results->plan->count; i++)
		if (session_happens(results->plan, i) && is(results, i))
			return true;
	return false;
}

static bool counts_level_0(const struct session_results *results, unsigned event)
{
	const struct session_event *e = &results->plan->event[event];

	return !session_is_shared(results->plan, e->unit) && e->request.levels & SESSION_LEVEL_0;
}

static bool leaves_workload_out(const struct session_results *results, unsigned event)
{
	return !counts_workload(results, event);
}

static bool is_of_translation(const struct session_results *results, unsigned event)
{
	const char *name = results->plan->event[event].request.event->name;

	return strstr(name, "TLB") || strstr(name, "PAGE_WALK");
}

static void print_missed(const struct session_results *results)
{
	uint64_t missed = 0;

	for (unsigned t = 0; t < results->plan->threads; t++)
		missed += results->thread[t].missed;
	if (missed)
		printf("\nIn %s slices nothing was counted: another thread of the core needed "
		       "another value in a\nregister that they share.\n", session_grouped(missed));
}

void session_print_notes(const struct session_results *results)
{
	if (any_event(results, counts_level_0))
		printf("\nCounts at level 0 include the runtime's own instructions: around the "
		       "workload, "
		       "and those of\neach interrupt that execute while the counters run.\n");
	if (any_event(results, leaves_workload_out))
		printf("\nThe workload ran at level %u. EVENT:%s counts there.\n",
		       workload_level(results), workload_level(results) ? "u" : "k");
	if (any_event(results, is_of_translation))
		printf("\nThe programs' memory is mapped in %s.\n", hal_pages());
	if (results->plan->scoped)
		printf("\nMonitored: %s:%s.\n", session_scopes[results->plan->scope],
		       session_reaches[results->plan->reach]);
	print_missed(results);
	if (results->plan->runs > 1)
		printf("\nEach run begins with %scaches and TLBs without the workload's lines and "
		       "pages.\n"
		       "Branch predictors keep their state from the previous runs.\n",
		       results->plan->restores ? "the same memory, and with " : "");
}
