/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the accesses of a path of the runtime to PMU registers and the interrupt controller, on
 * the shim. */
#ifndef ACCESSES_H
#define ACCESSES_H

#include <stdio.h>

#include "pmu_driver.h"
#include "shim.h"
#include "stimulus.h"

enum access_path { ACCESS_OVERFLOW, ACCESS_START, ACCESS_STOP, ACCESS_READ, ACCESS_PATHS };

static const char *const access_paths[ACCESS_PATHS] = {"overflow", "start", "stop", "read"};

static inline bool accesses_open(struct pmu_session *session, const struct pmu_driver *driver,
				 unsigned count, unsigned period)
{
	struct event_request requests[PMU_SESSION_EVENTS];
	struct pmu_refusal refusal;
	char event[2 * EVENT_NAME_MAX];

	for (unsigned i = 0; i < count; i++) {
		const char *text = event;

		snprintf(event, sizeof event, "%s:u:period=%u", period ? driver->retired :
			 driver->cycles, period);
		if (!period)
			snprintf(event, sizeof event, "%s:u", driver->cycles);
		if (event_parse(driver->events, &text, &requests[i]) != EVENT_OK)
			return false;
	}
	return pmu_open(session, requests, count, &refusal) == PMU_OK;
}

static inline struct shim_accesses accesses_since(struct shim_accesses before)
{
	const struct shim_accesses now = shim_accesses();

	return (struct shim_accesses){now.registers - before.registers,
				      now.controller - before.controller};
}

/* Accesses of one interrupt with one sample; of starting, stopping and reading a session of this
 * many counters. Return false if the target cannot do it. */
static inline bool accesses_measure(const char *target, enum access_path path, unsigned counters,
				    struct shim_accesses *found)
{
	const struct pmu_driver *driver = pmu_driver_find(target);
	struct pmu_session session;
	struct shim_accesses before;
	struct pmu_sample sample;
	uint64_t count;
	bool ok;

	if (!driver || !shim_start(target, "") || pmu_begin(driver, false) != PMU_OK)
		return false;
	ok = accesses_open(&session, driver, counters, path == ACCESS_OVERFLOW ? 1000 : 0);
	before = shim_accesses();
	ok = ok && pmu_start(&session) == PMU_OK;
	if (path != ACCESS_START)
		before = shim_accesses();
	if (path == ACCESS_OVERFLOW)
		hal_execute_user(1500);
	if (path == ACCESS_STOP)
		ok = ok && pmu_stop(&session) == PMU_OK;
	if (path == ACCESS_READ)
		ok = ok && pmu_read(&session, 0, &count) == PMU_OK;
	*found = accesses_since(before);
	ok = ok && pmu_take_sample(&sample) == (path == ACCESS_OVERFLOW) &&
		!pmu_take_sample(&sample);
	shim_end();
	return ok;
}

#endif
