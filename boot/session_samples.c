// SPDX-License-Identifier: BSD-2-Clause
// Prints the samples of the measured session: each event's functions, and the recorded branches.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "pmu_driver.h"
#include "result.h"
#include "symbols.h"

#define SHOWN		12	/* functions or branches shown per event */
#define BAR_WIDTH	40

//
// The most frequent ones
//

// A function with samples, or a branch with records.
struct frequent {
	char name[2 * PLACE_SIZE];
	uint64_t count, of_thread[HAL_CPUS];
	uint64_t events;		// in the intervals of samples by time
};

static struct {
	struct frequent shown[SHOWN];
	unsigned count;			// number of all, also of those not shown
} most;

// The name is formatted when it is printed.
static void add_frequent(const struct frequent *new)
{
	unsigned at = most.count < SHOWN ? most.count : SHOWN;

	most.count++;
	while (at && (most.shown[at - 1].count < new->count ||
		      (most.shown[at - 1].count == new->count &&
		       strcmp(most.shown[at - 1].name, new->name) > 0))) {
		if (at < SHOWN)
			most.shown[at] = most.shown[at - 1];
		at--;
	}
	if (at < SHOWN)
		most.shown[at] = *new;
}

static void count_entry(struct frequent *f, const struct histogram_entry *e)
{
	f->count += e->count;
	f->of_thread[THREAD_OF(e->kind)] += e->count;
	f->events += e->events;
}

static void print_more(const char *items)
{
	if (most.count > SHOWN)
		printf("  and %u more %s\n", most.count - SHOWN, items);
}

//
// Functions
//

// With one thread draws a bar; with several, prints each thread's share.
static void print_function(const struct session_results *results, const struct frequent *f,
			   uint64_t total, bool by_time)
{
	session_print_share(f->count, total);
	if (by_time)
		printf(" %15s", session_grouped(f->events));
	printf("  %-28s", f->name);
	if (results->plan->threads == 1)
		printf(" %.*s", (int)(f->count * BAR_WIDTH / total),
		       "########################################");
	for (unsigned i = 0; results->plan->threads > 1 && i < results->plan->threads; i++)
		printf(" %9s", session_grouped(f->of_thread[i]));
	printf("\n");
}

// The entries of a function are consecutive. Addresses outside all functions are collected
// separately.
static void collect_functions(const struct histogram_entry *e, unsigned count)
{
	const struct symbol *symbol = NULL;
	struct frequent elsewhere = {"(elsewhere)", 0, {0}, 0}, function = {0};

	most.count = 0;
	for (unsigned i = 0; i < count; i++) {
		const struct symbol *next = symbol_find(e[i].from);

		if (next != symbol && function.count)
			add_frequent(&function);
		if (next && next != symbol) {
			function = (struct frequent){0};
			snprintf(function.name, sizeof function.name, "%s", next->name);
		} else if (!next) {
			function = (struct frequent){0};
		}
		symbol = next;
		count_entry(next ? &function : &elsewhere, &e[i]);
	}
	if (function.count)
		add_frequent(&function);
	if (elsewhere.count)
		add_frequent(&elsewhere);
}

// Warns if samples are missing, or were taken with another period than requested.
static void print_what_is_missing(const struct session_results *results, unsigned event)
{
	const struct session_event *e = &results->plan->event[event];
	uint64_t lost = 0, counted = 0;
	bool throttled = false;

	for (unsigned t = 0; t < results->plan->threads; t++) {
		const struct session_result *r = &results->thread[t].result[event];

		throttled |= r->counter.throttled;
		counted += r->count;
		lost += r->counter.samples > r->taken ? r->counter.samples - r->taken : 0;
	}
	if (e->request.period != e->asked)
		printf(" (one in %s leaves no time between interrupts)", session_grouped(e->asked));
	if (lost)
		printf(", %s more are lost", session_grouped(lost));
	if (throttled)
		printf(", all from before it was THROTTLED, of %s events",
		       session_grouped(counted));
}

static void print_places(const struct session_results *results, unsigned event)
{
	for (unsigned place = 0; place < PMU_PLACES; place++) {
		uint64_t samples = 0;

		for (unsigned t = 0; t < results->plan->threads; t++)
			samples += results->thread[t].result[event].at[place];
		if (samples)
			printf("  addresses of %s samples: %s\n", session_grouped(samples),
			       pmu_place_text(place));
	}
}

static void print_functions(const struct session_results *results, unsigned event)
{
	const struct histogram_entry *first;
	const unsigned count = session_entries(results, SAMPLE_OF(event), &first);
	const bool by_time = session_by_time(results->plan, event);
	uint64_t total = 0;

	for (unsigned i = 0; i < count; i++)
		total += first[i].count;
	if (!total)
		return;
	if (by_time)
		printf("\nhottest functions, by %s samples of time, one in %s ticks, with their %s",
		       session_grouped(total), session_grouped(results->plan->ticks),
		       results->plan->event[event].text);
	else
		printf("\nhottest functions, by %s samples of %s, one in %s",
		       session_grouped(total), results->plan->event[event].text,
		       session_grouped(results->plan->event[event].request.period));
	print_what_is_missing(results, event);
	printf(results->plan->threads > 1 ? ", and by those of each thread:\n" : ":\n");
	collect_functions(first, count);
	for (unsigned i = 0; i < most.count && i < SHOWN; i++)
		print_function(results, &most.shown[i], total, by_time);
	print_more("functions");
	print_places(results, event);
}

//
// Branch records
//

static void collect_branches(const struct histogram_entry *e, unsigned count)
{
	most.count = 0;
	for (unsigned i = 0; i < count;) {
		const struct histogram_entry *branch = &e[i];
		char from[PLACE_SIZE], to[PLACE_SIZE];
		struct frequent f = {0};

		for (; i < count && e[i].from == branch->from && e[i].to == branch->to; i++)
			count_entry(&f, &e[i]);
		snprintf(f.name, sizeof f.name, "%s > %s", session_place(branch->from, from),
			 session_place(branch->to, to));
		add_frequent(&f);
	}
}

static void print_branches(const struct session_results *results, unsigned event)
{
	const struct histogram_entry *first;
	const unsigned count = session_entries(results, BRANCH_OF(event), &first);
	uint64_t total = 0;

	for (unsigned i = 0; i < count; i++)
		total += first[i].count;
	if (!total)
		return;
	printf("\nbranches taken most, by %s branch records of %s:\n", session_grouped(total),
	       results->plan->event[event].text);
	collect_branches(first, count);
	for (unsigned i = 0; i < most.count && i < SHOWN; i++) {
		session_print_share(most.shown[i].count, total);
		printf("  %s\n", most.shown[i].name);
	}
	print_more("branches");
}

void session_print_samples(const struct session_results *results)
{
	uint64_t lost = 0, lost_branches = 0;

	for (unsigned i = 0; i < results->plan->count; i++)
		if (results->plan->event[i].request.period ||
		    (session_by_time(results->plan, i) && session_happens(results->plan, i))) {
			print_functions(results, i);
			print_branches(results, i);
			session_print_records(results, i);
		}
	for (unsigned t = 0; t < results->plan->threads; t++) {
		lost += results->samples[t].lost;
		lost_branches += results->samples[t].lost_branches;
	}
	if (lost || lost_branches)
		printf("  no room for %s samples and %s branch records of other functions\n",
		       session_grouped(lost), session_grouped(lost_branches));
}
