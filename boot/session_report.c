// SPDX-License-Identifier: BSD-2-Clause
// Prints the measured session: counts and metrics, whether the samples add up to the counts,
// statistics of the overflow interrupt.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "hal.h"
#include "pmu_driver.h"
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

// Nothing is counting. A register that qualifies the event is set again, because the answer depends
// on it.
enum hal_happens session_happens(unsigned event)
{
	const struct event_request *r = &session_plan.event[event].request;

	if (r->event->setting_address)
		reg_write(r->event->setting_address, r->extra);
	return hal_event_happens(session_is_shared(session_plan.event[event].unit), event_code(r), r->umask);
}

static const char *counted(unsigned event, uint64_t count)
{
	return session_happens(event) ? session_grouped(count) : "<not counted>";
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
		const struct session_event *e = &session_plan.event[i];
		const struct session_result *r = &thread->result[i];

		printf("  %16s  %-32s ", counted(i, r->count), e->text);
		print_counter_name(session_plan.unit[e->unit], r->counter.number);
		session_print_remarks(i, r->count, &r->counter);
		printf("\n");
	}
	for (unsigned run = 0; run < session_plan.runs; run++) {
		printf("  %16s  clocks", session_grouped(thread->clocks[run]));
		if (session_plan.runs > 1)
			printf("  # run %u", run + 1);
		printf("\n");
	}
}

//
// Several threads
//

static void print_cell(const char *text)
{
	printf(" %13s", text);
}

static void print_heads(const char *last)
{
	for (unsigned t = 0; t < session_plan.threads; t++)
		printf("      thread %u", t);
	printf("%s\n", last);
}

// An event of the package has one count: the sum over all threads.
static void print_row(unsigned event)
{
	const bool shared = session_is_shared(session_plan.event[event].unit);
	uint64_t sum = 0;

	for (unsigned t = 0; t < session_plan.threads; t++) {
		const uint64_t count = session_threads[t].result[event].count;

		print_cell(shared ? "" : counted(event, count));
		sum += count;
	}
	printf(" %15s  %s", session_happens(event) || shared ? counted(event, sum) : "",
	       session_plan.event[event].text);
	session_print_remarks(event, sum, NULL);
	printf("\n");
}

static void print_table(void)
{
	printf("\ncounts of the workload, on %u threads at once:\n\n", session_plan.threads);
	print_heads("             sum");
	for (unsigned i = 0; i < session_plan.count; i++)
		print_row(i);
	for (unsigned run = 0; run < session_plan.runs; run++) {
		for (unsigned t = 0; t < session_plan.threads; t++)
			print_cell(session_grouped(session_threads[t].clocks[run]));
		printf("%16s  clocks", "");
		if (session_plan.runs > 1)
			printf("  # run %u", run + 1);
		printf("\n");
	}
}

// Returns whether a thread's any-thread count must equal the sum of the threads' own counts. True
// for events of retired instructions, each of which belongs to one thread. False for conditions of
// the core's cycle (clocks, threshold, inversion, edges), for events of no thread, which each
// thread counts, and with the user filter, which each thread has of its own. Also false with branch
// records, because they need samples, and a thread's counters stand still while it takes one.
static bool adds_up(const struct event_request *r)
{
	return r->event->each && !r->cmask &&
	       !(r->modifiers & (EVENT_EDGE | EVENT_INV | EVENT_PREFERRED | EVENT_BRANCHES));
}

static bool is_same_but_any(const struct event_request *any, const struct event_request *own)
{
	return any->event == own->event && any->umask == own->umask && any->levels == own->levels &&
	       any->modifiers == (own->modifiers | EVENT_ANY) && !(own->modifiers & EVENT_ANY) && adds_up(own);
}

// The first thread counts longer than all others. At level 3 nothing executes before they start or
// after they end.
static bool print_any(unsigned any, unsigned own)
{
	const uint64_t count = session_threads[0].result[any].count;
	uint64_t sum = 0;

	for (unsigned t = 0; t < session_plan.threads; t++)
		if (session_threads[t].core == session_threads[0].core)
			sum += session_threads[t].result[own].count;
	printf("%s of thread 0: %s; sum of the core's threads: %s: %s\n", session_plan.event[any].text,
	       session_grouped(count), session_grouped(sum), sum == count ? "exactly" : "NOT THE SAME");
	return sum == count;
}

// Returns the event that counts the same as event `any` for its own thread, among the events
// requested by name, which share a run. None: the number of events.
static unsigned own_of(unsigned any)
{
	const struct event_request *r = &session_plan.event[any].request;
	unsigned own = 0;

	if (session_plan.threads == 1 || r->levels & SESSION_LEVEL_0 || !session_happens(any))
		return session_plan.asked;
	while (own < session_plan.asked && !is_same_but_any(r, &session_plan.event[own].request))
		own++;
	return own;
}

bool session_compares(unsigned event)
{
	for (unsigned i = 0; i < session_plan.asked; i++) {
		const unsigned own = own_of(i);

		if (own < session_plan.asked && (i == event || own == event))
			return true;
	}
	return false;
}

bool session_print_any_thread(void)
{
	bool ok = true;

	for (unsigned i = 0; i < session_plan.asked; i++)
		if (own_of(i) < session_plan.asked)
			ok &= print_any(i, own_of(i));
	printf("\n");
	return ok;
}

//
// Metrics
//

#define DIGITS		6	/* digits after the point */

const struct pmu_metric_plan *session_needed(const struct session_metric *m)
{
	static struct pmu_metric_plan needed;
	const struct pmu_metric_plan *all = &session_plan.planned[m->unit];
	struct pmu_metric_refusal refusal;

	memset(&needed, 0, sizeof needed);
	needed.givens = all->givens;
	memcpy(needed.given, all->given, sizeof needed.given);
	pmu_metric_plan(session_plan.unit[m->unit], m->metric, m->modifiers, &needed, &refusal);
	return &needed;
}

// Returns the first event that a metric needs and that this machine does not raise; -1: none.
static int not_counted(const struct session_metric *m)
{
	const struct pmu_metric_plan *needed = session_needed(m), *all = &session_plan.planned[m->unit];

	for (unsigned i = 0; i < needed->count; i++)
		for (unsigned j = 0; j < all->count; j++)
			if (!strcmp(needed->event[i].text, all->event[j].text) &&
			    !session_happens(session_plan.first_planned[m->unit] + j))
				return (int)(session_plan.first_planned[m->unit] + j);
	return -1;
}

// Gives a metric's value on the first thread to the metrics of all PMUs that use it.
static void give(const struct session_metric *m, const struct pmu_value *value)
{
	for (unsigned unit = 0; unit < session_plan.units; unit++)
		pmu_metric_give(&session_plan.planned[unit], m->metric->name, strlen(m->metric->name), value);
}

const char *session_metric_value(const struct session_metric *m, unsigned thread, char text[SESSION_VALUE])
{
	const char *unit = m->metric->unit;
	uint64_t counts[PMU_METRIC_EVENTS];
	struct pmu_metric_refusal refusal;
	struct pmu_value value;

	if (not_counted(m) >= 0)
		return NULL;
	for (unsigned i = 0; i < session_plan.planned[m->unit].count; i++)
		counts[i] = session_threads[thread].result[session_plan.first_planned[m->unit] + i].count;
	if (pmu_metric_evaluate(session_plan.unit[m->unit], m->metric, m->modifiers, &session_plan.planned[m->unit],
				counts, &value, &refusal))
		pmu_metric_explain(&refusal, text, SESSION_VALUE);
	else {
		if (!thread)
			give(m, &value);
		unit = pmu_metric_in_seconds(m->metric, m->frequency.denominator ? &m->frequency : NULL, &value);
		pmu_value_print(&value, DIGITS, text, SESSION_VALUE);
	}
	return unit;
}

// Prints one line per thread; for the package, one line.
static void print_metric(const struct session_metric *m)
{
	const int missing = not_counted(m);
	const char *unit = m->metric->unit;
	char text[SESSION_VALUE];

	for (unsigned t = 0; t < session_plan.threads; t++) {
		const bool none = t && session_is_shared(m->unit);

		if (!none && missing < 0)
			unit = session_metric_value(m, t, text);
		print_cell(none ? "" : missing < 0 ? text : "<not counted>");
	}
	printf("  %s  # %s", m->text, unit);
	if (missing >= 0)
		printf(", %s does not happen under %s", session_plan.event[missing].text, hal_backend());
	else
		session_print_metric_remark(m);
	printf("\n");
}

static void print_metrics(void)
{
	if (!session_plan.metrics)
		return;
	printf("\nmetrics:\n\n");
	if (session_plan.threads > 1)
		print_heads("");
	for (unsigned i = 0; i < session_plan.metrics; i++)
		print_metric(&session_plan.metric[i]);
	for (unsigned i = 0; i < session_plan.metrics; i++)
		if (*session_plan.metric[i].metric->caveat)
			printf("\n%s: %s.\n", session_plan.metric[i].metric->name,
			       session_plan.metric[i].metric->caveat);
}

//
// Samples and counts
//

static void print_thread(unsigned thread, const char *before, const char *after)
{
	if (session_plan.threads > 1)
		printf("%sthread %u%s", before, thread, after);
}

// Prints how the sum of the samples' periods and the remainder relates to the count. Only the last
// case states that counting and the samples from the ring agree.
static void print_verdict(const struct session_result *r, uint64_t sum)
{
	const struct pmu_counter *c = &r->counter;

	if (sum != r->count)
		printf("NOT ITS COUNT\n");
	else if (c->precise)
		printf("by its records, without the events that they shadow\n");
	else if (c->slipped)
		printf("its count, but samples came late, by %s events in all\n", session_grouped(c->slipped));
	else if (r->taken != c->samples)
		printf("its count, but %s samples were lost\n", session_grouped(c->samples - r->taken));
	else
		printf("exactly its count\n");
}

// The remainder: events still in the counter, and delays by late interrupts.
static void print_sum(unsigned event, unsigned thread)
{
	const struct session_event *e = &session_plan.event[event];
	const struct session_result *r = &session_threads[thread].result[event];
	const struct pmu_counter *c = &r->counter;
	const uint64_t sampled = pmu_sampled(c), rest = pmu_not_sampled(c, r->count);

	printf("%s", e->text);
	if (!session_is_shared(e->unit))
		print_thread(thread, ", ", "");
	if (c->spread)
		printf(": %s samples, one in %s to %s by seed %" PRIu32 ", = %s", session_grouped(c->samples),
		       session_grouped(pmu_shortest_period(c)), session_grouped(pmu_longest_period(c)), c->seed,
		       session_grouped(sampled));
	else
		printf(": %s samples x %s", session_grouped(c->samples), session_grouped(c->period));
	if (c->throttled) {
		printf(", then THROTTLED, of %s\n", session_grouped(r->count));
		return;
	}
	printf(" + %s = %s: ", session_grouped(rest), session_grouped(sampled + rest));
	print_verdict(r, sampled + rest);
}

void session_print_sums(unsigned run)
{
	bool any = false;

	for (unsigned i = 0; i < session_plan.count; i++)
		for (unsigned t = 0; session_plan.event[i].run == run && t < session_plan.threads; t++)
			if (session_happens(i) && session_threads[t].result[i].counter.samples) {
				printf("%s", any ? "" : "\n");
				print_sum(i, t);
				any = true;
			}
}

static void print_interrupts(unsigned thread, unsigned unit)
{
	const struct pmu_statistics *s = &session_threads[thread].sum[unit];

	if (session_is_shared(unit))
		printf("%s: ", session_plan.unit[unit]->name);
	else
		print_thread(thread, "", ": ");
	printf("overflow interrupts: %s, spurious %s, overflows %s, throttled %s, samples dropped %s,"
	       " register faults %s\n",
	       session_grouped(s->interrupts), session_grouped(s->spurious), session_grouped(s->overflows),
	       session_grouped(s->throttles), session_grouped(s->dropped), session_grouped(s->faults));
	if (s->polled)
		printf("  overflows found by looking, without an interrupt of theirs: %s\n",
		       session_grouped(s->polled));
	if (s->ambiguous)
		printf("  records that belong to no counter, or to several, dropped: %s\n",
		       session_grouped(s->ambiguous));
	if (s->doubtful)
		printf("  looks that came so late that counts may be wrong: %s\n", session_grouped(s->doubtful));
	if (s->clocks_least <= s->clocks_most)
		printf("  clocks in the handler: %s to %s\n", session_grouped(s->clocks_least),
		       session_grouped(s->clocks_most));
	if (s->throttles && s->storm_clocks)
		printf("  throttled: of %s clocks the handler had taken %s, more than it may\n",
		       session_grouped(s->storm_clocks), session_grouped(s->storm_handler_clocks));
	if (s->skid_least <= s->skid_most)
		printf("  skid, events counted between overflow and freeze: %s to %s\n",
		       session_grouped(s->skid_least), session_grouped(s->skid_most));
}

static bool has_events(unsigned unit)
{
	for (unsigned i = 0; i < session_plan.count; i++)
		if (session_plan.event[i].unit == unit)
			return true;
	return false;
}

void session_print_counts(void)
{
	if (session_plan.threads == 1)
		print_counts(&session_threads[0]);
	else
		print_table();
	session_print_notes();
	print_metrics();
	for (unsigned run = 0; run < session_plan.runs; run++)
		session_print_sums(run);
	printf("\n");
	for (unsigned unit = 0; unit < session_plan.units; unit++)
		for (unsigned t = 0; has_events(unit) && t < (session_is_shared(unit) ? 1 : session_plan.threads); t++)
			print_interrupts(t, unit);
}
