/* SPDX-License-Identifier: BSD-2-Clause */
/* The run's report on the board, for tools: lines of JSON on the console, and in memory for
 * firmware (palmon-board(5)). */
#ifndef BOOT_BOARD_H
#define BOOT_BOARD_H

#include <stdbool.h>

#include "pmu_driver.h"
#include "summary.h"

struct left;
struct session_results;

/* The end of the run. */
struct board_end {
	const struct pmu_driver *driver;	/* the image's driver */
	const char *command_line;
	const struct left *left;		/* running counters; NULL: the PMU was not found */
	bool up;				/* the PMU works: PAL returns its description */
	const struct session_results *results;	/* counts of the session; NULL: none */
	bool faulted;				/* an exception ended the run */
	int status;
	const char *why;			/* the status in words */
};

/* Prints the lines, except on screens, and keeps them for firmware that waits for the end of the
 * run. */
void board_print(const struct summary *summary, const struct board_end *end);

#endif
