/* SPDX-License-Identifier: BSD-2-Clause */
/* The summary of a run: its failed checks, and its last lines, which stay on the screen at the end. */
#ifndef BOOT_SUMMARY_H
#define BOOT_SUMMARY_H

#include <stdbool.h>

#include "selftest.h"

#define SUMMARY_FAILURES	160	/* kept, at most */
#define SUMMARY_OF		28	/* characters of the text for a check's '#' */

struct summary_failure {
	const char *suite, *check;	/* the PMU's name; the check's, with a '#' */
	char of[SUMMARY_OF];
	struct selftest_result result;
};

/* Of a run so far. */
struct summary {
	const char *processor;		/* NULL: not known */
	const char *protocol;		/* boot protocol that started it */
	const char *backend;		/* of the PMU; NULL: there is no PMU */
	unsigned checks;		/* of the self test */
	struct selftest_tally tally;	/* of checks that have run */
};

/* The following checks belong to this suite. */
void summary_use_suite(const char *name);

/* Adds a failed check; for struct selftest_tally. */
void summary_add_failure(const char *check, const char *of, const struct selftest_result *result);

/* The failed checks; *count of them, at most SUMMARY_FAILURES. */
const struct summary_failure *summary_failures(unsigned *count);

/* Prints the last lines except that with the status: at most 23. If checks have failed, it clears screens first. */
void summary_print(const struct summary *summary);

#endif
