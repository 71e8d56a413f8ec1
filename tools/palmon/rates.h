/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates of counts per interval, for `palmon stat -I` and `palmon top`. */
#ifndef RATES_H
#define RATES_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu.h"

#define RATES_EVENTS	PMU_SESSION_EVENTS
#define RATES_SECOND	1000000000	/* clocks in a second, unless specified: a clock is 1 ns */

struct rates_event {
	const char *name;
	bool absent;			/* not counted on this machine */
	uint64_t count, before;		/* at the end and at the start of the current interval */
};

struct rates {
	struct rates_event event[RATES_EVENTS];
	unsigned events, run;
	uint64_t clock, before;
	double second;			/* clocks in a second */
	const char *separator;		/* between fields; NULL: a table */
	bool json;
	unsigned headed;		/* number of events in the table's last heading */
};

/* Begins the next interval, which ends at `clock`, with these counts. False: a count has decreased,
 * or the clock has not advanced. */
bool rates_take(struct rates *rates, uint64_t clock, const uint64_t *counts);

/* Events per second; the end of the interval, in seconds. */
double rates_of(const struct rates *rates, const struct rates_event *event);
double rates_time(const struct rates *rates);

/* "1,234,567" */
const char *rates_grouped(double value, char text[40]);

/* Prints the interval in the selected form. `hottest`: a function for the end of a table row, or
 * "". */
void rates_print(struct rates *rates, const char *hottest);

#endif
