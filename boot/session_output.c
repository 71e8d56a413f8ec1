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
#include "session.h"
#include "session_samples.h"
#include "symbols.h"

#define VERSION 1

static void print_events(void)
{
	for (unsigned i = 0; i < session_plan.count; i++) {
		const struct session_event *e = &session_plan.event[i];

		lines_print("event %u %s %u %u %" PRIu64 " %s", i, session_plan.unit[e->unit]->name, e->run,
			    session_happens(i) != HAL_NEVER, e->request.period, e->text);
	}
}

static void print_count(unsigned event, unsigned thread)
{
	const struct session_result *r = &session_threads[thread].result[event];
	const struct pmu_counter *c = &r->counter;

	lines_print("count %u %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %" PRIu64, event, thread, c->number,
		    r->count, c->samples, pmu_not_sampled(c, r->count), c->throttled, r->taken);
}

static void print_thread(unsigned thread)
{
	const struct session_thread *t = &session_threads[thread];

	lines_print("thread %u %u", thread, t->core);
	for (unsigned run = 0; run < session_plan.runs; run++)
		lines_print("clocks %u %u %" PRIu64, run, thread, t->clocks[run]);
	for (unsigned i = 0; i < session_plan.count; i++)
		print_count(i, thread);
	for (unsigned unit = 0; unit < session_plan.units; unit++) {
		const struct pmu_statistics *s = &t->sum[unit];

		lines_print("interrupts %u %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, thread,
			    session_plan.unit[unit]->name, s->interrupts, s->spurious, s->overflows, s->throttles,
			    s->dropped);
	}
}

static void print_metrics(void)
{
	for (unsigned i = 0; i < session_plan.metrics; i++) {
		const struct session_metric *m = &session_plan.metric[i];

		for (unsigned t = 0; t < (session_is_shared(m->unit) ? 1 : session_plan.threads); t++) {
			char text[SESSION_VALUE];
			const char *unit = session_metric_value(m, t, text);

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

static void mark_entries(uint32_t what)
{
	const struct histogram_entry *e;
	const unsigned count = session_entries(what, &e);

	for (unsigned i = 0; i < count; i++) {
		mark(e[i].from);
		mark(e[i].to);
	}
}

static void print_symbols(void)
{
	const struct symbol *s;

	for (unsigned i = 0; i < session_plan.count; i++) {
		mark_entries(SAMPLE_OF(i));
		mark_entries(BRANCH_OF(i));
	}
	for (size_t i = 0; (s = symbol_at(i)); i++)
		if (is_marked(i))
			lines_print("symbol %" PRIx64 " %" PRIx64 " %s", s->address, symbol_end(i), s->name);
}

//
// Samples
//

// Time since the thread's start. A sample of a package's event may precede the start.
static uint64_t clock_of(const struct pmu_sample *sample, unsigned thread)
{
	const unsigned run = session_plan.event[sample->source.event].run;
	const uint64_t clock = sample->clock - session_threads[thread].started[run];

	return clock >> 63 ? 0 : clock;
}

static size_t print_sample(const uint64_t *kept, unsigned thread, bool only_mark)
{
	const size_t end = kept_payload_end(kept), size = kept_size(kept, session_plan.calls);
	struct pmu_sample sample;

	memcpy(&sample, kept, sizeof sample);
	mark(sample.ip);
	for (size_t i = end + 1; i < size; i++)
		mark(kept[i]);
	if (only_mark)
		return size;
	lines_add("sample %u %u %u %" PRIx64 " %" PRIu64 " %" PRIu64, sample.source.event, thread, sample.source.level,
		  sample.ip, clock_of(&sample, thread), sample.count);
	for (size_t i = KEPT_WORDS; i < end; i++)
		lines_add(" %" PRIx64, kept[i]);
	for (size_t i = end + 1; i < size; i++)
		lines_add("%s%" PRIx64, i == end + 1 ? " | " : " ", kept[i]);
	lines_end();
	return size;
}

static void print_samples(bool only_mark)
{
	for (unsigned t = 0; t < session_plan.threads; t++) {
		const struct session_kept *k = &session_samples[t].kept;

		for (size_t at = 0; at < k->used;)
			at += print_sample(k->word + at, t, only_mark);
	}
}

// Prints the number of samples without space to keep them, by address.
static void print_others(void)
{
	for (unsigned i = 0; i < session_plan.count; i++) {
		const struct histogram_entry *e;
		const unsigned count = session_entries(OTHER_OF(i), &e);

		for (unsigned j = 0; j < count; j++)
			lines_print("others %u %u %" PRIx64 " %" PRIu64, i, THREAD_OF(e[j].what), e[j].from,
				    e[j].count);
	}
}

void session_print_output(void)
{
	char id[SYMBOLS_BUILD_ID];

	symbols_build_id(id);
	lines_begin(LINES_RUN, NULL, NULL, 0);
	lines_add("run %u %s %u %u", VERSION, session_plan.unit[0]->name, session_plan.threads, session_plan.runs);
	lines_print(" %s %s", *id ? id : "-", hal_backend());
	print_events();
	for (unsigned t = 0; t < session_plan.threads; t++)
		print_thread(t);
	print_metrics();
	print_samples(true);
	print_symbols();
	print_samples(false);
	print_others();
	lines_print("end");
}
