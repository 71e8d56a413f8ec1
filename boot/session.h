/* SPDX-License-Identifier: BSD-2-Clause */
/* The measured session: session_plan.c reads its options, session.c runs it, session_take.c
 * collects samples meanwhile, session_report.c, session_samples.c and session_records.c print the
 * results, session_remarks.c adds remarks. */
#ifndef BOOT_SESSION_H
#define BOOT_SESSION_H

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

/* The events of one PMU in one run; each thread opens a session of them. */
struct session_part {
	unsigned count;
	struct event_request request[PMU_SESSION_EVENTS];
	uint8_t event[PMU_SESSION_EVENTS];	/* indices of the events in the plan */
};

/* The results of an event on a thread. */
struct session_result {
	uint64_t count;
	struct pmu_counter counter;
	uint64_t taken;				/* samples removed from the ring */
	uint64_t at[PMU_PLACES];		/* of these, by the meaning of their addresses */
};

/* One thread: its sessions in the current run, and the results of all runs. */
struct session_thread {
	struct pmu_session session[SESSION_UNITS];
	struct pmu_refusal refusal;
	enum pmu_error error;
	unsigned refused;			/* index of the PMU that refused the session */
	const char *no_buffer;			/* why there is no buffer for precise events'
						 * records; NULL: there is one */
	int status;				/* result of the workload in the first run in which
						 * it failed; 0: it did not */
	bool fault;				/* a register access faulted */
	unsigned core;
	uint64_t started[SESSION_EVENTS];	/* for each run: hal_clock at its start */
	uint64_t clocks[SESSION_EVENTS];	/* for each run: start to stop, hal_clock units */
	/* Statistics of the current run; of all runs. */
	struct pmu_statistics statistics[SESSION_UNITS], sum[SESSION_UNITS];
	struct session_result result[SESSION_EVENTS];
};

extern struct session_plan session_plan;
extern struct session_part session_parts[SESSION_UNITS];	/* of the current run */
extern struct session_thread session_threads[HAL_CPUS];

/* Makes the plan from the options. False: it is not possible; the reason was printed. */
bool session_read_plan(const struct boot_options *options);

/* Returns whether any event of the plan has one of these modifiers (EVENT_*). */
bool session_asks_for(uint16_t modifiers);

#define SESSION_LEVEL_0	1u		/* bit of the highest privilege level */

/* Returns whether the cores share a PMU. The first thread then has its session for the package. */
static inline bool session_is_shared(unsigned unit)
{
	return session_plan.unit[unit]->cores;
}

/* Returns how this machine raises an event. HAL_NEVER: its count has no meaning. */
enum hal_happens session_happens(unsigned event);

/* Formats 1234567 as "1,234,567". The result is valid until the eighth call from now. */
const char *session_grouped(uint64_t number);

/* Prints counts, metrics, sums of samples, and interrupt statistics. */
void session_print_counts(void);

/* Returns a plan with the events of one metric, valid until the next call. */
const struct pmu_metric_plan *session_needed(const struct session_metric *metric);

/* Print remarks: on an event's count, after the count; on a metric; on several counts, after all of
 * them. `counter` is NULL in a table of several threads; `count` is then the sum. */
void session_print_remarks(unsigned event, uint64_t count, const struct pmu_counter *counter);
void session_print_metric_remark(const struct session_metric *metric);
void session_print_notes(void);

/* Prints how the samples of a run's events add up to their counts. */
void session_print_sums(unsigned run);

/* If a session counts an event of retired instructions at level 3 both for any thread and for each
 * thread alone, the first thread's any-thread count must be the sum of the threads' own counts.
 * session_compares returns whether an event is one of such a pair. session_print_any_thread prints
 * the sums; false: a sum is wrong. */
bool session_compares(unsigned event);
bool session_print_any_thread(void);

#define SESSION_VALUE	80	/* characters of a metric's value with the final 0, at most */

/* Formats a metric's value on a thread and returns its unit. NULL: this machine does not raise an
 * event that the metric needs. */
const char *session_metric_value(const struct session_metric *metric, unsigned thread, char text[SESSION_VALUE]);

/*
 * Samples
 */

/* Allocates memory for the histograms, if the plan takes samples, and for each sample, if the plan
 * has output for tools. False: there is not enough memory; a message was printed. */
bool session_prepare_samples(void);

/* Adds a sample of the calling CPU to its histogram. Trap code. */
void session_take(const struct pmu_sample *sample, const uint64_t *words);

/* Discards the samples of a run's events. */
void session_forget_samples(unsigned run);

/* Prints all samples: each event's functions, and recorded branches. */
void session_print_samples(void);

/* Prints all results as lines for tools. Call after session_print_samples. */
void session_print_output(void);

#endif
