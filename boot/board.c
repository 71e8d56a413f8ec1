// SPDX-License-Identifier: BSD-2-Clause
// Facts about the board that a run has found, as a block of JSON objects. The first one has the
// most important ones.

#include "board.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "block.h"
#include "console.h"
#include "cpus.h"
#include "image_run.h"
#include "left.h"
#include "memory.h"
#include "pal.h"
#include "result.h"
#include "symbols.h"

#define VERSION 1
#define KEPT	0x10000u		/* bytes kept for the firmware */

// Adds a check's name; `of` replaces its '#'.
static void add_check(const char *text, const char *of)
{
	const char *const mark = of ? strchr(text, '#') : NULL;
	char name[160];

	snprintf(name, sizeof name, "%.*s%s%s", mark ? (int)(mark - text) : (int)sizeof name, text,
		 mark ? of : "", mark ? mark + 1 : "");
	block_add_string(name);
}

static void add_member(const char *name, const char *text)
{
	block_add(",\"%s\":", name);
	if (text)
		block_add_string(text);
	else
		block_add("null");
}

static bool is_counted(const struct session_results *results, unsigned event, unsigned thread)
{
	return !thread || !session_is_shared(results->plan, results->plan->event[event].unit);
}

static void print_machine(const struct summary *s, const struct board_end *end)
{
	char id[SYMBOLS_BUILD_ID];

	symbols_build_id(id);
	block_add("{\"machine\":{\"target\":\"%s\"", end->driver->name);
	add_member("processor", s->processor);
	add_member("started_by", s->protocol);
	add_member("backend", s->backend);
	add_member("build_id", id);
	add_member("command_line", end->command_line);
	block_print("}}");
}

static void print_pmu(const struct pmu_driver *driver)
{
	const struct pal_ret information = pal_ask(PALMON_MONITOR_FEATURES, 0, 0, 0);

	block_add("{\"pmu\":{\"counters\":%d,\"fixed\":%d,\"width\":%u,\"features\":\"0x%" PRIx64
		  "\"",
		  __builtin_popcountll(driver->shape->counters),
		  __builtin_popcountll(driver->shape->fixed), driver->shape->width, information.v3);
	block_print("}}");
}

static void print_failure(const struct summary_failure *f)
{
	block_add("{\"failure\":{\"pmu\":\"%s\",\"check\":", f->suite);
	add_check(f->check, f->of);
	block_add(",\"expected\":\"0x%" PRIx64 "\",\"found\":\"0x%" PRIx64 "\"", f->result.expected,
		  f->result.found);
	if (f->result.problem == SELFTEST_STEP)
		block_add(",\"problem\":\"a step failed\"");
	else if (f->result.problem)
		block_add(",\"problem\":\"0x%" PRIx32 " faulted\"", f->result.address);
	block_print("}}");
}

static void print_left(const struct pmu_driver *driver, const struct left *left)
{
	for (const struct left_counter *l = left->counter; l < left->counter + left->count; l++) {
		block_add("{\"left\":{\"counter\":%u,\"control\":\"0x%" PRIx64 "\"", l->counter,
			  l->select);
		add_member("event", left_event(driver, l));
		block_print(",\"events\":%" PRIu64 "}}", l->events);
	}
	if (left->overflowed)
		block_print("{\"pending\":{\"status\":\"0x%" PRIx64 "\"}}", left->overflowed);
}

static void print_count(const struct session_results *results, unsigned event, unsigned thread)
{
	const struct session_event *e = &results->plan->event[event];
	const char *const mark = session_is_scaled(results->plan, event) ? "\"~" : "";
	uint64_t count;

	block_add("{\"count\":{\"event\":");
	block_add_string(e->text);
	block_add(",\"pmu\":\"%s\",\"run\":%u,\"thread\":%u", results->plan->unit[e->unit]->name,
		  e->run, thread);
	if (session_happens(results->plan, event) && session_count(results, event, thread, &count))
		block_add(",\"value\":%s%" PRIu64 "%s,\"samples\":%" PRIu64, mark, count,
			  *mark ? "\"" : "",
			  results->thread[thread].result[event].counter.samples);
	block_print("}}");
}

void board_print(const struct summary *s, const struct board_end *end)
{
	char *const kept = memory_take(KEPT);		// taken, not static: a static array would
							// be cleared at each boot
	unsigned failures_count;
	const struct summary_failure *failures = summary_failures(&failures_count);
	struct hal_processors p;
	const bool has_processors = hal_find_processors(&p);
	const struct session_results *results = end->results;

	if (!end->faulted)
		fflush(stdout);
	console_hide_screens(true);
	block_begin(end->faulted ? hal_console_write : NULL, kept, KEPT);
	block_add("{\"palmon_board\":%d,\"status\":%d", VERSION, end->status);
	add_member("why", end->why);
	block_print("}");
	print_machine(s, end);
	if (has_processors)
		block_print("{\"processors\":{\"count\":%u,\"off\":%u,\"packages\":%u,"
			    "\"in_package\":%u,"
			    "\"cores\":%u,\"used\":%u}}", p.count, p.off, p.packages, p.in_package,
			    p.cores, p.used);
	if (end->up)
		print_pmu(end->driver);
	if (end->left)
		print_left(end->driver, end->left);
	if (s->tally.number)
		block_print("{\"selftest\":{\"checks\":%u,\"done\":%u,\"failed\":%u,"
			    "\"skipped\":%u}}", s->checks,
			    s->tally.number, s->tally.failed, s->tally.skipped);
	for (unsigned i = 0; i < failures_count; i++)
		print_failure(&failures[i]);
	for (unsigned t = 0; results && t < results->plan->threads; t++)
		for (unsigned i = 0; i < results->plan->count; i++)
			if (is_counted(results, i, t))
				print_count(results, i, t);
	block_print("{\"end\":true}");
	if (!end->faulted)
		fflush(stdout);
	console_hide_screens(false);
	hal_keep_result(kept, block_kept());
}
