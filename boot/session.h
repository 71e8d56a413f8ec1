/* SPDX-License-Identifier: BSD-2-Clause */
/* What the measured session consists of: session_plan.c reads what is asked for, session.c runs it, session_take.c
 * takes samples meanwhile, session_report.c, session_samples.c and session_records.c print the results,
 * session_remarks.c what is to be known about them. */
#ifndef BOOT_SESSION_H
#define BOOT_SESSION_H

#include "boot.h"
#include "hal.h"
#include "metric.h"
#include "pmu_driver.h"

#define SESSION_UNITS	4	/* PMUs of an image, at most */
#define SESSION_EVENTS	128	/* of all runs, at most */
#define SESSION_METRICS	32
#define SESSION_TEXT	256	/* of an event, with its end */

/* An event, and when it is measured. */
struct session_event {
	char text[SESSION_TEXT];		/* as it was asked for, without the period */
	struct event_request request;
	unsigned unit;				/* whose it is */
	unsigned run;				/* of the workload, from 0 */
	uint64_t asked;				/* the period that was asked for */
};

/* A metric, and what it is computed from. */
struct session_metric {
	char text[PMU_METRIC_TEXT];		/* as it was asked for */
	const struct pmu_metric *metric;
	const char *modifiers;			/* in `text` */
	struct pmu_value frequency;		/* of its cycles; denominator 0: not given */
	unsigned unit;
};

/* What is counted, on each thread the same; of a PMU that the cores share, by the first one for all. */
struct session_plan {
	const struct pmu_driver *unit[SESSION_UNITS];	/* the image's PMUs; the first one is the cores' own */
	unsigned units;
	struct session_event event[SESSION_EVENTS];
	unsigned count, runs;
	unsigned asked;				/* of the events, those asked for by name; they are the first */
	struct session_metric metric[SESSION_METRICS];
	unsigned metrics;
	struct pmu_metric_plan planned[SESSION_UNITS];	/* what metrics and profiles need of each PMU: */
	unsigned first_planned[SESSION_UNITS];	/* its event i is event[first_planned + i] */
	unsigned threads;
	bool non_maskable;
	unsigned calls;				/* callers that a sample has, at most */
	unsigned interval;			/* ms, after each of which counts are printed; 0: none */
	bool highest_level;			/* the workload runs at level 0, as the runtime; else at level 3 */
	bool registers;				/* averages of registers are printed, of precise samples */
	bool output;				/* the results are printed for tools, too */
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
	uint64_t taken;				/* samples that have come out of the ring, */
	uint64_t at[PMU_PLACES];		/* and what their addresses are */
};

/* One thread: its sessions in the present run, and the results of all runs. */
struct session_thread {
	struct pmu_session session[SESSION_UNITS];
	struct pmu_refusal refusal;
	enum pmu_error error;
	unsigned refused;			/* whose session it is about */
	const char *no_buffer;			/* why it has none for the records of precise events; NULL: it has */
	int status;				/* the workload's, of the first run in which it failed */
	bool fault;				/* of a register, while counts were taken */
	unsigned core;
	uint64_t started[SESSION_EVENTS];	/* of each run: hal_clock at its start, */
	uint64_t clocks[SESSION_EVENTS];	/* and from there to its stop */
	struct pmu_statistics statistics[SESSION_UNITS], sum[SESSION_UNITS];	/* of the present run, of all */
	struct session_result result[SESSION_EVENTS];
};

extern struct session_plan session_plan;
extern struct session_part session_parts[SESSION_UNITS];	/* of the present run */
extern struct session_thread session_threads[HAL_CPUS];

/* Makes the plan that the command line asks for. False: it is not possible; the console says why. */
bool session_read_plan(const struct boot_options *options);

/* Whether any event of the plan has one of these modifiers (EVENT_*). */
bool session_asks_for(uint16_t modifiers);

#define SESSION_LEVEL_0	1u		/* of an event's levels: the highest */

/* Whether a PMU is shared by the cores: its session is the package's, and the first thread's. */
static inline bool session_is_shared(unsigned unit)
{
	return session_plan.unit[unit]->cores;
}

/* Whether an event happens where this program runs. HAL_NEVER: its count means nothing. */
enum hal_happens session_happens(unsigned event);

/* 1234567 as "1,234,567". The result is good until the eighth call from now. */
const char *session_grouped(uint64_t number);

/* Prints counts, metrics, the sums of samples, interrupts. */
void session_print_counts(void);

/* A plan that has the events of one metric. Good until the next call. */
const struct pmu_metric_plan *session_needed(const struct session_metric *metric);

/* Prints what is to be known about an event's count, behind it, and about a metric; `counter`: NULL in a table of
 * several threads, where `count` is the sum. Below all counts: what is to be known about several. */
void session_print_remarks(unsigned event, uint64_t count, const struct pmu_counter *counter);
void session_print_metric_remark(const struct session_metric *metric);
void session_print_notes(void);

/* Prints how the samples of a run's events add up to their counts. */
void session_print_sums(unsigned run);

/* An event of retired instructions may be counted at level 3 both of any thread and of each thread alone. Then the
 * first thread's count of all threads must be the sum of their own counts. The first function says whether an event is
 * one of such a pair. The second one prints the sums; false: one is not as it must be. */
bool session_compares(unsigned event);
bool session_print_any_thread(void);

#define SESSION_VALUE	80	/* of a metric as text, with its end */

/* A metric's value on a thread, as text. Returns its unit. NULL: an event of it does not happen here. */
const char *session_metric_value(const struct session_metric *metric, unsigned thread, char text[SESSION_VALUE]);

/*
 * Samples
 */

/* Takes memory for the histograms, if the plan has samples, and to keep each sample, if the plan's output is on. False:
 * there is not enough; that has been printed. */
bool session_prepare_samples(void);

/* Adds a sample of the calling CPU to its histogram. Trap code. */
void session_take(const struct pmu_sample *sample, const uint64_t *words);

/* Forgets the samples of a run's events. */
void session_forget_samples(unsigned run);

/* Prints all samples: for each event by function, and branches by their records. */
void session_print_samples(void);

/* Prints all that was measured, as lines for tools. Behind session_print_samples. */
void session_print_output(void);

#endif
