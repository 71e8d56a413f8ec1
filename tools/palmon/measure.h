/* SPDX-License-Identifier: BSD-2-Clause */
/* A measurement of a trace on the host shim: for `palmon stat` and `palmon record`. */
#ifndef MEASURE_H
#define MEASURE_H

#include "pmu.h"
#include "trace.h"

/* Events from the command line. */
struct measure_events {
	unsigned count;
	struct event_request request[PMU_SESSION_EVENTS];
	char *text[PMU_SESSION_EVENTS];			/* as they were written */
};

/* Adds events of an option's argument. False after a complaint. */
bool measure_add_events(struct measure_events *events, const struct pmu_driver *driver, const char *text);
void measure_free_events(struct measure_events *events);

/* Opens a trace for a target. NULL after a complaint. */
struct trace *measure_open(const struct pmu_driver *driver, const char *path);

/* Starts the shim and on it a session with these requests, with memory for the processor's records if one of them wants
 * some. False after a complaint. */
bool measure_start(const struct pmu_driver *driver, const struct event_request *requests, unsigned count,
		   struct pmu_session *session);

/* Feeds the trace to the PMU and stops the session. Between overflow interrupts, and at the end, it calls `drain`
 * (unless NULL), which returns false to give up. False after a complaint: the trace is wrong. */
bool measure_feed(struct trace *trace, struct pmu_session *session, bool (*drain)(void *context), void *context,
		  uint64_t *cycles);

#endif
