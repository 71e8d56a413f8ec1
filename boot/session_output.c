// SPDX-License-Identifier: BSD-2-Clause
// Prints the measured session for tools, as a block on the console (out=console): the lines of the
// files that palmon fetch writes, palmon-samples(5) and counts.json.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "block.h"
#include "pmu_driver.h"
#include "result.h"
#include "symbols.h"

#define VERSION 1

static void add_cpu(const struct session_results *results, unsigned thread, const char *quote)
{
	if (results->plan->threads > 1)
		block_add(",\"cpu\":%s%u%s", quote, thread, quote);
}

static void print_header(const struct session_results *results)
{
	const struct session_plan *plan = results->plan;
	char id[SYMBOLS_BUILD_ID];

	symbols_build_id(id);
	block_add("{\"palmon_samples\":%u,\"target\":\"%s\",\"backend\":\"%s\",\"cpus\":%u",
		  VERSION, plan->unit[0]->name, hal_backend(), plan->threads);
	if (*id)
		block_add(",\"build_id\":\"%s\"", id);
	if (plan->ticks)
		block_add(",\"ticks\":%" PRIu32, plan->ticks);
	if (plan->groups)
		block_add(",\"multiplex\":%" PRIu32, plan->slice);
	if (plan->scoped)
		block_add(",\"scope\":\"%s:%s\"", session_scopes[plan->scope],
			  session_reaches[plan->reach]);
	for (unsigned i = 0; i < plan->count; i++) {
		const struct session_event *e = &plan->event[i];
		char text[SESSION_TEXT + 32];

		snprintf(text, sizeof text, e->request.period ? "%s:period=%" PRIu64 : "%s",
			 e->text, e->request.period);
		block_add(i ? ",{\"event\":" : ",\"events\":[{\"event\":");
		block_add_string(text);
		block_add(",\"period\":%" PRIu64, e->request.period);
		if (e->unit)
			block_add(",\"target\":\"%s\"", plan->unit[e->unit]->name);
		block_add(session_happens(plan, i) == HAL_NEVER ? ",\"absent\":true}" : "}");
	}
	block_print("]}");
}

//
// Counts and metrics, with the keys of perf stat -j
//

// The time in which an event counted. An event that took turns also has its exact count.
static void add_runtime(const struct session_results *results, unsigned event, unsigned thread)
{
	const struct session_thread *t = &results->thread[thread];
	const struct session_event *e = &results->plan->event[event];
	const struct session_result *r = &t->result[event];
	uint64_t percent = 0;

	if (session_happens(results->plan, event) == HAL_NEVER) {
		block_add(",\"event-runtime\":0,\"pcnt-running\":0.0");
		return;
	}
	if (!session_is_scaled(results->plan, event)) {
		block_add(",\"event-runtime\":%" PRIu64 ",\"pcnt-running\":100.0",
			  t->clocks[e->run]);
		return;
	}
	pmu_scale(r->clocks, t->clocks_of_groups, 10000, &percent);
	block_add(",\"event-runtime\":%" PRIu64 ",\"pcnt-running\":%" PRIu64 ".%02u,"
		  "\"scaled\":true,\"counted\":%" PRIu64 ",\"group\":%u", r->clocks,
		  percent / 100, (unsigned)(percent % 100), r->count, e->group + 1);
}

static void print_count(const struct session_results *results, unsigned event, unsigned thread)
{
	const struct session_event *e = &results->plan->event[event];
	uint64_t count;

	if (session_happens(results->plan, event) == HAL_NEVER ||
	    !session_count(results, event, thread, &count))
		block_add("{\"counter-value\":\"<not counted>\",\"unit\":\"\",\"event\":");
	else
		block_add("{\"counter-value\":%" PRIu64 ",\"unit\":\"\",\"event\":", count);
	block_add_string(e->text);
	add_runtime(results, event, thread);
	if (results->plan->runs > 1)
		block_add(",\"run\":%u", e->run + 1);
	add_cpu(results, thread, "\"");
	block_print("}");
}

static void print_metric(const struct session_results *results, const struct session_metric *m,
			 unsigned thread)
{
	const unsigned runs = results->plan->runs;
	char text[SESSION_VALUE];
	const char *const unit = session_metric_value(results, m, thread, text);

	block_add("{\"event\":");
	block_add_string(m->text);
	block_add(",\"event-runtime\":%" PRIu64 ",%s,\"metric-value\":%s,\"metric-unit\":",
		  results->thread[thread].clocks[runs - 1],
		  session_metric_is_scaled(results, m) ? "\"scaled\":true" :
		  "\"pcnt-running\":100.0",
		  unit && !text[strspn(text, "-0123456789.")] ? text : "null");
	block_add_string(unit ? unit : m->metric->unit);
	block_add(",\"runs\":%u", runs);
	add_cpu(results, thread, "\"");
	block_print("}");
}

// A PMU that the cores share has one count, the first thread's.
static unsigned threads_of(const struct session_results *results, unsigned unit)
{
	return session_is_shared(results->plan, unit) ? 1 : results->plan->threads;
}

static void print_counts(const struct session_results *results)
{
	const struct session_plan *plan = results->plan;

	for (unsigned i = 0; i < plan->count; i++)
		for (unsigned t = 0; t < threads_of(results, plan->event[i].unit); t++)
			print_count(results, i, t);
	for (unsigned i = 0; i < plan->metrics; i++)
		for (unsigned t = 0; t < threads_of(results, plan->metric[i].unit); t++)
			print_metric(results, &plan->metric[i], t);
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

static void mark_entries(const struct session_results *results, uint32_t kind)
{
	const struct histogram_entry *e;
	const unsigned count = session_entries(results, kind, &e);

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
		if (is_marked(i)) {
			block_add("{\"symbol\":");
			block_add_string(s->name);
			block_print(",\"address\":\"0x%" PRIx64 "\",\"end\":\"0x%" PRIx64 "\"}",
				    s->address, symbol_end(i));
		}
}

//
// Samples
//

// Time since the thread's start. A sample of a package's event may precede the start.
static uint64_t clock_of(const struct session_results *results, const struct pmu_sample *sample,
			 unsigned thread)
{
	const unsigned run = results->plan->event[sample->source.event].run;
	const uint64_t clock = sample->clock - results->thread[thread].started[run];

	return clock >> 63 ? 0 : clock;
}

static void add_words(const char *name, const uint64_t *word, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (i)
			block_add(",\"0x%" PRIx64 "\"", word[i]);
		else
			block_add(",\"%s\":[\"0x%" PRIx64 "\"", name, word[i]);
	if (count)
		block_add("]");
}

static size_t print_sample(const struct session_results *results, const uint64_t *kept,
			   unsigned thread, bool only_mark)
{
	const size_t end = kept_payload_end(kept), size = kept_size(kept, results->plan->calls);
	struct pmu_sample sample;

	memcpy(&sample, kept, sizeof sample);
	mark(sample.ip);
	for (size_t i = end + 1; i < size; i++)
		mark(kept[i]);
	if (only_mark)
		return size;
	block_add("{\"event\":%u,\"ip\":\"0x%" PRIx64 "\",\"clock\":%" PRIu64 ",\"count\":%" PRIu64
		  ",\"level\":%u",
		  sample.source.event, sample.ip, clock_of(results, &sample, thread), sample.count,
		  sample.source.level);
	add_cpu(results, thread, "");
	add_words("payload", kept + KEPT_WORDS, end - KEPT_WORDS);
	if (size > end)
		add_words("callers", kept + end + 1, size - end - 1);
	block_print("}");
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

		for (unsigned j = 0; j < count; j++) {
			block_add("{\"event\":%u,\"ip\":\"0x%" PRIx64 "\"", i, e[j].from);
			add_cpu(results, THREAD_OF(e[j].kind), "");
			if (e[j].count > 1)
				block_add(",\"times\":%" PRIu64, e[j].count);
			block_print("}");
		}
	}
}

// The sums over all threads.
static void print_end(const struct session_results *results)
{
	const struct session_plan *plan = results->plan;
	uint64_t dropped = 0;

	for (unsigned t = 0; t < plan->threads; t++)
		for (unsigned unit = 0; unit < plan->units; unit++)
			dropped += results->thread[t].sum[unit].dropped;
	block_add("{\"end\":true,\"cycles\":%" PRIu64 ",\"dropped\":%" PRIu64 ",\"events\":[",
		  results->thread[0].clocks[0], dropped);
	for (unsigned i = 0; i < plan->count; i++) {
		uint64_t count = 0, estimate = 0, all = 0, samples = 0, rest = 0;
		bool throttled = false;

		for (unsigned t = 0; t < plan->threads; t++) {
			const struct session_result *r = &results->thread[t].result[i];

			count += r->count;
			all += session_count(results, i, t, &estimate) ? estimate : 0;
			samples += r->counter.samples + r->intervals.number;
			rest += pmu_not_sampled(&r->counter, r->count) - r->intervals.sum;
			throttled |= r->counter.throttled;
		}
		block_add("%s{\"count\":%" PRIu64, i ? "," : "", count);
		if (session_is_scaled(plan, i))
			block_add(",\"scaled\":%" PRIu64, all);
		block_add(",\"samples\":%" PRIu64 ",\"rest\":%" PRIu64
			  ",\"throttled\":%s}",
			  samples, rest, throttled ? "true" : "false");
	}
	block_print("]}");
}

void session_print_output(const struct session_results *results)
{
	block_begin(NULL, NULL, 0);
	print_header(results);
	print_counts(results);
	print_samples(results, true);
	print_symbols(results);
	print_samples(results, false);
	print_others(results);
	print_end(results);
}
