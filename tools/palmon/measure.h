/* SPDX-License-Identifier: BSD-2-Clause */
/* A measurement of a trace on the host shim: for `palmon stat` and `palmon record`. */
#ifndef MEASURE_H
#define MEASURE_H

#include "pmu.h"
#include "trace.h"

#define MEASURE_EVENTS_MOST 64

/* Events from the command line. */
struct measure_events {
	unsigned count, groups;
	struct event_request request[MEASURE_EVENTS_MOST];
	char *text[MEASURE_EVENTS_MOST];		/* as they were written */
	uint8_t group[MEASURE_EVENTS_MOST];		/* from 1; 0: it is in none */
};

/* Adds events of an option's argument, as long as they are no more than `most`. False after a complaint. */
bool measure_add_events(struct measure_events *events, const struct pmu_driver *driver, const char *text,
			unsigned most);
void measure_free_events(struct measure_events *events);

/* Opens a trace for a target. NULL after a complaint. */
struct trace *measure_open(const struct pmu_driver *driver, const char *path);

/* Starts the shim and on it a session with these requests, with memory for the processor's records if one of them wants
 * some. False after a complaint. */
bool measure_start(const struct pmu_driver *driver, const struct event_request *requests, unsigned count,
		   struct pmu_session *session);

/* What was in a trace. */
struct measured {
	uint64_t cycles;
	bool named;			/* it says whose it is */
	bool any;			/* something happened */
	bool matched;			/* something that an event of the session has the code of */
};

/* Each so many cycles, and at the end, `each` is called, with the cycles so far; the session counts. */
struct measure_intervals {
	uint64_t cycles;
	void (*each)(void *context, uint64_t cycle);
	void *context;
};

/* Feeds the trace to the PMU and stops the session, which has these requests. Between overflow interrupts, and at the
 * end, it calls `drain` (unless NULL), which returns false to give up. `intervals`: NULL, there are none. False after a
 * complaint: the trace is wrong. */
bool measure_feed(struct trace *trace, struct pmu_session *session, const struct event_request *requests,
		  bool (*drain)(void *context), void *context, const struct measure_intervals *intervals,
		  struct measured *measured);

/* Says so, if nothing has been counted because nothing of a trace was what the events count. */
void measure_warn(const struct pmu_driver *driver, const char *path, const struct measured *measured);

#endif
