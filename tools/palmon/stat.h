/* SPDX-License-Identifier: BSD-2-Clause */
/* palmon stat: what it is to count, and what was counted. */
#ifndef STAT_H
#define STAT_H

#include <jansson.h>

#include "measure.h"
#include "metric.h"
#include "rates.h"

#define METRICS_MOST	64

struct stat_options {
	const struct pmu_driver *driver;
	struct measure_events events;
	const struct pmu_metric *metric[METRICS_MOST];
	char metric_name[METRICS_MOST][PMU_METRIC_TEXT];	// as asked for: NAME[:MODIFIER...]
	unsigned metrics;
	struct pmu_value frequency[METRICS_MOST];	// of each: the one that is given before it; 0: none
	const char *metric_unit[METRICS_MOST];
	struct pmu_metric_plan plan;		// what the metrics need, and the profiles

	// What is counted: the events, then of the plan's those that they do not have.
	struct pmu_metric_plan counting;
	unsigned counted_as[PMU_METRIC_EVENTS];	// of each of the plan's: which
	struct measured measured;		// of all runs
	const char *text[PMU_METRIC_EVENTS];	// of each that is counted

	const char *trace, *separator;
	char **program;				// instead of a trace
	bool json;

	uint64_t interval;			// cycles, after each of which the counts are printed; 0: at the end
	struct rates rates;
	struct pmu_session *session;		// that counts them
};

/* Reads how long an interval is; NULL: there are none. False after a complaint. */
bool stat_read_intervals(struct stat_options *options, const char *interval, const char *frequency);

/* The session counts from here on; an interval is over, at this cycle: prints it. */
void stat_begin_intervals(struct stat_options *options, struct pmu_session *session);
void stat_end_interval(void *options, uint64_t cycle);

/* What was counted, of which event, in how many cycles, in which run (from 1). */
struct counted {
	const char *event;
	uint64_t count, cycles;
	unsigned run;
};

/* The runs over the trace. */
static inline unsigned run_count(const struct stat_options *o)
{
	return o->counting.runs;
}

static inline unsigned counted_count(const struct stat_options *o)
{
	return o->counting.count;
}

/* A count, and a metric's value, with perf stat's keys; of so many runs. */
json_t *json_of_count(const struct counted *counted, unsigned runs);
json_t *json_of_metric(const char *name, uint64_t cycles, json_t *value, const char *unit, unsigned runs);

/* Prints counts and the metrics' values, in the form asked for. */
void print_counted(const struct stat_options *o, const struct counted *counted, const struct pmu_value *values);

#endif
