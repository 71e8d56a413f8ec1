// SPDX-License-Identifier: BSD-2-Clause
// Sessions of checks that examine the runtime.

#include "suite.h"

void selftest_start(const char *events)
{
	struct pmu_session *session = &selftest_now()->session;
	struct event_request requests[PMU_SESSION_EVENTS];
	struct pmu_refusal refusal;
	unsigned count = 0;

	if (session->driver || selftest_now()->attached)
		selftest_require_equal(pmu_begin(pmu_current_driver(), false) == PMU_OK, true);
	session->driver = NULL;
	selftest_now()->attached = false;
	while (*events && count < PMU_SESSION_EVENTS)
		if (event_parse(pmu_current_driver()->events, &events, &requests[count++])) {
			selftest_require_equal(false, true);
			return;
		}
	selftest_require_equal(pmu_open(session, requests, count, &refusal) == PMU_OK &&
			       pmu_start(session) == PMU_OK, true);
}

void selftest_start_listed(enum selftest_session session)
{
	selftest_start(selftest_now()->suite->sessions[session]);
}

void selftest_stop(void)
{
	selftest_require_equal(pmu_stop(&selftest_now()->session) == PMU_OK, true);
}

uint64_t selftest_count(unsigned event)
{
	uint64_t count = 0;

	selftest_require_equal(pmu_read(&selftest_now()->session, event, &count) == PMU_OK, true);
	return count;
}

uint64_t selftest_sampled(unsigned event)
{
	return selftest_now()->session.counter[event].samples;
}

uint64_t selftest_samples(unsigned level)
{
	struct pmu_sample sample;
	uint64_t samples = 0;

	while (pmu_take_sample(&sample))
		samples += sample.source.level == level;
	return samples;
}

struct pmu_statistics selftest_statistics(void)
{
	struct pmu_statistics statistics;

	pmu_statistics(&statistics);
	return statistics;
}
