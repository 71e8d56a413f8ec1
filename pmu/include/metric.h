/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics: values computed from counts. A target's table is compiled from metrics.tab. A formula has
 *
 *	NAME			a metric, or an event without modifiers
 *	{EVENT}			an event as event_parse reads it
 *	NUMBER			an integer
 *	$NAME			a value that is given: another PMU's metric, a frequency
 *	+ - * / ( )		of rational numbers, exactly
 *
 * Measuring some metrics: add them to a plan, which lists the events they need; schedule it, which gives each event a
 * run and a counter; count the events, run by run; evaluate each metric. */
#ifndef METRIC_H
#define METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "pmu.h"

/* One line of metrics.tab. */
struct pmu_metric {
	const char *name;		/* the manual's, as far as it is one */
	const char *unit;		/* "ratio": a part of something */
	const char *source;		/* where in the manual */
	const char *formula;
	const char *description;
	const char *caveat;		/* limits of its validity; "": none */
};

/* Ordered by name (strcasecmp), without duplicates. */
struct pmu_metric_table {
	const struct pmu_metric *metric;
	size_t count;
};

#define PMU_METRIC_EVENTS	64	/* in one plan, at most */
#define PMU_METRIC_TEXT		128	/* of an event, with its end */
#define PMU_METRIC_GIVEN	48	/* values given with one plan, at most */
#define PMU_METRIC_DEPTH	16	/* of parentheses and metrics in metrics, at most */

enum pmu_metric_error {
	METRIC_OK,
	METRIC_BAD_FORMULA,		/* expected a number, a name, '{' or '('; or an unexpected character */
	METRIC_UNKNOWN,			/* no metric and no event has this name */
	METRIC_BAD_EVENT,		/* event_parse refuses it */
	METRIC_BAD_MODIFIER,		/* or refuses the modifiers for all events */
	METRIC_CIRCLE,			/* it needs itself */
	METRIC_TOO_DEEP,		/* more than PMU_METRIC_DEPTH */
	METRIC_TOO_MANY,		/* more than PMU_METRIC_EVENTS */
	METRIC_NOT_PLANNED,		/* an event is not in the plan */
	METRIC_UNFIT,			/* no counter can count an event, even alone */
	METRIC_NOT_GIVEN,		/* a value is missing */
};

/* An error and its place: `length` characters at `where`, in the formula of `metric`; for METRIC_UNFIT in the plan, for
 * METRIC_BAD_MODIFIER in the modifiers; for an event that was planned alone in its text, with `metric` NULL. */
struct pmu_metric_refusal {
	enum pmu_metric_error error;
	const struct pmu_metric *metric;
	const char *where;
	size_t length;
};

struct pmu_metric_event {
	char text[PMU_METRIC_TEXT];	/* as event_parse reads it */
	struct event_request request;
	uint8_t group;			/* the caller's: events of one group, from 1, get one run; 0: no group */
	uint8_t run, counter;		/* from pmu_metric_schedule; runs from 0 */
};

enum pmu_value_kind {
	VALUE_NUMBER,
	VALUE_NOT_DEFINED,		/* a division by 0 */
	VALUE_TOO_LARGE,		/* numerator or denominator has more than 127 bits */
};

/* numerator / denominator, in lowest terms, the denominator above 0. */
struct pmu_value {
	enum pmu_value_kind kind;
	__int128 numerator, denominator;
};

/* A value that formulas have as $NAME, upper or lower case. */
struct pmu_metric_given {
	const char *name;
	size_t length;
	struct pmu_value value;
	bool used;			/* by a metric planned since then */
};

/* All 0 at first. */
struct pmu_metric_plan {
	unsigned count, runs;
	unsigned least;			/* runs: fewer are impossible */
	struct pmu_metric_event event[PMU_METRIC_EVENTS];
	unsigned givens;
	struct pmu_metric_given given[PMU_METRIC_GIVEN];

	/* Of the scheduler: the run that it tries. */
	struct {
		unsigned count;
		uint8_t event[PMU_SESSION_EVENTS], counter[PMU_SESSION_EVENTS];
		struct event_request request[PMU_SESSION_EVENTS];
		struct pmu_setting setting[2][PMU_EVENT_SETTINGS];
	} trial;

	/* And its search: events in the order in which it places them (of a group, the first), the next run to try for
	 * each, the number of runs that the ones before it take; and for each event a bit mask of events with which it
	 * cannot share a run. */
	struct {
		unsigned steps, count;
		uint8_t order[PMU_METRIC_EVENTS], next[PMU_METRIC_EVENTS], before[PMU_METRIC_EVENTS];
		uint64_t conflicts[PMU_METRIC_EVENTS];
	} search;
};

/* The metric called `name`, upper or lower case, or NULL. */
const struct pmu_metric *pmu_metric_find(const struct pmu_metric_table *table, const char *name);

/* Gives a value, or replaces the one with this name. The caller keeps the name. False: there are too many. */
bool pmu_metric_give(struct pmu_metric_plan *plan, const char *name, size_t length, const struct pmu_value *value);

/* Reads a value: up to 17 digits, some of them after a point. False: it is no number. */
bool pmu_value_read(const char *text, size_t length, struct pmu_value *value);

#define METRIC_FREQUENCY "FREQUENCY"	/* in Hz */

/* The given frequency, or NULL. */
const struct pmu_value *pmu_metric_frequency(const struct pmu_metric_plan *plan);

/* Converts a metric's value from bytes per cycle to bytes per second, if the frequency of its cycles is not NULL.
 * Returns the unit. */
const char *pmu_metric_in_seconds(const struct pmu_metric *metric, const struct pmu_value *frequency,
				  struct pmu_value *value);

/* Adds the events that a metric of this driver needs to a plan, except those it has already. `modifiers`: for all of
 * them ("u:iar=0-0xfff"), or "". On failure the plan is unchanged. */
enum pmu_metric_error pmu_metric_plan(const struct pmu_driver *driver, const struct pmu_metric *metric,
				      const char *modifiers, struct pmu_metric_plan *plan,
				      struct pmu_metric_refusal *refusal);

/* Adds one event, as event_parse reads it, unless the plan has it already. On failure the plan is unchanged. */
enum pmu_metric_error pmu_metric_plan_event(const struct pmu_driver *driver, const char *event,
					    struct pmu_metric_plan *plan, struct pmu_metric_refusal *refusal);

/* Distributes a plan's events over runs: in each, every event has a counter and all agree on the driver's settings.
 * plan->runs is the least number there can be if it equals plan->least; else it is the best that a search of bounded
 * length has found. Of a group that does not fit into one run, METRIC_UNFIT names the first event. */
enum pmu_metric_error pmu_metric_schedule(const struct pmu_driver *driver, struct pmu_metric_plan *plan,
					  struct pmu_metric_refusal *refusal);

/* The value of a metric with the same modifiers: counts[i] is the count of plan->event[i]. */
enum pmu_metric_error pmu_metric_evaluate(const struct pmu_driver *driver, const struct pmu_metric *metric,
					  const char *modifiers, const struct pmu_metric_plan *plan,
					  const uint64_t *counts,
					  struct pmu_value *value, struct pmu_metric_refusal *refusal);

/* The meaning of a metric with the unit clock of emulators, where each instruction takes one cycle. */
enum pmu_metric_clock {
	METRIC_WITHOUT_CYCLES,
	METRIC_OF_INSTRUCTIONS,		/* its cycles are instructions */
	METRIC_CONSTANT,		/* it has the same value for any workload */
};

/* `needed`: a plan with exactly the metric's events. *value: that of METRIC_CONSTANT. */
enum pmu_metric_clock pmu_metric_by_unit_clock(const struct pmu_driver *driver, const struct pmu_metric *metric,
					       const char *modifiers, const struct pmu_metric_plan *needed,
					       struct pmu_value *value);

/* Writes a value as text with `digits` (at most 18) after the point, rounded to the nearest; integers without a point.
 * */
void pmu_value_print(const struct pmu_value *value, unsigned digits, char *text, size_t size);

/* Writes the error of a formula. */
void pmu_metric_explain(const struct pmu_metric_refusal *refusal, char *text, size_t size);

#endif
