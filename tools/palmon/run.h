/* SPDX-License-Identifier: BSD-2-Clause */
/* What an image has measured, as the lines of its log say it (palmon-samples(5)). */
#ifndef RUN_H
#define RUN_H

#include "log.h"
#include "samples.h"

#define RUN_THREADS	64	/* at most */
#define RUN_VERSION	1	/* of the lines */

/* An event's results on a thread. */
struct run_count {
	bool known;
	unsigned counter;
	uint64_t count, samples, rest;
	bool throttled;
	uint64_t taken;			/* samples that the image had when it printed */
};

struct run_event {
	char *text;			/* NULL: its line is lost */
	const struct pmu_driver *driver;
	unsigned run;			/* of the workload, from 0 */
	bool happens;
	uint64_t period;
	uint64_t present;		/* samples with lines */
	struct run_count of[RUN_THREADS];
	int index;			/* among those whose lines are there */
};

struct run_metric {
	unsigned thread;
	char *name, *unit;
	double value;
	bool counted;			/* else it has no value */
};

struct run_symbol {
	uint64_t address, end;
	const char *name;		/* in the log */
};

struct run {
	const struct log_run *lines;
	const struct pmu_driver *driver;
	unsigned threads, runs;
	char build_id[SAMPLES_BUILD_ID];	/* "": none */
	const char *backend;			/* in the log */
	struct run_event event[SAMPLES_EVENTS];
	unsigned events;			/* with those whose lines are lost */
	uint64_t clocks[SAMPLES_EVENTS][RUN_THREADS];	/* of each run of the workload */
	struct run_metric metric[64 * RUN_THREADS];
	unsigned metrics;
	struct run_symbol *symbol;
	size_t symbols, symbol_room;
	uint64_t dropped;
	size_t strange;				/* lines that are whole and say nothing that is understood */
};

/* Reads the lines. False after a complaint: nothing can be made of them. */
bool run_read(struct run *run, const struct log_run *lines);
void run_free(struct run *run);

/* An event's results on all threads together; not `known` if one's is lost. */
struct run_count run_sum(const struct run *run, const struct run_event *event);

/* Samples that the image has printed, and whose lines are not there. */
uint64_t run_lost(const struct run *run, const struct run_event *event);

/* A line of one sample, or of several of which only the address is known. False: `line` is none. */
struct run_sample {
	unsigned event, thread, level;
	uint64_t ip, clock, count, times;
	unsigned words;
	uint64_t word[PMU_PAYLOAD_WORDS];
	unsigned callers;		/* the innermost first */
	uint64_t caller[PMU_CALLERS];
};

bool run_read_sample(const struct run *run, const char *line, struct run_sample *sample);

#endif
