/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps from reset to the end of the run, in the order boot.c takes them. */
#ifndef BOOT_H
#define BOOT_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu.h"

/* What the command line asks for. */
struct boot_options {
	bool selftest, session, bench, state;	/* which steps to take */
	const struct selftest_suite *suite;	/* of the self test, the only one; NULL: all */
	const char *events, *metrics, *profile;	/* of the session; NULL, all three: the default events */
	unsigned threads;		/* that run the session at the same time; 0: as many as the target's default */
	bool non_maskable;		/* overflow interrupt as NMI */
	bool highest_level;		/* the workload is called at the runtime's privilege level */
	unsigned calls;			/* callers that each of the session's samples has, at most */
	unsigned interval;		/* milliseconds, after each of which counts are printed; 0: none */
	bool small_pages;		/* programs' memory is in pages of 4 KiB */
	bool registers;			/* of precise samples, averages of registers are printed */
	bool output;			/* what the session measures is printed for tools, too */
};

/* Reads the words "name=value" of the command line. False: one is wrong; the console names it. */
bool options_read(char *command_line, struct boot_options *options);

#define BOOT_CAUSE	512	/* characters of a cause, with its end */

/* Keeps a text as the cause of a failure, which the last line of the run will name. The first one stays. */
__attribute__((format(printf, 1, 2))) void boot_keep_cause(const char *format, ...);

/* Prints "palmon: " and a text, and keeps it as the cause. Returns false. */
__attribute__((format(printf, 1, 2))) bool boot_refuse(const char *format, ...);

/* The cause that is kept, "" if there is none. */
const char *boot_cause(void);

/* From now on an unexpected exception ends the run with a register dump. */
void fault_start(void);

/* Then: prints what has been found out until now about the board. In code of this name. */
void boot_print_fault(const char *function);

/* Prints what the PAL procedures answer about the PMU. */
void report_monitor(const struct pmu_driver *driver);

/* Measures the workload as the options ask for, and prints the results. False: it could not, or the workload failed. */
bool session_run(const struct boot_options *options);

/* Saves a session in the middle, prints its bytes, and resumes from them. False: it could not. */
bool state_run(const struct pmu_driver *driver);

/* Measures the runtime's own costs and prints one JSON object per line. */
void bench_run(const struct pmu_driver *driver);

/* The code that is measured: the built-in one, or that of WORKLOAD=file.c; each thread calls it. Not 0: it failed. */
int workload(void);

#endif
