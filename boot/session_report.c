// SPDX-License-Identifier: BSD-2-Clause
// Prints the measured session: counts and metrics, whether the samples add up to the counts,
// statistics of the overflow interrupt.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "hal.h"
#include "pmu_driver.h"
#include "result.h"

static const char *counted(const struct session_results *results, unsigned event, uint64_t count)
{
	static char estimate[40];

	if (!session_happens(results->plan, event))
		return "<not counted>";
	if (!session_is_scaled(results->plan, event))
		return session_grouped(count);
	snprintf(estimate, sizeof estimate, "~%s", session_grouped(count));
	return estimate;
}

// Stores a count, or the estimate of an event that took turns. Returns its text.
static const char *count_text(const struct session_results *results, unsigned event,
			      unsigned thread, uint64_t *count)
{
	return session_count(results, event, thread, count) ? counted(results, event, *count) :
							      "<no slice>";
}

static void print_turns(const struct session_results *results)
{
	if (results->plan->groups)
		printf("; %u groups of events took turns of %s ticks, and ~ marks estimates",
		       results->plan->groups, session_grouped(results->plan->slice));
	printf(":\n\n");
}

//
// One thread
//

static void print_counter_name(const struct pmu_driver *driver, unsigned number)
{
	uint64_t below = (1ULL << number) - 1;

	if (driver->shape->fixed >> number & 1)
		printf("fixed %d  ", __builtin_popcountll(driver->shape->fixed & below));
	else
		printf("%-9u", number);
}

static void print_counts(const struct session_results *results, const struct session_thread *thread)
{
	printf("\ncounts of the workload");
	print_turns(results);
	for (unsigned i = 0; i < results->plan->count; i++) {
		const struct session_event *e = &results->plan->event[i];
		const struct session_result *r = &thread->result[i];
		uint64_t count;

		printf("  %16s  %-32s ", count_text(results, i, 0, &count), e->text);
		print_counter_name(results->plan->unit[e->unit], r->counter.number);
		session_print_remarks(results, i, r->count, &r->counter);
		printf("\n");
	}
	for (unsigned run = 0; run < results->plan->runs; run++) {
		printf("  %16s  clocks", session_grouped(thread->clocks[run]));
		if (results->plan->runs > 1)
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

static void print_heads(const struct session_results *results, const char *last)
{
	for (unsigned t = 0; t < results->plan->threads; t++)
		printf("      thread %u", t);
	printf("%s\n", last);
}

// An event of the package has one count: the sum over all threads.
static void print_row(const struct session_results *results, unsigned event)
{
	const bool shared = session_is_shared(results->plan, results->plan->event[event].unit);
	uint64_t sum = 0;

	for (unsigned t = 0; t < results->plan->threads; t++) {
		uint64_t count;
		const char *const text = count_text(results, event, t, &count);

		print_cell(shared ? "" : text);
		sum += count;
	}
	printf(" %15s  %s", session_happens(results->plan, event) ||
	       shared ? counted(results, event, sum) : "", results->plan->event[event].text);
	session_print_remarks(results, event, sum, NULL);
	printf("\n");
}

static void print_table(const struct session_results *results)
{
	printf("\ncounts of the workload, on %u threads at once", results->plan->threads);
	print_turns(results);
	print_heads(results, "             sum");
	for (unsigned i = 0; i < results->plan->count; i++)
		print_row(results, i);
	for (unsigned run = 0; run < results->plan->runs; run++) {
		for (unsigned t = 0; t < results->plan->threads; t++)
			print_cell(session_grouped(results->thread[t].clocks[run]));
		printf("%16s  clocks", "");
		if (results->plan->runs > 1)
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
	       any->modifiers == (own->modifiers | EVENT_ANY) && !(own->modifiers & EVENT_ANY) &&
	       adds_up(own);
}

// The first thread counts longer than all others. At level 3 nothing executes before they start or
// after they end.
static bool print_any(const struct session_results *results, unsigned any, unsigned own)
{
	const uint64_t count = results->thread[0].result[any].count;
	uint64_t sum = 0;

	for (unsigned t = 0; t < results->plan->threads; t++)
		if (results->thread[t].core == results->thread[0].core)
			sum += results->thread[t].result[own].count;
	printf("%s of thread 0: %s; sum of the core's threads: %s: %s\n",
	       results->plan->event[any].text,
	       session_grouped(count), session_grouped(sum), sum == count ? "exactly" :
	       "NOT THE SAME");
	return sum == count;
}

// Returns the event that counts the same as event `any` for its own thread, among the events
// requested by name, which share a run. None: the number of events.
static unsigned own_of(const struct session_results *results, unsigned any)
{
	const struct event_request *r = &results->plan->event[any].request;
	unsigned own = 0;

	if (results->plan->threads == 1 || r->levels & SESSION_LEVEL_0 ||
	    !session_happens(results->plan, any))
		return results->plan->asked;
	while (own < results->plan->asked &&
	       !is_same_but_any(r, &results->plan->event[own].request))
		own++;
	return own;
}

bool session_compares(const struct session_results *results, unsigned event)
{
	for (unsigned i = 0; i < results->plan->asked; i++) {
		const unsigned own = own_of(results, i);

		if (own < results->plan->asked && (i == event || own == event))
			return true;
	}
	return false;
}

bool session_print_any_thread(const struct session_results *results)
{
	bool ok = true;

	for (unsigned i = 0; i < results->plan->asked; i++)
		if (own_of(results, i) < results->plan->asked)
			ok &= print_any(results, i, own_of(results, i));
	printf("\n");
	return ok;
}

//
// Metrics
//

#define DIGITS		6	/* digits after the point */

// Returns the number of an event that a metric needs.
static unsigned number_of(const struct session_results *results, const struct session_metric *m,
			  const struct pmu_metric_event *needed)
{
	const struct pmu_metric_plan *all = &results->plan->planned[m->unit];
	unsigned i = 0;

	while (strcmp(needed->text, all->event[i].text))
		i++;
	return results->plan->first_planned[m->unit] + i;
}

static bool is_counted(const struct session_results *results, const struct session_metric *m,
		       const struct pmu_metric_event *needed)
{
	return session_happens(results->plan, number_of(results, m, needed));
}

// Whether an event is 0 because this machine lacks its agent: requests of the same kind by other
// agents are counted, so the metric is a sum.
static bool is_of_absent_agent(const struct session_results *results,
			       const struct session_metric *m,
			       const struct pmu_metric_plan *needed,
			       const struct pmu_metric_event *e)
{
	bool others = false;

	if (!e->request.event->agent || is_counted(results, m, e))
		return false;
	for (const struct pmu_metric_event *o = needed->event; o < needed->event + needed->count;
	     o++)
		others |= event_code(&o->request) == event_code(&e->request) &&
			  is_counted(results, m, o);
	return others;
}

// Returns the first event that a metric needs and that this machine does not raise, although it has
// the event's agent; -1: none.
static int not_counted(const struct session_results *results, const struct session_metric *m)
{
	const struct pmu_metric_plan *needed = session_needed(results->plan, m);

	for (const struct pmu_metric_event *e = needed->event; e < needed->event + needed->count;
	     e++)
		if (!is_counted(results, m, e) && !is_of_absent_agent(results, m, needed, e))
			return (int)number_of(results, m, e);
	return -1;
}

// Prints the absent agents of a metric, each once.
static void print_absent_agents(const struct session_results *results,
				const struct session_metric *m)
{
	const struct pmu_metric_plan *needed = session_needed(results->plan, m);
	const char *agent[2] = {NULL};
	unsigned agents = 0;

	for (const struct pmu_metric_event *e = needed->event; e < needed->event + needed->count;
	     e++)
		if (is_of_absent_agent(results, m, needed, e) && agents < 2 &&
		    !(agents && !strcmp(agent[0], e->request.event->agent)))
			agent[agents++] = e->request.event->agent;
	if (agents)
		printf(", with 0 for this machine's absent %s%s%s", agent[0],
		       agents > 1 ? " and " : "", agents > 1 ? agent[1] : "");
}

static bool is_needed(const struct session_results *results, const struct session_metric *m,
		      unsigned event)
{
	const struct pmu_metric_plan *needed = session_needed(results->plan, m);

	for (unsigned i = 0; i < needed->count; i++)
		if (number_of(results, m, &needed->event[i]) == event)
			return true;
	return false;
}

bool session_metric_is_scaled(const struct session_results *results, const struct session_metric *m)
{
	const struct pmu_metric_plan *needed = session_needed(results->plan, m);
	bool scaled = !session_is_shared(results->plan, m->unit);

	for (unsigned i = 0; i < needed->givens; i++)
		scaled |= needed->given[i].used;
	return scaled && results->plan->groups;
}

// Gives a metric's value on the first thread to the metrics of all PMUs that use it.
static void give(const struct session_results *results, const struct session_metric *m,
		 const struct pmu_value *value)
{
	for (unsigned unit = 0; unit < results->plan->units; unit++)
		pmu_metric_give(&results->plan->planned[unit], m->metric->name,
				strlen(m->metric->name), value);
}

const char *session_metric_value(const struct session_results *results,
				 const struct session_metric *m, unsigned thread,
				 char text[SESSION_VALUE])
{
	const char *unit = m->metric->unit;
	uint64_t counts[PMU_METRIC_EVENTS] = {0};
	struct pmu_metric_refusal refusal;
	struct pmu_value value;

	if (not_counted(results, m) >= 0)
		return NULL;
	for (unsigned i = 0; i < results->plan->planned[m->unit].count; i++) {
		const unsigned event = results->plan->first_planned[m->unit] + i;

		if (!session_happens(results->plan, event))
			continue;
		if (!session_count(results, event, thread, &counts[i]) &&
		    is_needed(results, m, event)) {
			snprintf(text, SESSION_VALUE, "<no slice>");
			return unit;
		}
	}
	if (pmu_metric_evaluate(results->plan->unit[m->unit], m->metric, m->modifiers,
				&results->plan->planned[m->unit], counts, &value, &refusal))
		pmu_metric_explain(&refusal, text, SESSION_VALUE);
	else {
		if (!thread)
			give(results, m, &value);
		unit = pmu_metric_in_seconds(m->metric, m->frequency.denominator ? &m->frequency :
					     NULL, &value);
		pmu_value_print(&value, DIGITS, text, SESSION_VALUE);
	}
	return unit;
}

// Prints one line per thread; for the package, one line.
static void print_metric(const struct session_results *results, const struct session_metric *m)
{
	const int missing = not_counted(results, m);
	const char *unit = m->metric->unit;
	char text[SESSION_VALUE + 1] = "~";
	char *const value = text + session_metric_is_scaled(results, m);

	for (unsigned t = 0; t < results->plan->threads; t++) {
		const bool none = t && session_is_shared(results->plan, m->unit);

		if (!none && missing < 0)
			unit = session_metric_value(results, m, t, value);
		print_cell(none ? "" : missing < 0 ? text : "<not counted>");
	}
	printf("  %s  # %s", m->text, unit);
	if (missing >= 0)
		printf(", %s does not happen under %s", results->plan->event[missing].text,
		       hal_backend());
	else {
		print_absent_agents(results, m);
		session_print_metric_remark(results, m);
	}
	printf("\n");
}

static void print_metrics(const struct session_results *results)
{
	if (!results->plan->metrics)
		return;
	printf("\nmetrics:\n\n");
	if (results->plan->threads > 1)
		print_heads(results, "");
	for (unsigned i = 0; i < results->plan->metrics; i++)
		print_metric(results, &results->plan->metric[i]);
	for (unsigned i = 0; i < results->plan->metrics; i++)
		if (*results->plan->metric[i].metric->caveat)
			printf("\n%s: %s.\n", results->plan->metric[i].metric->name,
			       results->plan->metric[i].metric->caveat);
}

//
// Samples and counts
//

static void print_thread(const struct session_results *results, unsigned thread, const char *before,
			 const char *after)
{
	if (results->plan->threads > 1)
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
		printf("its count, but samples came late, by %s events in all\n",
		       session_grouped(c->slipped));
	else if (r->taken != c->samples)
		printf("its count, but %s samples were lost\n",
		       session_grouped(c->samples - r->taken));
	else
		printf("exactly its count\n");
}

// The remainder: events still in the counter, and delays by late interrupts.
static void print_sum(const struct session_results *results, unsigned event, unsigned thread)
{
	const struct session_event *e = &results->plan->event[event];
	const struct session_result *r = &results->thread[thread].result[event];
	const struct pmu_counter *c = &r->counter;
	const uint64_t sampled = pmu_sampled(c), rest = pmu_not_sampled(c, r->count);

	printf("%s", e->text);
	if (!session_is_shared(results->plan, e->unit))
		print_thread(results, thread, ", ", "");
	if (c->spread)
		printf(": %s samples, one in %s to %s by seed %" PRIu32 ", = %s",
		       session_grouped(c->samples),
		       session_grouped(pmu_shortest_period(c)),
		       session_grouped(pmu_longest_period(c)), c->seed, session_grouped(sampled));
	else
		printf(": %s samples x %s", session_grouped(c->samples),
		       session_grouped(c->period));
	if (c->throttled) {
		printf(", then THROTTLED, of %s\n", session_grouped(r->count));
		return;
	}
	printf(" + %s = %s: ", session_grouped(rest), session_grouped(sampled + rest));
	print_verdict(r, sampled + rest);
}

// Prints the sum of the intervals' events, the events after the last interval, and their total.
static void print_intervals(const struct session_results *results, unsigned event, unsigned thread)
{
	const struct session_result *r = &results->thread[thread].result[event];
	const struct session_intervals *v = &r->intervals;
	const uint64_t rest = r->count - v->last;

	printf("%s", results->plan->event[event].text);
	print_thread(results, thread, ", ", "");
	printf(": %s intervals of %s ticks", session_grouped(v->number),
	       session_grouped(results->plan->ticks));
	if (v->number)
		printf(", %s to %s each", session_grouped(v->least), session_grouped(v->most));
	printf(": %s + %s = %s: %s\n", session_grouped(v->sum), session_grouped(rest),
	       session_grouped(v->sum + rest),
	       v->sum + rest == r->count ? "exactly its count" : "NOT ITS COUNT");
}

void session_print_sums(const struct session_results *results, unsigned run)
{
	bool any = false;

	for (unsigned i = 0; i < results->plan->count; i++)
		for (unsigned t = 0;
		     results->plan->event[i].run == run && t < results->plan->threads; t++) {
			const bool by_time = session_by_time(results->plan, i);

			if (session_happens(results->plan, i) &&
			    (by_time || results->thread[t].result[i].counter.samples)) {
				printf("%s", any ? "" : "\n");
				(by_time ? print_intervals : print_sum)(results, i, t);
				any = true;
			}
		}
}

static void print_interrupts(const struct session_results *results, unsigned thread, unsigned unit)
{
	const struct pmu_statistics *s = &results->thread[thread].sum[unit];

	if (session_is_shared(results->plan, unit))
		printf("%s: ", results->plan->unit[unit]->name);
	else
		print_thread(results, thread, "", ": ");
	printf("overflow interrupts: %s, spurious %s, overflows %s, throttled %s, samples dropped "
	       "%s,"
	       " register faults %s\n",
	       session_grouped(s->interrupts), session_grouped(s->spurious),
	       session_grouped(s->overflows),
	       session_grouped(s->throttles), session_grouped(s->dropped),
	       session_grouped(s->faults));
	if (s->polled)
		printf("  overflows found by looking, without an interrupt of theirs: %s\n",
		       session_grouped(s->polled));
	if (s->ambiguous)
		printf("  records that belong to no counter, or to several, dropped: %s\n",
		       session_grouped(s->ambiguous));
	if (s->doubtful)
		printf("  looks that came so late that counts may be wrong: %s\n",
		       session_grouped(s->doubtful));
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

static bool has_events(const struct session_results *results, unsigned unit)
{
	for (unsigned i = 0; i < results->plan->count; i++)
		if (results->plan->event[i].unit == unit)
			return true;
	return false;
}

void session_print_counts(const struct session_results *results)
{
	if (results->plan->threads == 1)
		print_counts(results, &results->thread[0]);
	else
		print_table(results);
	session_print_notes(results);
	print_metrics(results);
	for (unsigned run = 0; run < results->plan->runs; run++)
		session_print_sums(results, run);
	printf("\n");
	for (unsigned unit = 0; unit < results->plan->units; unit++) {
		const unsigned threads = session_is_shared(results->plan, unit) ? 1 :
			results->plan->threads;

		for (unsigned t = 0; has_events(results, unit) && t < threads; t++)
			print_interrupts(results, t, unit);
	}
}
