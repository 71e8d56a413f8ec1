/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps from reset to the end of the run, in the order of boot.c. */
#ifndef BOOT_H
#define BOOT_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu.h"

struct session_results;

/* The options of the command line. */
struct boot_options {
	bool selftest, session, bench, state;	/* steps to run */
	const struct selftest_suite *suite;	/* run the self test of this suite only; NULL: of
						 * all suites */
	const char *events, *metrics, *profile;	/* of the session; all three NULL: the driver's
						 * default events */
	unsigned threads;		/* threads that run the session at the same time; 0: the
					 * driver's default */
	bool non_maskable;		/* deliver the overflow interrupt as an NMI */
	bool highest_level;		/* run the workload at the runtime's privilege level */
	unsigned calls;			/* callers recorded with each sample, at most; 0: none */
	unsigned interval;		/* time between intermediate counts, in milliseconds; 0:
					 * none */
	uint32_t ticks;			/* interval between samples by time, in ticks of the timer;
					 * 0: none */
	uint32_t slice;			/* multiplexing: length of a slice, in ticks of the timer;
					 * 0: none */
	bool scoped;			/* the next two members are given */
	enum pmu_scope scope;		/* processes that the session monitors */
	enum pmu_privilege reach;	/* levels and handlers that it monitors */
	bool small_pages;		/* map programs' memory with pages of 4 KiB */
	bool registers;			/* print mean register contents of precise samples */
	bool output;			/* also print the session's results for tools */
};

/* Words of the option scope=. */
extern const char *const session_scopes[], *const session_reaches[];

/* Parses the words "name=value" of the command line. False: a word is wrong; an error was
 * printed. */
bool options_read(char *command_line, struct boot_options *options);

#define BOOT_CAUSE	512	/* characters of a cause, with the final 0 */

/* Keeps a text as the cause of failure, for the last line of the run. Only the first text is
 * kept. */
__attribute__((format(printf, 1, 2))) void boot_keep_cause(const char *format, ...);

/* Prints "palmon: " and a text, and keeps the text as the cause. Returns false. */
__attribute__((format(printf, 1, 2))) bool boot_refuse(const char *format, ...);

/* Returns the cause, or "". */
const char *boot_cause(void);

/* Prints the PAL procedures' description of the PMU. */
void report_monitor(const struct pmu_driver *driver);

/* Measures the workload with these options and prints the results. NULL: not possible, or the
 * workload failed. */
const struct session_results *session_run(const struct boot_options *options);

/* Saves a running session, prints its bytes, and resumes it from them. False: not possible. */
bool state_run(const struct pmu_driver *driver);

/* Measures the runtime's own costs and prints one JSON object per line. */
void bench_run(const struct pmu_driver *driver);

/* The measured code: the built-in workload, or WORKLOAD=file.c. Each thread calls it. Returns 0, or
 * another value if it failed. */
int workload(void);

#endif
