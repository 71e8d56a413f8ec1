/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run has come to: which checks have failed, and the last lines, which are on the screen when it has ended. */
#ifndef BOOT_SUMMARY_H
#define BOOT_SUMMARY_H

#include <stdbool.h>

#include "selftest.h"

#define SUMMARY_FAILURES	160	/* that are kept */
#define SUMMARY_OF		28	/* characters of what a check's '#' stands for */

struct summary_failure {
	const char *suite, *check;	/* the PMU's name; the check's, with a '#' */
	char of[SUMMARY_OF];
	struct selftest_result result;
};

/* Of a run so far. */
struct summary {
	const char *processor;		/* NULL: not known */
	const char *protocol;		/* it was started by */
	const char *backend;		/* beneath which the PMU is; NULL: there is none */
	unsigned checks;		/* that the self test has */
	struct selftest_tally tally;	/* that have been done */
};

/* The checks that follow are this suite's. */
void summary_use_suite(const char *name);

/* A check that has failed: selftest_tally's. */
void summary_add_failure(const char *check, const char *of, const struct selftest_result *result);

/* Those that have; `count` of them, at most SUMMARY_FAILURES. */
const struct summary_failure *summary_failures(unsigned *count);

/* Prints the last lines but that with the status: at most 23. If checks have failed, screens begin anew with them. */
void summary_print(const struct summary *summary);

#endif
