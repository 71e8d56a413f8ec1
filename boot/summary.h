/* SPDX-License-Identifier: BSD-2-Clause */
/* The summary of a run: failed checks, and the last lines, which stay on the screen at the end. */
#ifndef BOOT_SUMMARY_H
#define BOOT_SUMMARY_H

#include <stdbool.h>

#include "selftest.h"

#define SUMMARY_FAILURES	160	/* failures kept, at most */
#define SUMMARY_OF		28	/* bytes of the text for a check's '#', with the final 0 */

struct summary_failure {
	const char *suite, *check;	/* the PMU's name; the check's name, with '#' */
	char of[SUMMARY_OF];
	struct selftest_result result;
};

/* The state of a run so far. */
struct summary {
	const char *processor;		/* NULL: unknown */
	const char *protocol;		/* boot protocol that started the image */
	const char *backend;		/* backend of the PMU; NULL: there is no PMU */
	unsigned checks;		/* number of the self test's checks */
	struct selftest_tally tally;	/* results so far */
};

/* The checks that follow belong to this suite. */
void summary_use_suite(const char *name);

/* Records a failed check; for struct selftest_tally. */
void summary_add_failure(const char *check, const char *of, const struct selftest_result *result);

/* Returns the failed checks; *count is their number, at most SUMMARY_FAILURES. */
const struct summary_failure *summary_failures(unsigned *count);

/* Prints the last lines, at most 23, except the line with the status. After failed checks it clears
 * screens first. */
void summary_print(const struct summary *summary);

#endif
