/* SPDX-License-Identifier: BSD-2-Clause */
/* The plan of the measured session: its events, metrics and runs, made of the options. */
#ifndef BOOT_PLAN_H
#define BOOT_PLAN_H

#include "backend.h"
#include "boot.h"
#include "hal.h"
#include "metric.h"
#include "pmu_driver.h"

#define SESSION_UNITS	4	/* PMUs of an image, at most */
#define SESSION_EVENTS	128	/* events of all runs, at most */
#define SESSION_METRICS	32	/* metrics, at most */
#define SESSION_TEXT	256	/* bytes of an event's text with the final 0, at most */

/* An event, its PMU and its run. */
struct session_event {
	char text[SESSION_TEXT];		/* as requested, without the period */
	struct event_request request;
	unsigned unit;				/* index of its PMU */
	unsigned run;				/* run of the workload, from 0 */
	unsigned group;				/* index of its group, below `groups` of the plan;
						 * `groups`: it does not take turns */
	unsigned braces;			/* number of its group in braces; 0: none */
	uint64_t asked;				/* requested period, in events; 0: none */
};

/* A requested metric. */
struct session_metric {
	char text[PMU_METRIC_TEXT];		/* as requested */
	const struct pmu_metric *metric;
	const char *modifiers;			/* position in `text` */
	struct pmu_value frequency;		/* frequency of its cycles, in Hz; denominator 0:
						 * not given */
	unsigned unit;	/* index of its PMU */
};

/* The plan, the same for each thread. On a PMU that the cores share, the first thread counts for
 * all. */
struct session_plan {
	const struct pmu_driver *unit[SESSION_UNITS];	/* the image's PMUs; the first is the cores'
							 * own */
	unsigned units;
	struct session_event event[SESSION_EVENTS];
	unsigned count, runs;
	unsigned asked;				/* number of events requested by name; they are the
						 * first ones */
	struct session_metric metric[SESSION_METRICS];
	unsigned metrics;
	struct pmu_metric_plan planned[SESSION_UNITS];	/* each PMU's events for metrics and
							 * profiles */
	unsigned first_planned[SESSION_UNITS];	/* event i of a PMU's plan is event[first_planned +
						 * i] */
	unsigned threads;
	bool non_maskable;
	unsigned calls;				/* callers of a sample, at most */
	unsigned interval;			/* time between intermediate counts, in ms; 0:
						 * none */
	uint32_t ticks;				/* interval between samples by time; 0: none */
	uint32_t slice;				/* ticks after which the next group of events
						 * counts; 0: no multiplexing */
	unsigned groups;			/* number of groups: 0 without multiplexing, else 2
						 * or more */
	bool scoped;				/* the next two members are given */
	enum pmu_scope scope;			/* processes that the session monitors */
	enum pmu_privilege reach;		/* levels and handlers that it monitors */
	bool highest_level;			/* run the workload at level 0, as the runtime; else
						 * at level 3 */
	bool registers;				/* print mean register contents of precise
						 * samples */
	bool output;				/* also print the results for tools */
	bool restores;				/* restore the workload's data and heap before each
						 * run */
	int (*call)(int (*workload)(void));	/* calls the workload: through hal_run_user, or
						 * directly */
};

/* Makes the plan from the options. `plan` is all zero. False: it is not possible; the reason was
 * printed. */
bool session_read_plan(struct session_plan *plan, const struct boot_options *options);

/* Returns whether any event of the plan has one of these modifiers (EVENT_*). */
bool session_asks_for(const struct session_plan *plan, uint16_t modifiers);

#define SESSION_LEVEL_0	1u		/* bit of the highest privilege level */

/* Returns whether the cores share a PMU. The first thread then has its session for the package. */
static inline bool session_is_shared(const struct session_plan *plan, unsigned unit)
{
	return plan->unit[unit]->cores;
}

/* Returns how this machine raises an event. HAL_NEVER: its count has no meaning. */
enum hal_happens session_happens(const struct session_plan *plan, unsigned event);

/* Returns a plan with the events of one metric, and the values that it uses (`used`); valid until
 * the next call. */
const struct pmu_metric_plan *session_needed(const struct session_plan *plan,
					     const struct session_metric *metric);

#endif
