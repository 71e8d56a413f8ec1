// SPDX-License-Identifier: BSD-2-Clause
// Facts about the board that a run has found, as lines of JSON. The first line has the most
// important ones and lists the parts that follow, so that a reader can tell which part a lost line
// belonged to.

#include "board.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "console.h"
#include "cpus.h"
#include "image_run.h"
#include "lines.h"
#include "memory.h"
#include "pal.h"
#include "result.h"
#include "symbols.h"

#define VERSION 1
#define KEPT	0x10000u		/* bytes kept for the firmware */

// Adds a JSON string; `of` replaces a '#' in the text.
static void add_string(const char *text, const char *of)
{
	lines_add("\"");
	for (; *text; text++)
		if (*text == '#' && of)
			lines_add("%s", of);
		else if (*text == '"' || *text == '\\')
			lines_add("\\%c", *text);
		else
			lines_add("%c", *text < ' ' || *text > '~' ? '?' : *text);
	lines_add("\"");
}

static void add_member(const char *name, const char *text)
{
	lines_add(",\"%s\":", name);
	if (text)
		add_string(text, NULL);
	else
		lines_add("null");
}

static bool is_counted(const struct session_results *results, unsigned event, unsigned thread)
{
	return !thread || !session_is_shared(results->plan, results->plan->event[event].unit);
}

static unsigned count_counts(const struct session_results *results)
{
	unsigned count = 0;

	for (unsigned t = 0; t < results->plan->threads; t++)
		for (unsigned i = 0; i < results->plan->count; i++)
			count += is_counted(results, i, t);
	return count;
}

static void print_machine(const struct summary *s, const struct board_end *end)
{
	char id[SYMBOLS_BUILD_ID];

	symbols_build_id(id);
	lines_add("{\"machine\":{\"target\":\"%s\"", end->driver->name);
	add_member("processor", s->processor);
	add_member("started_by", s->protocol);
	add_member("backend", s->backend);
	add_member("build_id", id);
	add_member("command_line", end->command_line);
	lines_print("}}");
}

static void print_pmu(const struct pmu_driver *driver)
{
	const struct pal_ret information = pal_ask(PALMON_MONITOR_FEATURES, 0, 0, 0);

	lines_add("{\"pmu\":{\"counters\":%d,\"fixed\":%d,\"width\":%u,\"features\":\"0x%" PRIx64 "\"",
		  __builtin_popcountll(driver->shape->counters), __builtin_popcountll(driver->shape->fixed),
		  driver->shape->width, information.v3);
	lines_print("}}");
}

static void print_failure(const struct summary_failure *f)
{
	lines_add("{\"failure\":{\"pmu\":\"%s\",\"check\":", f->suite);
	add_string(f->check, f->of);
	lines_add(",\"expected\":\"0x%" PRIx64 "\",\"found\":\"0x%" PRIx64 "\"", f->result.expected, f->result.found);
	if (f->result.problem == SELFTEST_STEP)
		lines_add(",\"problem\":\"a step failed\"");
	else if (f->result.problem)
		lines_add(",\"problem\":\"0x%" PRIx32 " faulted\"", f->result.address);
	lines_print("}}");
}

static void print_count(const struct session_results *results, unsigned event, unsigned thread)
{
	const struct session_event *e = &results->plan->event[event];
	const struct session_result *r = &results->thread[thread].result[event];

	lines_add("{\"count\":{\"event\":");
	add_string(e->text, NULL);
	lines_add(",\"pmu\":\"%s\",\"run\":%u,\"thread\":%u", results->plan->unit[e->unit]->name, e->run, thread);
	if (session_happens(results->plan, event))
		lines_add(",\"value\":%" PRIu64 ",\"samples\":%" PRIu64, r->count, r->counter.samples);
	lines_print("}}");
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
	const unsigned counts = results ? count_counts(results) : 0;

	if (!end->faulted)
		fflush(stdout);
	console_hide_screens(true);
	lines_begin(LINES_BOARD, end->faulted ? hal_console_write : NULL, kept, KEPT);
	lines_add("{\"palmon_board\":%d,\"status\":%d", VERSION, end->status);
	add_member("why", end->why);
	lines_add(",\"parts\":[[\"machine\",1],[\"processors\",%u],[\"pmu\",%u],[\"selftest\",%u],[\"failure\",%u],"
		  "[\"count\",%u]]", has_processors, end->up, s->tally.number > 0, failures_count, counts);
	lines_print("}");
	print_machine(s, end);
	if (has_processors)
		lines_print("{\"processors\":{\"count\":%u,\"off\":%u,\"packages\":%u,\"in_package\":%u,"
			    "\"cores\":%u,\"used\":%u}}", p.count, p.off, p.packages, p.in_package, p.cores, p.used);
	if (end->up)
		print_pmu(end->driver);
	if (s->tally.number)
		lines_print("{\"selftest\":{\"checks\":%u,\"done\":%u,\"failed\":%u,\"skipped\":%u}}", s->checks,
			    s->tally.number, s->tally.failed, s->tally.skipped);
	for (unsigned i = 0; i < failures_count; i++)
		print_failure(&failures[i]);
	for (unsigned t = 0; results && t < results->plan->threads; t++)
		for (unsigned i = 0; i < results->plan->count; i++)
			if (is_counted(results, i, t))
				print_count(results, i, t);
	lines_print("end");
	if (!end->faulted)
		fflush(stdout);
	console_hide_screens(false);
	hal_keep_result(kept, lines_kept());
}
