/* SPDX-License-Identifier: BSD-2-Clause */
/* The measured session: session_plan.c reads its options, session.c runs it, session_take.c takes samples meanwhile,
 * session_report.c, session_samples.c and session_records.c print the results, session_remarks.c remarks on them. */
#ifndef BOOT_SESSION_H
#define BOOT_SESSION_H

#include "boot.h"
#include "hal.h"
#include "metric.h"
#include "pmu_driver.h"

#define SESSION_UNITS	4	/* most PMUs of an image */
#define SESSION_EVENTS	128	/* most events of all runs */
#define SESSION_METRICS	32
#define SESSION_TEXT	256	/* of an event, with its end */

/* An event, and its run. */
struct session_event {
	char text[SESSION_TEXT];		/* as requested, without the period */
	struct event_request request;
	unsigned unit;				/* its PMU */
	unsigned run;				/* of the workload, from 0 */
	uint64_t asked;				/* requested period */
};

/* A requested metric. */
struct session_metric {
	char text[PMU_METRIC_TEXT];		/* as requested */
	const struct pmu_metric *metric;
	const char *modifiers;			/* in `text` */
	struct pmu_value frequency;		/* of its cycles; denominator 0: not given */
	unsigned unit;
};

/* The plan, the same on each thread; for a PMU that the cores share, the first thread counts for all. */
struct session_plan {
	const struct pmu_driver *unit[SESSION_UNITS];	/* the image's PMUs; the first one is the cores' own */
	unsigned units;
	struct session_event event[SESSION_EVENTS];
	unsigned count, runs;
	unsigned asked;				/* number of events requested by name, which are the first */
	struct session_metric metric[SESSION_METRICS];
	unsigned metrics;
	struct pmu_metric_plan planned[SESSION_UNITS];	/* each PMU's events for metrics and profiles: */
	unsigned first_planned[SESSION_UNITS];	/* its event i is event[first_planned + i] */
	unsigned threads;
	bool non_maskable;
	unsigned calls;				/* most callers of a sample */
	unsigned interval;			/* between intermediate counts, ms; 0: none */
	bool highest_level;			/* the workload runs at level 0, as the runtime; else at level 3 */
	bool registers;				/* print averages of registers, for precise samples */
	bool output;				/* print the results for tools, too */
	bool restores;				/* the workload's data and heap, before each run */
	int (*call)(int (*workload)(void));	/* how the workload is called: hal_run_user, or plainly */
};

/* The events of one PMU in one run: its session on each thread. */
struct session_part {
	unsigned count;
	struct event_request request[PMU_SESSION_EVENTS];
	uint8_t event[PMU_SESSION_EVENTS];	/* their indices in the plan */
};

/* The results of an event on a thread. */
struct session_result {
	uint64_t count;
	struct pmu_counter counter;
	uint64_t taken;				/* samples taken out of the ring, */
	uint64_t at[PMU_PLACES];		/* and by the meaning of their addresses */
};

/* One thread: its sessions in the present run, and the results of all runs. */
struct session_thread {
	struct pmu_session session[SESSION_UNITS];
	struct pmu_refusal refusal;
	enum pmu_error error;
	unsigned refused;			/* the PMU of the refused session */
	const char *no_buffer;			/* why it has none for the records of precise events; NULL: it has */
	int status;				/* the workload's, of the first run in which it failed */
	bool fault;				/* a register access faulted */
	unsigned core;
	uint64_t started[SESSION_EVENTS];	/* of each run: hal_clock at its start, */
	uint64_t clocks[SESSION_EVENTS];	/* and clocks until its stop */
	struct pmu_statistics statistics[SESSION_UNITS], sum[SESSION_UNITS];	/* of the present run, of all */
	struct session_result result[SESSION_EVENTS];
};

extern struct session_plan session_plan;
extern struct session_part session_parts[SESSION_UNITS];	/* of the present run */
extern struct session_thread session_threads[HAL_CPUS];

/* Makes the plan from the options. False: it is not possible, and the reason was printed. */
bool session_read_plan(const struct boot_options *options);

/* Whether any event of the plan has one of these modifiers (EVENT_*). */
bool session_asks_for(uint16_t modifiers);

#define SESSION_LEVEL_0	1u		/* of an event's levels: the highest */

/* Whether the cores share a PMU: the first thread has its session for the package. */
static inline bool session_is_shared(unsigned unit)
{
	return session_plan.unit[unit]->cores;
}

/* Whether this machine raises an event. HAL_NEVER: its count has no meaning. */
enum hal_happens session_happens(unsigned event);

/* 1234567 as "1,234,567". The result is valid until the eighth call from now. */
const char *session_grouped(uint64_t number);

/* Prints counts, metrics, the sums of samples, interrupts. */
void session_print_counts(void);

/* A plan with the events of one metric. Valid until the next call. */
const struct pmu_metric_plan *session_needed(const struct session_metric *metric);

/* Prints remarks on an event's count, after it, and on a metric; `counter`: NULL in a table of several threads, where
 * `count` is the sum. session_print_notes: remarks on several counts, below all of them. */
void session_print_remarks(unsigned event, uint64_t count, const struct pmu_counter *counter);
void session_print_metric_remark(const struct session_metric *metric);
void session_print_notes(void);

/* Prints how the samples of a run's events add up to their counts. */
void session_print_sums(unsigned run);

/* If a session counts an event of retired instructions at level 3 both for any thread and for each thread alone, the
 * first thread's any-thread count must be the sum of the threads' own counts. The first function says whether an event
 * is one of such a pair. The second one prints the sums; false: one is wrong. */
bool session_compares(unsigned event);
bool session_print_any_thread(void);

#define SESSION_VALUE	80	/* of a metric as text, with its end */

/* A metric's value on a thread, as text. Returns its unit. NULL: this machine does not raise an event of it. */
const char *session_metric_value(const struct session_metric *metric, unsigned thread, char text[SESSION_VALUE]);

/*
 * Samples
 */

/* Takes memory for the histograms, if the plan has samples, and to keep each sample, if the plan's output is on. False:
 * there is not enough, and a message was printed. */
bool session_prepare_samples(void);

/* Adds a sample of the calling CPU to its histogram. Trap code. */
void session_take(const struct pmu_sample *sample, const uint64_t *words);

/* Forgets the samples of a run's events. */
void session_forget_samples(unsigned run);

/* Prints all samples: for each event by function, and branches by their records. */
void session_print_samples(void);

/* Prints all results, as lines for tools. After session_print_samples. */
void session_print_output(void);

#endif
