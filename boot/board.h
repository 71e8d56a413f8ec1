/* SPDX-License-Identifier: BSD-2-Clause */
/* The run's report on the board, for tools: lines of JSON on the console, and for firmware that keeps them
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
	bool up;				/* the PMU works: PAL returns its description */
	bool measured;				/* a session has counts */
	bool faulted;				/* an exception, in any code, ended the run */
	int status;
	const char *why;			/* in words */
};

/* Prints the lines, except on screens, and keeps them for firmware that waits for the run's end. */
void board_print(const struct summary *summary, const struct board_end *end);

#endif
