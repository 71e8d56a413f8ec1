/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions from text, for the driver that has begun, on the shim's machine. */
#ifndef SESSIONS_H
#define SESSIONS_H

#include "unit.h"

#include "hal.h"
#include "pmu_driver.h"
#include "shim.h"
#include "stimulus.h"

#define REQUESTS_MAX 32

/* Parses "EVENT:...,EVENT:..." into requests. Returns their number. */
static inline unsigned read_requests(const char *text, struct event_request requests[REQUESTS_MAX])
{
	unsigned count = 0;

	while (*text) {
		assert_true(count < REQUESTS_MAX);
		assert_int_equal(event_parse(pmu_current_driver()->events, &text,
					     &requests[count++]), EVENT_OK);
	}
	return count;
}

/* Parses one event, of a driver that need not have begun. */
static inline struct event_request request_of(const struct pmu_driver *driver, const char *text)
{
	const char *rest = text;
	struct event_request r = {0};

	if (event_parse(driver->events, &rest, &r) != EVENT_OK || *rest)
		fail_msg("'%s' is no event", text);
	return r;
}

static inline enum pmu_error open_text(struct pmu_session *session, const char *text,
				       struct pmu_refusal *refusal)
{
	struct event_request requests[REQUESTS_MAX];
	unsigned count = read_requests(text, requests);

	return pmu_open(session, requests, count, refusal);
}

static inline enum pmu_error try_session(struct pmu_session *session, const char *text)
{
	struct pmu_refusal refusal;

	return open_text(session, text, &refusal);
}

static inline void open_session(struct pmu_session *session, const char *text)
{
	assert_int_equal(try_session(session, text), PMU_OK);
}

static inline void open_and_start(struct pmu_session *session, const char *text)
{
	open_session(session, text);
	assert_int_equal(pmu_start(session), PMU_OK);
}

static inline uint64_t count_of(struct pmu_session *session, unsigned event)
{
	uint64_t count = 0;

	assert_int_equal(pmu_read(session, event, &count), PMU_OK);
	return count;
}

static inline struct pmu_statistics statistics(void)
{
	struct pmu_statistics s;

	pmu_statistics(&s);
	return s;
}

/* Switches storm detection off. */
static inline void allow_all_interrupts(void)
{
	pmu_limit_interrupts(UINT32_MAX - 1, 0);
}

/* Executes about n instructions. Returns the exact number. */
static inline uint64_t execute(uint64_t n)
{
	uint64_t before = hal_clock();

	hal_execute(n);
	return hal_clock() - before;
}

#endif
