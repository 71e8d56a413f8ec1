/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of intervals, as rates: for `palmon stat -I` and `palmon top`. */
#ifndef RATES_H
#define RATES_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu.h"

#define RATES_EVENTS	PMU_SESSION_EVENTS
#define RATES_SECOND	1000000000	/* clocks: one is taken for a nanosecond, if nobody says what it is */

struct rates_event {
	const char *name;
	bool absent;			/* it is not counted here */
	uint64_t count, before;		/* at the end of the present interval, and at its start */
};

struct rates {
	struct rates_event event[RATES_EVENTS];
	unsigned events, run;
	uint64_t clock, before;
	double second;			/* clocks in it */
	const char *separator;		/* between fields; NULL: a table */
	bool json;
	unsigned headed;		/* for how many events the table has a heading */
};

/* Begins the next interval, which ends at `clock`, behind the last one, with these counts. False: one is less than
 * before, or the clock is not behind. */
bool rates_take(struct rates *rates, uint64_t clock, const uint64_t *counts);

/* Events a second; when the interval ended, in seconds. */
double rates_of(const struct rates *rates, const struct rates_event *event);
double rates_time(const struct rates *rates);

/* "1,234,567" */
const char *rates_grouped(double value, char text[40]);

/* Prints the interval in the form asked for. `hottest`: a function for the end of the table's row, or "". */
void rates_print(struct rates *rates, const char *hottest);

#endif
