/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run has found out about the board, for a tool: lines of JSON on the console, and for firmware that keeps them
 * (palmon-board(5)). */
#ifndef BOOT_BOARD_H
#define BOOT_BOARD_H

#include <stdbool.h>

#include "pmu_driver.h"
#include "summary.h"

/* How the run has ended. */
struct board_end {
	const struct pmu_driver *driver;	/* the image's */
	const char *command_line;
	bool up;				/* the PMU: PAL answers */
	bool measured;				/* a session has counts */
	bool faulted;				/* on an exception, in whatever code */
	int status;
	const char *why;			/* in words */
};

/* Prints the lines, but not on screens, and hands them to who waits for the run's end. */
void board_print(const struct summary *summary, const struct board_end *end);

#endif
