/* SPDX-License-Identifier: BSD-2-Clause */
/* What the measured session consists of: session.c runs it, session_report.c and session_samples.c print it. */
#ifndef BOOT_SESSION_H
#define BOOT_SESSION_H

#include "hal.h"
#include "pmu.h"

/* What is counted, on each thread the same. */
struct session_plan {
	const struct pmu_driver *driver;
	unsigned count;
	struct event_request requests[PMU_SESSION_EVENTS];
	const char *text[PMU_SESSION_EVENTS];	/* each as it was asked for, up to a comma or the end */
	unsigned threads;
	bool non_maskable;
	int (*call)(int (*workload)(void));	/* how the workload is called: hal_run_user, or plainly */
};

/* One thread: its session, and what came of it. */
struct session_thread {
	struct pmu_session session;
	struct pmu_refusal refusal;
	enum pmu_error error;
	const char *no_buffer;			/* why it has none for the records of precise events; NULL: it has */
	int status;				/* the workload's */
	uint64_t clocks;			/* hal_clock units from start to stop */
	uint64_t counts[PMU_SESSION_EVENTS];
	bool fault;				/* of a register, while counts were taken */
	struct pmu_statistics statistics;
	unsigned core;
};

extern struct session_plan session_plan;
extern struct session_thread session_threads[HAL_CPUS];

/* 1234567 as "1,234,567". The result is good until the eighth call from now. */
const char *session_grouped(uint64_t number);

/* Counts, what the samples make of them, interrupts. */
void session_print_counts(void);

/* Whether an event is counted at level 3 of any thread and of each alone; then that one thread's count of all is the
 * sum of all threads' own. False: it is not. */
bool session_counts_any_thread(void);
bool session_print_any_thread(void);

/* Takes all samples of the calling CPU, which is this thread. One CPU at a time. */
void session_take_samples(unsigned thread);

/* All that have been taken, by function, and branches by their records. */
void session_print_samples(void);

#endif
