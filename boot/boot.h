/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps from reset to the end of the run, in the order of boot.c. */
#ifndef BOOT_H
#define BOOT_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu.h"

/* The options of the command line. */
struct boot_options {
	bool selftest, session, bench, state;	/* steps to run */
	const struct selftest_suite *suite;	/* the self test's only suite; NULL: all */
	const char *events, *metrics, *profile;	/* of the session; all three NULL: the default events */
	unsigned threads;		/* for the session at the same time; 0: the target's default */
	bool non_maskable;		/* overflow interrupt as NMI */
	bool highest_level;		/* the workload runs at the runtime's privilege level */
	unsigned calls;			/* most callers of each sample */
	unsigned interval;		/* between intermediate counts, milliseconds; 0: none */
	bool small_pages;		/* programs' memory is in pages of 4 KiB */
	bool registers;			/* print averages of registers, for precise samples */
	bool output;			/* print the session's results for tools, too */
};

/* Reads the words "name=value" of the command line. False: one is wrong, and was printed. */
bool options_read(char *command_line, struct boot_options *options);

#define BOOT_CAUSE	512	/* characters of a cause, with its end */

/* Keeps a text as the cause of a failure for the last line of the run. The first text stays. */
__attribute__((format(printf, 1, 2))) void boot_keep_cause(const char *format, ...);

/* Prints "palmon: " and a text, and keeps it as the cause. Returns false. */
__attribute__((format(printf, 1, 2))) bool boot_refuse(const char *format, ...);

/* The cause, or "". */
const char *boot_cause(void);

/* From now on an unexpected exception ends the run with a register dump. */
void fault_start(void);

/* Then: prints the report on the board so far. `function`: where the exception was. */
void boot_print_fault(const char *function);

/* Prints the PAL procedures' description of the PMU. */
void report_monitor(const struct pmu_driver *driver);

/* Measures the workload with these options, and prints the results. False: it could not, or the workload failed. */
bool session_run(const struct boot_options *options);

/* Saves a session in the middle, prints its bytes, and resumes from them. False: it could not. */
bool state_run(const struct pmu_driver *driver);

/* Measures the runtime's own costs and prints one JSON object per line. */
void bench_run(const struct pmu_driver *driver);

/* The measured code: the built-in one, or that of WORKLOAD=file.c; each thread calls it. Not 0: it failed. */
int workload(void);

#endif
