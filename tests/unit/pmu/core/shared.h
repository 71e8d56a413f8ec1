/* SPDX-License-Identifier: BSD-2-Clause */
/* The shim's machine with four CPUs that share a PMU; a copy of its driver in which tests replace
 * operations. */
#ifndef SHARED_H
#define SHARED_H

#include "unit.h"

#include "hal.h"
#include "pmu.h"
#include "package.h"
#include "path.h"
#include "shim.h"
#include "stimulus.h"

#define CPUS	4
#define CLOCK	0x3FF
#define PERIOD	1000
#define BOTH	"UNC_ADDR_OPCODE_MATCH.LOCAL.NONE:c=1:i,UNC_CLK_UNHALTED:period=1000"

static const struct pmu_driver *uncore;
static const struct occurrence ticks = {.code = CLOCK, .n = 1, .ip = 0x1000};
static struct pmu_session session;

// Returns the address at which a CPU is interrupted.
static inline uint64_t ip_of(unsigned cpu)
{
	return cpu ? 4 * (100 * cpu + 3) : ticks.ip;
}

static inline int start_with(const char *fault)
{
	uncore = pmu_driver_find("nehalem-uncore");
	if (!shim_start("nehalem-uncore", fault))
		return -1;
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		shim_cpu(cpu);
		if (pmu_begin(uncore, false) != PMU_OK)
			return -1;
		if (cpu)
			hal_execute(100 * cpu);
	}
	shim_cpu(0);
	return 0;
}

static inline int start(void **state)
{
	(void)state;
	return start_with("");
}

static inline int end(void **state)
{
	(void)state;
	shim_end();
	return 0;
}

static inline void open_text(struct pmu_session *s, const char *text)
{
	struct event_request requests[4];
	struct pmu_refusal refusal;
	unsigned count = 0;

	while (*text)
		assert_int_equal(event_parse(uncore->events, &text, &requests[count++]), EVENT_OK);
	assert_int_equal(pmu_open(s, requests, count, &refusal), PMU_OK);
}

static inline void start_text(struct pmu_session *s, const char *text)
{
	open_text(s, text);
	assert_int_equal(pmu_start(s), PMU_OK);
}

// Starts a session of this CPU's own PMU that counts instructions.
static inline void start_own(struct pmu_session *own)
{
	struct event_request request;
	struct pmu_refusal refusal;
	const char *text = "INST_RETIRED.ANY_P";

	pmu_select(uncore->cores);
	assert_int_equal(event_parse(uncore->cores->events, &text, &request), EVENT_OK);
	assert_int_equal(pmu_open(own, &request, 1, &refusal), PMU_OK);
	assert_int_equal(pmu_start(own), PMU_OK);
}

// Advances by cycles. CPU 0 has interrupts disabled.
static inline void pass(uint64_t cycles)
{
	shim_cpu(0);
	hal_interrupts_disable();
	for (uint64_t left = cycles; left;)
		left -= shim_deliver(&ticks, 1, left);
}

// Makes a CPU take its pending interrupts.
static inline void take(unsigned cpu)
{
	shim_cpu(cpu);
	hal_interrupts_restore(true);
}

static inline uint64_t count_of(struct pmu_session *s, unsigned event)
{
	uint64_t count = 0;

	assert_int_equal(pmu_read(s, event, &count), PMU_OK);
	return count;
}

static inline struct pmu_statistics statistics(void)
{
	return pmu_package()->statistics;
}

static inline unsigned take_samples(unsigned cpu, struct pmu_sample *last)
{
	unsigned count = 0;

	shim_cpu(cpu);
	while (pmu_take_sample(last))
		count++;
	return count;
}

static inline void assert_exact(uint64_t cycles)
{
	assert_int_equal(count_of(&session, 0), cycles);
	assert_int_equal(count_of(&session, 1), cycles);
}

// The driver with replaced operations.
static struct pmu_driver slow;

static inline enum pmu_error slow_start(struct pmu_session *s)
{
	return pmu_shared_start(&slow, s);
}

static inline enum pmu_error slow_stop(struct pmu_session *s)
{
	return pmu_shared_stop(&slow, s);
}

static inline void begin_slow(void)
{
	slow.start = slow_start;
	slow.stop = slow_stop;
	assert_true(shim_start("nehalem-uncore", ""));
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		shim_cpu(cpu);
		assert_int_equal(pmu_begin(&slow, false), PMU_OK);
	}
	start_text(&session, BOTH);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

#endif
