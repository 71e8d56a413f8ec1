// SPDX-License-Identifier: BSD-2-Clause
// Prints the measured session for tools, as lines on the console (out=console): counts, samples,
// and the names of functions with samples. The most important lines come first, because a log may
// be cut off. palmon-samples(5) describes each line.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "lines.h"
#include "pmu_driver.h"
#include "result.h"
#include "symbols.h"

#define VERSION 1

static void print_events(const struct session_results *results)
{
	for (unsigned i = 0; i < results->plan->count; i++) {
		const struct session_event *e = &results->plan->event[i];

		lines_print("event %u %s %u %u %" PRIu64 " %s", i, results->plan->unit[e->unit]->name, e->run,
			    session_happens(results->plan, i) != HAL_NEVER, e->request.period, e->text);
	}
}

static void print_count(const struct session_results *results, unsigned event, unsigned thread)
{
	const struct session_result *r = &results->thread[thread].result[event];
	const struct pmu_counter *c = &r->counter;

	lines_print("count %u %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %" PRIu64, event, thread, c->number,
		    r->count, c->samples, pmu_not_sampled(c, r->count), c->throttled, r->taken);
}

static void print_thread(const struct session_results *results, unsigned thread)
{
	const struct session_thread *t = &results->thread[thread];

	lines_print("thread %u %u", thread, t->core);
	for (unsigned run = 0; run < results->plan->runs; run++)
		lines_print("clocks %u %u %" PRIu64, run, thread, t->clocks[run]);
	for (unsigned i = 0; i < results->plan->count; i++)
		print_count(results, i, thread);
	for (unsigned unit = 0; unit < results->plan->units; unit++) {
		const struct pmu_statistics *s = &t->sum[unit];

		lines_print("interrupts %u %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, thread,
			    results->plan->unit[unit]->name, s->interrupts, s->spurious, s->overflows, s->throttles,
			    s->dropped);
	}
}

static void print_metrics(const struct session_results *results)
{
	for (unsigned i = 0; i < results->plan->metrics; i++) {
		const struct session_metric *m = &results->plan->metric[i];

		const unsigned threads = session_is_shared(results->plan, m->unit) ? 1 : results->plan->threads;

		for (unsigned t = 0; t < threads; t++) {
			char text[SESSION_VALUE];
			const char *unit = session_metric_value(results, m, t, text);

			const bool number = unit && !text[strspn(text, "-0123456789.")];

			lines_print("metric %u %s %s %s", t, m->text, number ? text : "-",
				    unit ? unit : m->metric->unit);
		}
	}
}

//
// Names of the functions with samples
//

#define MARKS_MOST 4096		/* functions that are marked; all later ones are printed */

static uint8_t marks[MARKS_MOST / 8];

static void mark(uint64_t address)
{
	const size_t number = symbol_number(address);

	if (number < MARKS_MOST)
		marks[number / 8] |= (uint8_t)(1u << number % 8);
}

static bool is_marked(size_t number)
{
	return number >= MARKS_MOST || marks[number / 8] >> number % 8 & 1;
}

static void mark_entries(const struct session_results *results, uint32_t what)
{
	const struct histogram_entry *e;
	const unsigned count = session_entries(results, what, &e);

	for (unsigned i = 0; i < count; i++) {
		mark(e[i].from);
		mark(e[i].to);
	}
}

static void print_symbols(const struct session_results *results)
{
	const struct symbol *s;

	for (unsigned i = 0; i < results->plan->count; i++) {
		mark_entries(results, SAMPLE_OF(i));
		mark_entries(results, BRANCH_OF(i));
	}
	for (size_t i = 0; (s = symbol_at(i)); i++)
		if (is_marked(i))
			lines_print("symbol %" PRIx64 " %" PRIx64 " %s", s->address, symbol_end(i), s->name);
}

//
// Samples
//

// Time since the thread's start. A sample of a package's event may precede the start.
static uint64_t clock_of(const struct session_results *results, const struct pmu_sample *sample, unsigned thread)
{
	const unsigned run = results->plan->event[sample->source.event].run;
	const uint64_t clock = sample->clock - results->thread[thread].started[run];

	return clock >> 63 ? 0 : clock;
}

static size_t print_sample(const struct session_results *results, const uint64_t *kept, unsigned thread, bool only_mark)
{
	const size_t end = kept_payload_end(kept), size = kept_size(kept, results->plan->calls);
	struct pmu_sample sample;

	memcpy(&sample, kept, sizeof sample);
	mark(sample.ip);
	for (size_t i = end + 1; i < size; i++)
		mark(kept[i]);
	if (only_mark)
		return size;
	lines_add("sample %u %u %u %" PRIx64 " %" PRIu64 " %" PRIu64, sample.source.event, thread, sample.source.level,
		  sample.ip, clock_of(results, &sample, thread), sample.count);
	for (size_t i = KEPT_WORDS; i < end; i++)
		lines_add(" %" PRIx64, kept[i]);
	for (size_t i = end + 1; i < size; i++)
		lines_add("%s%" PRIx64, i == end + 1 ? " | " : " ", kept[i]);
	lines_end();
	return size;
}

static void print_samples(const struct session_results *results, bool only_mark)
{
	for (unsigned t = 0; t < results->plan->threads; t++) {
		const struct session_kept *k = &results->samples[t].kept;

		for (size_t at = 0; at < k->used;)
			at += print_sample(results, k->word + at, t, only_mark);
	}
}

// Prints the number of samples without space to keep them, by address.
static void print_others(const struct session_results *results)
{
	for (unsigned i = 0; i < results->plan->count; i++) {
		const struct histogram_entry *e;
		const unsigned count = session_entries(results, OTHER_OF(i), &e);

		for (unsigned j = 0; j < count; j++)
			lines_print("others %u %u %" PRIx64 " %" PRIu64, i, THREAD_OF(e[j].what), e[j].from,
				    e[j].count);
	}
}

void session_print_output(const struct session_results *results)
{
	char id[SYMBOLS_BUILD_ID];

	symbols_build_id(id);
	lines_begin(LINES_RUN, NULL, NULL, 0);
	lines_add("run %u %s %u %u", VERSION, results->plan->unit[0]->name, results->plan->threads,
		  results->plan->runs);
	lines_print(" %s %s", *id ? id : "-", hal_backend());
	print_events(results);
	for (unsigned t = 0; t < results->plan->threads; t++)
		print_thread(results, t);
	print_metrics(results);
	print_samples(results, true);
	print_symbols(results);
	print_samples(results, false);
	print_others(results);
	lines_print("end");
}
