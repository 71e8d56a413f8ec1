// SPDX-License-Identifier: BSD-2-Clause
// What the self tests of all targets share: the steps of a check, one of registers that are not there, and the checks
// of the runtime on top of the PMU.

#include "selftest.h"

#include "hal.h"
#include "pal.h"

//
// Steps
//

static struct selftest_result present;	// check: its problem, if it has one already

void selftest_note(enum selftest_problem problem, uint32_t address)
{
	if (!present.problem) {
		present.problem = problem;
		present.address = address;
	}
}

void selftest_require(bool ok)
{
	if (!ok)
		selftest_note(SELFTEST_STEP, 0);
}

void selftest_skip(const char *reason)
{
	present.problem = SELFTEST_SKIP;
	present.reason = reason;
}

uint64_t selftest_read_counter(uint32_t index)
{
	uint64_t value = 0;

	if (!reg_read_counter(index, &value))
		selftest_note(SELFTEST_READ_COUNTER, index);
	return value;
}

void selftest_execute_between(uint32_t address, uint64_t first, uint64_t second, uint64_t n)
{
	if (!hal_execute_between(address, first, second, n))
		selftest_note(SELFTEST_WRITE, address);
}

struct selftest_result selftest_compare(uint64_t expected, uint64_t found)
{
	struct selftest_result result = present;

	present = (struct selftest_result){0};
	result.expected = expected;
	result.found = found;
	return result;
}

void selftest_light_halt(uint32_t ticks)
{
	bool interrupts = hal_interrupts_disable();

	hal_alarm(ticks);
	selftest_require(pal_call(PAL_HALT_LIGHT, 0, 0, 0).status == PAL_SUCCESS);
	hal_interrupts_restore(interrupts);
}

//
// Registers
//

struct selftest_result selftest_absent(const uint32_t *addresses, unsigned count)
{
	uint64_t faulting = 0, value;

	for (unsigned i = 0; i < count; i++)
		faulting |= (uint64_t)(!reg_read(addresses[i], &value) && !reg_write(addresses[i], 0)) << i;
	return selftest_compare(FIELD_MASK(0, count), faulting);
}

//
// Sessions
//

static struct pmu_session session;

void selftest_start(const char *events)
{
	struct event_request requests[PMU_SESSION_EVENTS];
	struct pmu_refusal refusal;
	unsigned count = 0;

	session.driver = NULL;
	while (*events && count < PMU_SESSION_EVENTS)
		if (event_parse(pmu_current_driver()->events, &events, &requests[count++])) {
			selftest_require(false);
			return;
		}
	selftest_require(pmu_open(&session, requests, count, &refusal) == PMU_OK && pmu_start(&session) == PMU_OK);
}

void selftest_stop(void)
{
	selftest_require(pmu_stop(&session) == PMU_OK);
}

uint64_t selftest_count(unsigned event)
{
	uint64_t count = 0;

	selftest_require(pmu_read(&session, event, &count) == PMU_OK);
	return count;
}

static const struct selftest_sessions *sessions(void)
{
	return &selftest_find(pmu_current_driver()->name)->sessions;
}

// At a level at which the suite's sessions count.
static void execute(uint64_t n)
{
	if (sessions()->at_user)
		hal_execute_user(n);
	else
		hal_execute(n);
}

static struct pmu_statistics statistics(void)
{
	struct pmu_statistics s;

	pmu_statistics(&s);
	return s;
}

// Counters that overflow at once, again and again, against one that only counts.
static void run_overflowing(void)
{
	selftest_start(sessions()->overflowing);
	execute(5000);
	selftest_stop();
}

struct selftest_result selftest_session_exact(unsigned event)
{
	run_overflowing();
	return selftest_compare(selftest_count(0), selftest_count(event));
}

struct selftest_result selftest_session_samples(unsigned event)
{
	run_overflowing();
	return selftest_compare(selftest_count(0) / 1000, session.counter[event].samples);
}

// Samples of what only level 3 counts are taken at level 3, one each period.
struct selftest_result selftest_session_user(unsigned unused)
{
	struct pmu_sample sample;
	uint64_t at_user = 0;

	(void)unused;
	selftest_start(sessions()->user);
	hal_execute_user(10500);
	selftest_stop();
	while (pmu_take_sample(&sample))
		at_user += sample.source.level == 3;
	return selftest_compare(selftest_count(0) / 1000, at_user);
}

struct selftest_result selftest_session_spurious(unsigned unused)
{
	(void)unused;
	run_overflowing();
	return selftest_compare(0, statistics().spurious);
}

// An interrupt in each 50 instructions, until the limit is passed.
static void run_storm(void)
{
	pmu_limit_interrupts(SELFTEST_STORM_LIMIT, UINT64_MAX >> 1);
	selftest_start(sessions()->storm);
	execute(5000);
	selftest_stop();
}

struct selftest_result selftest_storm_bounded(unsigned unused)
{
	(void)unused;
	run_storm();
	return selftest_compare(SELFTEST_STORM_LIMIT + 1, statistics().interrupts);
}

struct selftest_result selftest_storm_reported(unsigned unused)
{
	(void)unused;
	run_storm();
	return selftest_compare(1, statistics().throttles);
}

struct selftest_result selftest_storm_exact(unsigned unused)
{
	(void)unused;
	run_storm();
	return selftest_compare(selftest_count(0), selftest_count(1));
}
