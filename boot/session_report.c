// SPDX-License-Identifier: BSD-2-Clause
// What the measured session has counted, that the samples agree with it, and what the overflow interrupt did.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "session.h"

const char *session_grouped(uint64_t number)
{
	static char buffers[8][32];
	static unsigned next;
	char digits[24], *out = buffers[next++ % 8], *start = out;
	int length = snprintf(digits, sizeof digits, "%" PRIu64, number);

	for (int i = 0; i < length; i++) {
		*out++ = digits[i];
		if (i < length - 1 && (length - 1 - i) % 3 == 0)
			*out++ = ',';
	}
	*out = '\0';
	return start;
}

static bool happens(unsigned event)
{
	const struct pmu_event *e = session_plan.requests[event].event;

	return hal_event_happens(e->code, e->umask);
}

//
// One thread
//

static void print_counter_name(const struct pmu_driver *driver, unsigned number)
{
	uint64_t below = (1ULL << number) - 1;

	if (driver->fixed >> number & 1)
		printf("fixed %d  ", __builtin_popcountll(driver->fixed & below));
	else
		printf("%-9u", number);
}

static void print_counts(const struct session_thread *thread)
{
	printf("\ncounts of the workload:\n\n");
	for (unsigned i = 0; i < session_plan.count; i++) {
		const struct pmu_counter *c = &thread->session.counter[i];

		printf("  %16s  %-32s ", happens(i) ? session_grouped(thread->counts[i]) : "<not counted>",
		       session_plan.requests[i].event->name);
		print_counter_name(session_plan.driver, c->number);
		if (!happens(i))
			printf(" # does not happen under %s", hal_carrier());
		else if (c->period)
			printf(" # %s samples, one in %s%s%s", session_grouped(c->samples), session_grouped(c->period),
			       c->throttled ? ", then THROTTLED" : "",
			       c->polled ? " # polled: its samples come late" : "");
		printf("\n");
	}
	printf("  %16s  clocks\n", session_grouped(thread->clocks));
}

//
// Several threads
//

// What was asked for, without the period.
static void print_request(unsigned event)
{
	const char *text = session_plan.text[event], *period = strstr(text, ":period=");
	size_t length = strcspn(text, ",");

	if (period && period < text + length)
		length = (size_t)(period - text);
	printf("%.*s", (int)length, text);
}

static void print_table(void)
{
	const unsigned threads = session_plan.threads;

	printf("\ncounts of the workload, on %u threads at once:\n\n", threads);
	for (unsigned t = 0; t < threads; t++)
		printf("      thread %u", t);
	printf("             sum\n");
	for (unsigned i = 0; i < session_plan.count; i++) {
		uint64_t sum = 0;

		for (unsigned t = 0; t < threads; t++) {
			printf(" %13s", happens(i) ? session_grouped(session_threads[t].counts[i]) : "<not counted>");
			sum += session_threads[t].counts[i];
		}
		printf(" %15s  ", happens(i) ? session_grouped(sum) : "");
		print_request(i);
		printf("\n");
	}
	for (unsigned t = 0; t < threads; t++)
		printf(" %13s", session_grouped(session_threads[t].clocks));
	printf("%16s  clocks\n", "");
}

static bool is_same_but_any(const struct event_request *any, const struct event_request *own)
{
	return any->event == own->event && any->umask == own->umask && any->levels == own->levels &&
	       any->cmask == own->cmask && any->modifiers == (own->modifiers | EVENT_ANY) &&
	       !(own->modifiers & EVENT_ANY);
}

// The first thread counts longer than all others. At level 3 there is nothing before they start and behind their end.
static bool print_any(unsigned any, unsigned own)
{
	const uint64_t count = session_threads[0].counts[any];
	uint64_t sum = 0;

	for (unsigned t = 0; t < session_plan.threads; t++)
		if (session_threads[t].core == session_threads[0].core)
			sum += session_threads[t].counts[own];
	print_request(any);
	printf(" of thread 0: %s; sum of the core's threads: %s: %s\n", session_grouped(count), session_grouped(sum),
	       sum == count ? "exactly" : "NOT THE SAME");
	return sum == count;
}

#define HIGHEST_LEVEL 1u

// The event that counts what event `any` does, of its own thread; none: the number of events.
static unsigned own_of(unsigned any)
{
	const struct event_request *r = session_plan.requests;
	unsigned own = 0;

	if (session_plan.threads == 1 || r[any].levels & HIGHEST_LEVEL || !happens(any))
		return session_plan.count;
	while (own < session_plan.count && !is_same_but_any(&r[any], &r[own]))
		own++;
	return own;
}

bool session_counts_any_thread(void)
{
	for (unsigned i = 0; i < session_plan.count; i++)
		if (own_of(i) < session_plan.count)
			return true;
	return false;
}

bool session_print_any_thread(void)
{
	bool ok = true;

	for (unsigned i = 0; i < session_plan.count; i++)
		if (own_of(i) < session_plan.count)
			ok &= print_any(i, own_of(i));
	printf("\n");
	return ok;
}

//
// Samples and counts
//

static void print_thread(unsigned thread, const char *before, const char *after)
{
	if (session_plan.threads > 1)
		printf("%sthread %u%s", before, thread, after);
}

// The exact total is the samples' part and the rest: what was still in the counter, and what late interrupts moved.
static void print_sum(unsigned event, unsigned thread)
{
	const struct pmu_counter *c = &session_threads[thread].session.counter[event];
	uint64_t count = session_threads[thread].counts[event];
	uint64_t rest = c->throttled ? count - c->samples * c->period : c->period - (c->due - count) + c->slipped;

	printf("%s%s", thread ? "" : "\n", session_plan.requests[event].event->name);
	print_thread(thread, ", ", "");
	printf(": %s samples x %s + %s = %s", session_grouped(c->samples), session_grouped(c->period),
	       session_grouped(rest), session_grouped(c->samples * c->period + rest));
	printf(": %s\n", c->samples * c->period + rest == count ? "exactly its count" : "NOT ITS COUNT");
}

static void print_sums(void)
{
	for (unsigned i = 0; i < session_plan.count; i++)
		for (unsigned t = 0; session_plan.requests[i].period && t < session_plan.threads; t++)
			print_sum(i, t);
}

static void print_interrupts(unsigned thread)
{
	const struct pmu_statistics *s = &session_threads[thread].statistics;

	print_thread(thread, "", ": ");
	printf("overflow interrupts: %s, spurious %s, overflows %s, throttled %s, samples dropped %s,"
	       " register faults %s\n",
	       session_grouped(s->interrupts), session_grouped(s->spurious), session_grouped(s->overflows),
	       session_grouped(s->throttles), session_grouped(s->dropped), session_grouped(s->faults));
	if (s->polled)
		printf("  overflows found by looking, without an interrupt of theirs: %s\n",
		       session_grouped(s->polled));
	if (s->interrupts)
		printf("  clocks in the handler: %s to %s\n", session_grouped(s->clocks_least),
		       session_grouped(s->clocks_most));
	if (s->skid_least <= s->skid_most)
		printf("  skid, events counted between overflow and freeze: %s to %s\n",
		       session_grouped(s->skid_least), session_grouped(s->skid_most));
}

void session_print_counts(void)
{
	struct hal_overhead overhead = hal_overhead();

	if (session_plan.threads == 1)
		print_counts(&session_threads[0]);
	else
		print_table();
	print_sums();
	printf("\n");
	for (unsigned t = 0; t < session_plan.threads; t++)
		print_interrupts(t);
	if (overhead.exits)
		printf("  monitor since boot: %s exits, %s instructions, none of them in the counts\n",
		       session_grouped(overhead.exits), session_grouped(overhead.clocks));
}
