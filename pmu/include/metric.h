/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics: values computed from counts. A target's table is compiled from metrics.tab. Formulas:
 *
 *	NAME			a metric, or an event without modifiers
 *	{EVENT}			an event in event_parse's syntax
 *	NUMBER			an integer
 *	$NAME			a given value: another PMU's metric, a frequency
 *	+ - * / ( )		exact operations on rational numbers
 *
 * To measure metrics: add them to a plan, which lists the events they need; schedule the plan,
 * which gives each event a run and a counter; count the events, run by run; evaluate them. */
#ifndef METRIC_H
#define METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "pmu.h"

/* One line of metrics.tab. */
struct pmu_metric {
	const char *name;		/* as in the manual, if it defines the metric */
	const char *unit;		/* "ratio": a part of a whole */
	const char *source;		/* section or table of the manual */
	const char *formula;
	const char *description;
	const char *caveat;		/* limits of its validity; "": none */
};

/* Ordered by name (strcasecmp), without duplicates. */
struct pmu_metric_table {
	const struct pmu_metric *metric;
	size_t count;
};

#define PMU_METRIC_EVENTS	64	/* of a plan, at most */
#define PMU_METRIC_TEXT		128	/* bytes of an event's text with the final 0, at most */
#define PMU_METRIC_GIVEN	48	/* given values of a plan, at most */
#define PMU_METRIC_DEPTH	16	/* nested parentheses and metrics, at most */

enum pmu_metric_error {
	METRIC_OK,
	METRIC_BAD_FORMULA,		/* expected a number, a name, '{' or '('; or unexpected
					 * character */
	METRIC_UNKNOWN,			/* no metric or event has this name */
	METRIC_BAD_EVENT,		/* event_parse refuses the event */
	METRIC_BAD_MODIFIER,		/* event_parse refuses the modifiers for all events */
	METRIC_CIRCLE,			/* the metric needs itself */
	METRIC_TOO_DEEP,		/* deeper than PMU_METRIC_DEPTH */
	METRIC_TOO_MANY,		/* more events than PMU_METRIC_EVENTS */
	METRIC_NOT_PLANNED,		/* an event is missing from the plan */
	METRIC_UNFIT,			/* no counter can count an event, even alone */
	METRIC_NOT_GIVEN,		/* a $NAME has no value */
};

/* An error and its place: `length` characters at `where`, in the formula of `metric`. Exceptions:
 * `where` is in the plan's event (METRIC_UNFIT), in the modifiers (METRIC_BAD_MODIFIER), or in the
 * text of an event planned alone (`metric` is NULL). */
struct pmu_metric_refusal {
	enum pmu_metric_error error;
	const struct pmu_metric *metric;
	const char *where;
	size_t length;
};

struct pmu_metric_event {
	char text[PMU_METRIC_TEXT];	/* in event_parse's syntax */
	struct event_request request;
	uint8_t group;			/* the caller's group number: one run counts all events of a
					 * group; 0: none */
	uint8_t run, counter;		/* set by pmu_metric_schedule, runs from 0 */
};

enum pmu_value_kind {
	VALUE_NUMBER,
	VALUE_NOT_DEFINED,		/* division by 0 */
	VALUE_TOO_LARGE,		/* numerator or denominator needs more than 127 bits */
};

/* The rational number numerator / denominator, in lowest terms; denominator > 0. */
struct pmu_value {
	enum pmu_value_kind kind;
	__int128 numerator, denominator;
};

/* The value of $NAME in formulas; upper or lower case. */
struct pmu_metric_given {
	const char *name;
	size_t length;
	struct pmu_value value;
	bool used;			/* a metric planned since then uses it */
};

/* A plan; initialize with 0. */
struct pmu_metric_plan {
	unsigned count, runs;
	unsigned least;			/* lower bound on `runs` */
	struct pmu_metric_event event[PMU_METRIC_EVENTS];
	unsigned givens;
	struct pmu_metric_given given[PMU_METRIC_GIVEN];

	/* Scheduler: the run that it tries to fill. */
	struct {
		unsigned count;
		uint8_t event[PMU_SESSION_EVENTS], counter[PMU_SESSION_EVENTS];
		struct event_request request[PMU_SESSION_EVENTS];
		struct pmu_setting setting[2][PMU_EVENT_SETTINGS];
	} trial;

	/* Scheduler: its search. `order`: events in the order of their placement (of a group, the
	 * first one). `next`: the next run to try for each. `before`: number of runs that the
	 * events before it use. `conflicts`: bit mask of events with which each cannot share a
	 * run. */
	struct {
		unsigned steps, count;
		uint8_t order[PMU_METRIC_EVENTS], next[PMU_METRIC_EVENTS],
			before[PMU_METRIC_EVENTS];
		uint64_t conflicts[PMU_METRIC_EVENTS];
	} search;
};

/* Returns the metric of this name, upper or lower case, or NULL. */
const struct pmu_metric *pmu_metric_find(const struct pmu_metric_table *table, const char *name);

/* Sets a given value, or replaces it. The caller keeps the name. False: there are too many. */
bool pmu_metric_give(struct pmu_metric_plan *plan, const char *name, size_t length,
		     const struct pmu_value *value);

/* Parses a decimal value of up to 17 digits, with or without a point. False: it is not a number. */
bool pmu_value_read(const char *text, size_t length, struct pmu_value *value);

#define METRIC_FREQUENCY "FREQUENCY"	/* the name of the processor's frequency, in Hz */

/* Returns the given frequency, or NULL. */
const struct pmu_value *pmu_metric_frequency(const struct pmu_metric_plan *plan);

/* Converts a metric's value from bytes per cycle to bytes per second, if the frequency of its
 * cycles is not NULL. Returns the value's unit. */
const char *pmu_metric_in_seconds(const struct pmu_metric *metric,
				  const struct pmu_value *frequency, struct pmu_value *value);

/* Adds to a plan the events that a metric of this driver needs, unless the plan has them.
 * `modifiers`: for all events ("u:iar=0-0xfff"), or "". On failure the plan is unchanged. */
enum pmu_metric_error pmu_metric_plan(const struct pmu_driver *driver,
				      const struct pmu_metric *metric,
				      const char *modifiers, struct pmu_metric_plan *plan,
				      struct pmu_metric_refusal *refusal);

/* Adds one event in event_parse's syntax, unless the plan has it. On failure the plan is
 * unchanged. */
enum pmu_metric_error pmu_metric_plan_event(const struct pmu_driver *driver, const char *event,
					    struct pmu_metric_plan *plan,
					    struct pmu_metric_refusal *refusal);

/* Distributes a plan's events over runs. In each run every event has a counter, and all events
 * agree on the driver's settings. If plan->runs equals plan->least, no schedule has fewer runs;
 * else it is the best that a bounded search found. METRIC_UNFIT names the first event of a group
 * that does not fit into one run. */
enum pmu_metric_error pmu_metric_schedule(const struct pmu_driver *driver,
					  struct pmu_metric_plan *plan,
					  struct pmu_metric_refusal *refusal);

/* Computes the value of a metric with the same modifiers. counts[i]: count of plan->event[i]. */
enum pmu_metric_error pmu_metric_evaluate(const struct pmu_driver *driver,
					  const struct pmu_metric *metric,
					  const char *modifiers, const struct pmu_metric_plan *plan,
					  const uint64_t *counts,
					  struct pmu_value *value,
					  struct pmu_metric_refusal *refusal);

/* The meaning of a metric under an emulator's unit clock, where each instruction takes one
 * cycle. */
enum pmu_metric_clock {
	METRIC_WITHOUT_CYCLES,
	METRIC_OF_INSTRUCTIONS,		/* its cycles are instructions */
	METRIC_CONSTANT,		/* it has the same value for any workload */
};

/* Returns that meaning. `needed`: a plan with exactly the metric's events. *value: the value of
 * METRIC_CONSTANT. */
enum pmu_metric_clock pmu_metric_by_unit_clock(const struct pmu_driver *driver,
					       const struct pmu_metric *metric,
					       const char *modifiers,
					       const struct pmu_metric_plan *needed,
					       struct pmu_value *value);

/* Prints a value with `digits` digits (at most 18) after the point, rounded to nearest; integers
 * without a point. */
void pmu_value_print(const struct pmu_value *value, unsigned digits, char *text, size_t size);

/* Describes the error of a formula. */
void pmu_metric_explain(const struct pmu_metric_refusal *refusal, char *text, size_t size);

#endif
