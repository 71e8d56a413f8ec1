/* SPDX-License-Identifier: BSD-2-Clause */
/* The measurements of an image, read from its log lines (palmon-samples(5)). */
#ifndef RUN_H
#define RUN_H

#include "log.h"
#include "samples.h"

#define RUN_THREADS	64	/* at most */
#define RUN_VERSION	1	/* version of the lines */

/* Results of an event on a thread. */
struct run_count {
	bool known;
	unsigned counter;
	uint64_t count, samples, rest;
	bool throttled;
	uint64_t taken;			/* samples that the image held when it printed this */
};

struct run_event {
	char *text;			/* NULL: its line is lost */
	const struct pmu_driver *driver;
	unsigned run;			/* run of the workload, from 0 */
	bool happens;
	uint64_t period;
	uint64_t present;		/* samples with intact lines */
	struct run_count of[RUN_THREADS];
	int index;			/* number among the events with intact lines */
};

struct run_metric {
	unsigned thread;
	char *name, *unit;
	double value;
	bool counted;			/* false: it has no value */
};

struct run_symbol {
	uint64_t address, end;
	const char *name;		/* points into the log */
};

struct run {
	const struct log_run *lines;
	const struct pmu_driver *driver;
	unsigned threads, runs;
	char build_id[SAMPLES_BUILD_ID];	/* "": none */
	const char *backend;			/* points into the log */
	struct run_event event[SAMPLES_EVENTS];
	unsigned events;			/* including those with lost lines */
	uint64_t clocks[SAMPLES_EVENTS][RUN_THREADS];	/* per run of the workload */
	struct run_metric metric[64 * RUN_THREADS];
	unsigned metrics;
	struct run_symbol *symbol;
	size_t symbols, symbol_room;
	uint64_t dropped;
	size_t strange;				/* intact lines that could not be parsed */
};

/* Reads the lines. False after a complaint: they are unusable. */
bool run_read(struct run *run, const struct log_run *lines);
void run_free(struct run *run);

/* The sum of an event's results on all threads; not `known` if a thread's line is lost. */
struct run_count run_sum(const struct run *run, const struct run_event *event);

/* The number of samples that the image has printed and whose lines are lost. */
uint64_t run_lost(const struct run *run, const struct run_event *event);

/* Reads a line of one sample, or of several that only share an address. False: another line. */
struct run_sample {
	unsigned event, thread, level;
	uint64_t ip, clock, count, times;
	unsigned words;
	uint64_t word[PMU_PAYLOAD_WORDS];
	unsigned callers;		/* innermost first */
	uint64_t caller[PMU_CALLERS];
};

bool run_read_sample(const struct run *run, const char *line, struct run_sample *sample);

#endif
