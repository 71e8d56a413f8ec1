// SPDX-License-Identifier: BSD-2-Clause
// The processor's records of an event's samples: sampled instructions, data addresses, latencies
// and sources of loads; on request, registers.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "result.h"
//
// Data: the records of an event, all threads together
//

#define BAR_WIDTH	40
#define PLACES_SHOWN	3

static void add_range(struct session_range *sum, const struct session_range *r)
{
	if (!r->samples)
		return;
	if (!sum->samples || r->least < sum->least)
		sum->least = r->least;
	if (!sum->samples || r->most > sum->most)
		sum->most = r->most;
	sum->samples += r->samples;
}

static void add_data(struct session_data *sum, const struct session_data *d)
{
	sum->samples += d->samples;
	sum->missed += d->missed;
	for (unsigned i = 0; i < MEMORY_REGIONS; i++)
		add_range(&sum->range[i], &d->range[i]);
	for (unsigned i = 0; i < LATENCY_CLASSES; i++)
		sum->latency[i] += d->latency[i];
	for (unsigned i = 0; i < SOURCES_MOST; i++) {
		sum->source[i].samples += d->source[i].samples;
		if (d->source[i].samples)
			sum->source[i].name = d->source[i].name;
	}
}

static struct session_data data_of(const struct session_results *results, unsigned event)
{
	struct session_data sum = {0};

	for (unsigned t = 0; t < results->plan->threads; t++)
		if (results->samples[t].data)
			add_data(&sum, &results->samples[t].data[event]);
	return sum;
}

// The entries are in order of address, the threads' entries of an address one after the other.
static uint64_t samples_at(const struct histogram_entry *e, const struct histogram_entry *end)
{
	const uint64_t address = e->from;
	uint64_t samples = 0;

	for (; e < end && e->from == address; e++)
		samples += e->count;
	return samples;
}

// Returns the number of samples at the next place in order: fewer than `below`, or as many at a
// higher address than *address.
static uint64_t next_place(const struct histogram_entry *first, unsigned count, uint64_t below,
			   uint64_t *address)
{
	const struct histogram_entry *const end = first + count;
	uint64_t most = 0, found = 0;

	for (const struct histogram_entry *e = first; e < end; e++) {
		const uint64_t samples = samples_at(e, end);

		if ((e > first && e[-1].from == e->from) || samples <= most)
			continue;
		if (samples < below || (samples == below && e->from > *address)) {
			most = samples;
			found = e->from;
		}
	}
	*address = found;
	return most;
}

static void print_places(const struct session_results *results, unsigned event, uint64_t total)
{
	const struct histogram_entry *first;
	const unsigned count = session_entries(results, SAMPLE_OF(event), &first);
	uint64_t samples = UINT64_MAX, address = 0;
	char text[PLACE_SIZE];

	printf("  at\n");
	for (unsigned shown = 0; shown < PLACES_SHOWN; shown++) {
		samples = next_place(first, count, samples, &address);
		if (!samples)
			return;
		session_print_share(samples, total);
		printf("  %s\n", session_place(address, text));
	}
}

static void print_ranges(const struct session_data *d)
{
	static const char *const names[MEMORY_REGIONS] = {
		[MEMORY_DATA] = "programs' data", [MEMORY_HEAP] = "heap",
		[MEMORY_STACKS] = "stacks",
		[MEMORY_CONSTANTS] = "code and constants", [MEMORY_ELSEWHERE] = "elsewhere",
	};
	const char *head = "  data addresses\n";

	for (unsigned i = 0; i < MEMORY_REGIONS; i++) {
		const struct session_range *r = &d->range[i];

		if (!r->samples)
			continue;
		printf("%s", head);
		head = "";
		session_print_share(r->samples, d->samples);
		printf("  %s, 0x%" PRIx64 " to 0x%" PRIx64, names[i], r->least, r->most);
		printf(": %s KiB\n", session_grouped((r->most - r->least) / 1024 + 1));
	}
}

static void print_latencies(const struct session_data *d)
{
	const char *head = "  latency, in cycles\n";
	char text[32];

	for (unsigned i = 0; i < LATENCY_CLASSES; i++) {
		const unsigned least = i ? 1u << (i - 1) : 0;

		if (!d->latency[i])
			continue;
		printf("%s", head);
		head = "";
		if (i < 2)
			snprintf(text, sizeof text, "%u", least);
		else if (i < LATENCY_CLASSES - 1)
			snprintf(text, sizeof text, "%u to %u", least, 2 * least - 1);
		else
			snprintf(text, sizeof text, "%u and more", least);
		session_print_share(d->latency[i], d->samples);
		printf("  %-16s %.*s\n", text, (int)(d->latency[i] * BAR_WIDTH / d->samples),
		       "########################################");
	}
}

static void print_sources(const struct session_data *d)
{
	const char *head = "  served by\n";

	for (unsigned i = 0; i < SOURCES_MOST; i++) {
		const struct session_source *s = &d->source[i];

		if (!s->samples)
			continue;
		printf("%s", head);
		head = "";
		session_print_share(s->samples, d->samples);
		if (s->name)
			printf("  %s\n", s->name);
		else
			printf("  level %u\n", i);
	}
}

// Returns the count of all loads that missed the last-level cache; 0: also if it was not counted,
// or if it took turns, because the samples may be of another group's slices.
static uint64_t all_missed(const struct session_results *results)
{
	uint64_t count = 0;

	if (results->plan->groups)
		return 0;
	for (unsigned e = 0; e < results->plan->count && !count; e++)
		for (unsigned t = 0; t < results->plan->threads; t++)
			if (!strcmp(results->plan->event[e].request.event->name,
				    SERVED_MISSED_EVENT))
				count += results->thread[t].result[e].count;
	return count;
}

// The sampled fraction of the loads: the performance analysis guide, "General Exploration".
static void print_fraction(const struct session_results *results, unsigned event,
			   const struct session_data *d)
{
	const uint64_t period = results->plan->event[event].request.period;
	const uint64_t count = all_missed(results);
	uint64_t permille;

	if (!count)
		return;
	permille = (2000 * d->missed * period + count) / 2 / count;
	printf("  sampling fraction: %s samples", session_grouped(d->missed));
	printf(" x %s missed the last-level cache,", session_grouped(period));
	printf(" of %s loads that did: %" PRIu64 ".%" PRIu64 "%%\n", session_grouped(count),
	       permille / 10, permille % 10);
}

static void print_data(const struct session_results *results, unsigned event)
{
	const struct session_data d = data_of(results, event);

	if (!d.samples)
		return;
	printf("\nrecorded with %s, %s sample%s:\n", results->plan->event[event].text,
	       session_grouped(d.samples), d.samples == 1 ? "" : "s");
	print_places(results, event, d.samples);
	print_ranges(&d);
	print_latencies(&d);
	print_sources(&d);
	print_fraction(results, event, &d);
}

//
// Registers of precise samples, by address: the performance analysis guide, "Loop Tripcounts" and
// "Branch Analysis". If a loop compares two registers before its branch, the greater mean is the
// trip count. At a call the registers are the arguments.
//

#define REGISTERS_SHOWN	3	/* addresses shown per event and thread */
#define REGISTERS_LEAST	8	/* samples of an address that is shown, at least */
#define NUMBER_SIZE	32

static const char *number(struct spread_value value, char text[NUMBER_SIZE])
{
	const uint64_t whole = value.of > 1 ? value.magnitude / value.of : value.magnitude;

	if (value.of > 1)
		snprintf(text, NUMBER_SIZE, "%s%" PRIu64 ".%u", value.negative ? "-" : "", whole,
			 (unsigned)(value.magnitude % value.of));
	else
		snprintf(text, NUMBER_SIZE, "%s%" PRIu64, value.negative ? "-" : "", whole);
	return text;
}

static void print_register(const char *name, const struct spread *s)
{
	char average[NUMBER_SIZE], rms[NUMBER_SIZE] = "";

	if (!strcmp(name, "address")) {
		printf("    %-8s  %62" PRIx64 "  %20" PRIx64 "\n", name, s->least, s->most);
		return;
	}
	if (!s->too_large)
		number(spread_rms(s), rms);
	printf("    %-8s  %20s  %20s  %20" PRId64 "  %20" PRId64 "\n", name,
	       number(spread_average(s), average), rms, s->least, s->most);
}

// Returns the thread's next address by number of samples, after those shown. NULL: there is none.
static const struct session_registers *next_registers(const struct session_results *results,
						      unsigned thread,
						      unsigned event,
						      const struct session_registers *shown)
{
	const struct session_registers *r = results->samples[thread].registers, *next = NULL;

	for (unsigned i = 0; r && i < REGISTERS_MOST && r[i].kind; i++) {
		const uint64_t samples = r[i].contents[0].count;

		if (r[i].kind != (SAMPLE_OF(event) | THREAD(thread)) || !samples)
			continue;
		if (shown && (samples > shown->contents[0].count ||
			      (samples == shown->contents[0].count && &r[i] <= shown)))
			continue;
		if (!next || samples > next->contents[0].count)
			next = &r[i];
	}
	return next;
}

// A mean of few samples is not significant. Only the address with the most samples is always shown.
static void print_registers_of(const struct session_results *results, unsigned thread,
			       unsigned event)
{
	const struct session_registers *r = next_registers(results, thread, event, NULL);
	char at[PLACE_SIZE];
	unsigned shown = 0, more = 0;

	for (; r; r = next_registers(results, thread, event, r)) {
		const uint64_t samples = r->contents[0].count;

		if (shown == REGISTERS_SHOWN || (shown && samples < REGISTERS_LEAST)) {
			more++;
			continue;
		}
		shown++;
		printf("\nregisters of %s", results->plan->event[event].text);
		if (results->plan->threads > 1)
			printf(", thread %u", thread);
		printf(", %s sample%s at %s:\n    %-8s  %20s  %20s  %20s  %20s\n",
		       session_grouped(samples),
		       samples == 1 ? "" : "s", session_place(r->address, at), "", "average", "rms",
		       "least", "most");
		for (unsigned n = 0; n < r->count; n++)
			print_register(r->name[n], &r->contents[n]);
	}
	if (more)
		printf("  places with fewer samples: %u\n", more);
}

void session_print_records(const struct session_results *results, unsigned event)
{
	print_data(results, event);
	for (unsigned t = 0; t < results->plan->threads; t++)
		print_registers_of(results, t, event);
}
