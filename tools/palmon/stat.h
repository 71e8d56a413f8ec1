/* SPDX-License-Identifier: BSD-2-Clause */
/* palmon stat: its requests and results. */
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
	char metric_name[METRICS_MOST][PMU_METRIC_TEXT];	// as requested: NAME[:MODIFIER...]
	unsigned metrics;
	struct pmu_value frequency[METRICS_MOST];	// per metric: given before it; 0: none
	const char *metric_unit[METRICS_MOST];
	struct pmu_metric_plan plan;		// events of the metrics and profiles

	// The counted events: those of the options, then those of the plan that differ.
	struct pmu_metric_plan counting;
	unsigned counted_as[PMU_METRIC_EVENTS];	// index in `counting` of each of the plan's events
	struct measured measured;		// over all runs
	const char *text[PMU_METRIC_EVENTS];	// of each counted event

	const char *trace, *separator;
	char **program;				// instead of a trace
	bool json;

	uint64_t interval;			// length in cycles; 0: only one, up to the end
	struct rates rates;
	struct pmu_session *session;		// session that counts the intervals
};

/* Reads the length of an interval; NULL: no intervals. False after a complaint. */
bool stat_read_intervals(struct stat_options *options, const char *interval, const char *frequency);

/* Begin intervals with this session, which counts from now on; print the interval that ends at a
 * cycle. */
void stat_begin_intervals(struct stat_options *options, struct pmu_session *session);
void stat_end_interval(void *options, uint64_t cycle);

/* A count, with its event, cycles and run (from 1). */
struct counted {
	const char *event;
	uint64_t count, cycles;
	unsigned run;
};

/* The number of runs over the trace. */
static inline unsigned run_count(const struct stat_options *o)
{
	return o->counting.runs;
}

static inline unsigned counted_count(const struct stat_options *o)
{
	return o->counting.count;
}

/* A count, and a metric's value, with the keys of perf stat -j; `runs`: of how many. */
json_t *json_of_count(const struct counted *counted, unsigned runs);
json_t *json_of_metric(const char *name, uint64_t cycles, json_t *value, const char *unit,
		       unsigned runs);

/* Prints the counts and the values of metrics in the selected form. */
void print_counted(const struct stat_options *o, const struct counted *counted,
		   const struct pmu_value *values);

#endif
