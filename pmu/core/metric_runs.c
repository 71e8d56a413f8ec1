// SPDX-License-Identifier: BSD-2-Clause
// Schedules the events of metrics in as few runs as possible: metric.h. Not part of the resident
// runtime.

#include "metric.h"
#include "pmu_driver.h"

#include <string.h>

#define NO_RUN		UINT8_MAX
#define SEARCH_STEPS	20000	// placements tried before the search for a number of runs is given
				// up

_Static_assert(PMU_METRIC_EVENTS <= 64, "conflicts are bits");

static bool agree(const struct pmu_setting *a, unsigned a_count, const struct pmu_setting *b,
		  unsigned b_count)
{
	for (unsigned i = 0; i < a_count; i++)
		for (unsigned j = 0; j < b_count; j++)
			if (a[i].address == b[j].address &&
			    ((a[i].value ^ b[j].value) & a[i].mask & b[j].mask))
				return false;
	return true;
}

static bool settings_agree(const struct pmu_driver *driver, struct pmu_metric_plan *plan)
{
	struct pmu_setting *a = plan->trial.setting[0], *b = plan->trial.setting[1];

	if (!driver->settings)
		return true;
	for (unsigned i = 1; i < plan->trial.count; i++) {
		unsigned a_count = driver->settings->needed(&plan->trial.request[i],
							    plan->trial.counter[i], a);

		for (unsigned j = 0; j < i; j++) {
			const struct event_request *other = &plan->trial.request[j];

			if (!agree(a, a_count, b,
				   driver->settings->needed(other, plan->trial.counter[j], b)))
				return false;
		}
	}
	return true;
}

// Returns whether an event is in no group, or is the first of its group.
static bool is_first(const struct pmu_metric_plan *plan, unsigned event)
{
	unsigned i = 0;

	while (i < event &&
	       (!plan->event[i].group || plan->event[i].group != plan->event[event].group))
		i++;
	return i == event;
}

// Returns whether an event is `first`, or in the group that begins with `first`.
static bool goes_with(const struct pmu_metric_plan *plan, unsigned event, unsigned first)
{
	return event == first ||
	       (plan->event[first].group && plan->event[event].group == plan->event[first].group);
}

static bool add_to_trial(struct pmu_metric_plan *plan, unsigned event)
{
	unsigned i = plan->trial.count;

	if (i == PMU_SESSION_EVENTS)
		return false;
	plan->trial.event[i] = (uint8_t)event;
	plan->trial.request[i] = plan->event[event].request;
	plan->trial.count++;
	return true;
}

static bool add_group_to_trial(struct pmu_metric_plan *plan, unsigned first)
{
	for (unsigned i = first; i < plan->count; i++)
		if (goes_with(plan, i, first) && !add_to_trial(plan, i))
			return false;
	return true;
}

static void set_run(struct pmu_metric_plan *plan, unsigned first, uint8_t run)
{
	for (unsigned i = first; i < plan->count; i++)
		if (goes_with(plan, i, first))
			plan->event[i].run = run;
}

// Assigns a counter to each event of the trial, if the events can be measured together.
static bool can_run(const struct pmu_driver *driver, struct pmu_metric_plan *plan)
{
	struct pmu_refusal refusal;

	return !pmu_allocate(driver, plan->trial.request, plan->trial.count,
			     driver->shape->counters, plan->trial.counter, &refusal) &&
	       settings_agree(driver, plan);
}

// Adds an event and its group to the events of a run.
static bool place(const struct pmu_driver *driver, struct pmu_metric_plan *plan, unsigned event,
		  unsigned run)
{
	plan->trial.count = 0;
	for (unsigned i = 0; i < plan->count; i++)
		if (plan->event[i].run == run && !add_to_trial(plan, i))
			return false;
	if (!add_group_to_trial(plan, event) || !can_run(driver, plan))
		return false;
	set_run(plan, event, (uint8_t)run);
	for (unsigned i = 0; i < plan->trial.count; i++)
		plan->event[plan->trial.event[i]].counter = plan->trial.counter[i];
	return true;
}

static bool can_share_run(const struct pmu_driver *driver, struct pmu_metric_plan *plan, unsigned a,
			  unsigned b)
{
	plan->trial.count = 0;
	return add_group_to_trial(plan, a) && add_group_to_trial(plan, b) && can_run(driver, plan);
}

static uint64_t choices_of(const struct pmu_driver *driver, const struct pmu_metric_plan *plan,
			   unsigned event)
{
	return driver->choices(&plan->event[event].request) & driver->shape->counters;
}

static void find_conflicts(const struct pmu_driver *driver, struct pmu_metric_plan *plan)
{
	memset(plan->search.conflicts, 0, sizeof plan->search.conflicts);
	for (unsigned i = 1; i < plan->count; i++)
		for (unsigned j = 0; j < i; j++)
			if (is_first(plan, i) && is_first(plan, j) &&
			    !can_share_run(driver, plan, i, j)) {
				plan->search.conflicts[i] |= 1ULL << j;
				plan->search.conflicts[j] |= 1ULL << i;
			}
}

// Order of placement: events with most conflicts first, then events that few counters can count.
// The others fit around them.
static bool is_before(const struct pmu_driver *driver, const struct pmu_metric_plan *plan,
		      unsigned a, unsigned b)
{
	int a_conflicts = __builtin_popcountll(plan->search.conflicts[a]);
	int b_conflicts = __builtin_popcountll(plan->search.conflicts[b]);

	return a_conflicts != b_conflicts ? a_conflicts > b_conflicts :
	       __builtin_popcountll(choices_of(driver, plan, a)) <
		       __builtin_popcountll(choices_of(driver, plan, b));
}

static void put_in_order(const struct pmu_driver *driver, struct pmu_metric_plan *plan)
{
	uint8_t *order = plan->search.order;

	plan->search.count = 0;
	for (unsigned i = 0; i < plan->count; i++) {
		unsigned at = plan->search.count;

		if (!is_first(plan, i))
			continue;
		plan->search.count++;
		for (; at && is_before(driver, plan, i, order[at - 1]); at--)
			order[at] = order[at - 1];
		order[at] = (uint8_t)i;
	}
}

// A lower bound: events that only these counters can count need at least so many runs, however they
// are distributed.
static unsigned runs_for_counters(const struct pmu_driver *driver,
				  const struct pmu_metric_plan *plan, uint64_t counters)
{
	unsigned events = 0, room = (unsigned)__builtin_popcountll(counters);

	for (unsigned i = 0; i < plan->count; i++)
		events += !(choices_of(driver, plan, i) & ~counters);
	return (events + room - 1) / room;
}

// A lower bound: pairwise conflicting events need a run each. Different first events lead to
// different sets.
static unsigned runs_for_conflicts(const struct pmu_metric_plan *plan, unsigned first)
{
	uint64_t left = plan->search.conflicts[first];
	unsigned runs = 1;

	for (unsigned i = 0; i < plan->search.count && left; i++) {
		unsigned event = plan->search.order[i];

		if (left >> event & 1) {
			left &= plan->search.conflicts[event];
			runs++;
		}
	}
	return runs;
}

static unsigned greater(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static unsigned least_runs(const struct pmu_driver *driver, const struct pmu_metric_plan *plan)
{
	unsigned least = 0;

	for (unsigned i = 0; i < plan->count; i++) {
		least = greater(least, runs_for_conflicts(plan, i));
		for (unsigned j = 0; j <= i; j++)
			least = greater(least,
					runs_for_counters(driver, plan,
							  choices_of(driver, plan, i) |
								 choices_of(driver, plan, j)));
	}
	return least;
}

static void clear_runs(struct pmu_metric_plan *plan)
{
	plan->runs = 0;
	for (unsigned i = 0; i < plan->count; i++)
		plan->event[i].run = NO_RUN;
}

// Places an event in the first run that can take it, or in a new run.
static bool place_first(const struct pmu_driver *driver, struct pmu_metric_plan *plan,
			unsigned event)
{
	for (unsigned run = 0; run < plan->runs; run++)
		if (place(driver, plan, event, run))
			return true;
	return place(driver, plan, event, plan->runs) && ++plan->runs;
}

// Places each event in the first run that can take it. Returns an event that no counter can count;
// plan->count: there is none.
static unsigned place_all(const struct pmu_driver *driver, struct pmu_metric_plan *plan)
{
	clear_runs(plan);
	for (unsigned i = 0; i < plan->search.count; i++)
		if (!place_first(driver, plan, plan->search.order[i]))
			return plan->search.order[i];
	return plan->count;
}

enum search_result {
	SEARCH_FOUND,
	SEARCH_IMPOSSIBLE,
	SEARCH_GIVEN_UP,
};

// Tries the remaining runs for the event at `depth`, and only the first of the empty runs. Counts
// the steps. False: none fits.
static bool place_next(const struct pmu_driver *driver, struct pmu_metric_plan *plan,
		       unsigned depth, unsigned runs)
{
	unsigned end = plan->search.before[depth] < runs ? plan->search.before[depth] + 1U : runs;

	for (; plan->search.next[depth] < end; plan->search.next[depth]++) {
		plan->search.steps++;
		if (place(driver, plan, plan->search.order[depth], plan->search.next[depth]))
			return true;
	}
	return false;
}

// Searches for a distribution over this number of runs, depth first, in the order of the events.
static enum search_result search(const struct pmu_driver *driver, struct pmu_metric_plan *plan,
				 unsigned runs)
{
	unsigned depth = 0;

	clear_runs(plan);
	plan->search.steps = 0;
	plan->search.before[0] = plan->search.next[0] = 0;
	while (plan->search.steps < SEARCH_STEPS) {
		set_run(plan, plan->search.order[depth], NO_RUN);
		if (!place_next(driver, plan, depth, runs)) {
			if (!depth)
				return SEARCH_IMPOSSIBLE;
			plan->search.next[--depth]++;
			continue;
		}
		if (depth + 1 == plan->search.count)
			return SEARCH_FOUND;
		plan->search.before[depth + 1] =
			(uint8_t)greater(plan->search.before[depth], plan->search.next[depth] + 1U);
		plan->search.next[++depth] = 0;
	}
	return SEARCH_GIVEN_UP;
}

// Searches for fewer runs than place_all has found, from the lower bound up.
static void search_fewer(const struct pmu_driver *driver, struct pmu_metric_plan *plan)
{
	const unsigned found = plan->runs;

	for (unsigned runs = plan->least; runs < found; runs++) {
		enum search_result result = search(driver, plan, runs);

		if (result == SEARCH_FOUND) {
			plan->runs = runs;
			return;
		}
		if (result == SEARCH_IMPOSSIBLE && plan->least == runs)
			plan->least++;
	}
	place_all(driver, plan);
}

enum pmu_metric_error pmu_metric_schedule(const struct pmu_driver *driver,
					  struct pmu_metric_plan *plan,
					  struct pmu_metric_refusal *refusal)
{
	unsigned unfit;

	*refusal = (struct pmu_metric_refusal){.error = METRIC_OK};
	find_conflicts(driver, plan);
	put_in_order(driver, plan);
	unfit = place_all(driver, plan);
	if (unfit < plan->count) {
		const char *text = plan->event[unfit].text;

		*refusal = (struct pmu_metric_refusal){METRIC_UNFIT, NULL, text, strlen(text)};
		return METRIC_UNFIT;
	}
	plan->least = least_runs(driver, plan);
	if (plan->least < plan->runs)
		search_fewer(driver, plan);
	return METRIC_OK;
}
