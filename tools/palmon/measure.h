/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures a trace on the host shim, for `palmon stat` and `palmon record`. */
#ifndef MEASURE_H
#define MEASURE_H

#include "pmu.h"
#include "trace.h"

#define MEASURE_EVENTS_MOST 64

/* Events from the command line. */
struct measure_events {
	unsigned count, groups;
	struct event_request request[MEASURE_EVENTS_MOST];
	char *text[MEASURE_EVENTS_MOST];		/* as the user wrote them */
	uint8_t group[MEASURE_EVENTS_MOST];		/* from 1; 0: in no group */
};

/* Adds the events of an option's argument, up to a total of `most`. False after a complaint. */
bool measure_add_events(struct measure_events *events, const struct pmu_driver *driver,
			const char *text, unsigned most);
void measure_free_events(struct measure_events *events);

/* Opens a trace for a target. NULL after a complaint. */
struct trace *measure_open(const struct pmu_driver *driver, const char *path);

/* Starts the shim and on it a session with these requests. Provides memory for the processor's
 * records if a request needs it. False after a complaint. */
bool measure_start(const struct pmu_driver *driver, const struct event_request *requests,
		   unsigned count, struct pmu_session *session);

/* Properties of a measured trace. */
struct measured {
	uint64_t cycles;
	bool named;			/* the trace names its target */
	bool any;			/* it has occurrences */
	bool matched;			/* an occurrence has the code of a session's event */
};

/* `each` is called after every `cycles` cycles and at the end, with the number of cycles so far,
 * while the session counts. */
struct measure_intervals {
	uint64_t cycles;
	void (*each)(void *context, uint64_t cycle);
	void *context;
};

/* Simulates the PMU with the trace as input, then stops the session, which has these requests.
 * Calls `drain` (unless NULL) after each overflow interrupt and at the end; it returns false to
 * give up. `intervals` NULL: none. False after a complaint about the trace. */
bool measure_deliver(struct trace *trace, struct pmu_session *session,
		     const struct event_request *requests,
		  bool (*drain)(void *context), void *context,
		  const struct measure_intervals *intervals, struct measured *measured);

/* Warns if nothing was counted because no occurrence of the trace matches the events. */
void measure_warn(const struct pmu_driver *driver, const char *path,
		  const struct measured *measured);

#endif
