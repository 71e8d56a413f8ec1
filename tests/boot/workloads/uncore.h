/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session of the package's PMU, and four CPUs that take part in it: each executes its task, takes
 * its samples, and reports its results.
 */
#ifndef UNCORE_H
#define UNCORE_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cpus.h"
#include "hal.h"
#include "pal.h"
#include "pmu_driver.h"
#include "stimulus.h"

int workload(void);

#define CPUS		4
#define ALL		((1u << CPUS) - 1)
#define PATIENCE	1000000000	/* clocks */

static int wrong;
static const char *part;

static inline void expect(const char *what, unsigned cpu, uint64_t expected, uint64_t found)
{
	if (expected != found) {
		printf("WRONG: %s: %s, CPU %u: %" PRIu64 ", not %" PRIu64 "\n", part, what, cpu,
		       found, expected);
		wrong++;
	}
}

static const struct pmu_driver *core, *uncore;

static inline const struct pmu_driver *find_uncore(void)
{
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++)
		if ((*d)->cores == core)
			return *d;
	return NULL;
}

/*
 * CPUs
 */

/* A CPU's task and its results. */
static struct job {
	uint64_t n;			// instructions to execute
	bool non_maskable, ok;
	struct pmu_session session;	// its own counters' session
	uint64_t samples, own_samples;	// in its ring: of the package's session, of its own
	uint64_t first, last;		// of the package's samples
	bool consecutive;		// samples are a period apart
} jobs[CPUS];

static inline void call(unsigned cpu, void (*function)(void *))
{
	hal_cpu_call(cpu, function, &jobs[cpu]);
}

static inline void wait_for(uint32_t cpus)
{
	expect("all come back", 0, true, hal_cpus_wait(cpus, PATIENCE));
}

static inline void on(unsigned cpu, void (*function)(void *))
{
	if (cpu) {
		call(cpu, function);
		wait_for(1u << cpu);
	} else {
		function(&jobs[0]);
	}
}

/* On one CPU after another. */
static inline void on_each(void (*function)(void *))
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		on(cpu, function);
}

static inline void begin(void *argument)
{
	struct job *job = argument;

	job->ok = pmu_begin(uncore, job->non_maskable) == PMU_OK;
}

static inline void leave(void *argument)
{
	struct job *job = argument;

	job->ok = pmu_begin(core, job->non_maskable) == PMU_OK;
}

static struct pmu_session session;	// the package's session

static inline void take_samples(void *argument)
{
	struct job *job = argument;
	const uint64_t period = session.counter[0].period;
	struct pmu_sample sample;

	job->samples = job->own_samples = job->first = job->last = 0;
	job->consecutive = true;
	while (pmu_take_sample(&sample)) {
		if (!(sample.source.session >> 31)) {	// not the package's
			job->own_samples++;
			continue;
		}
		if (!job->samples++)
			job->first = sample.count;
		else
			job->consecutive &= sample.count - job->last == period;
		job->last = sample.count;
	}
}

static inline void execute(void *argument)
{
	hal_execute(((struct job *)argument)->n);
}

/*
 * The package's session
 */

static struct pmu_statistics before, after;

/* an event that never occurs, inverted */
#define EVERY_CYCLE "UNC_ADDR_OPCODE_MATCH.LOCAL.NONE:c=1:i"

static inline bool open(struct pmu_session *s, const char *events)
{
	struct event_request requests[PMU_SESSION_EVENTS];
	struct pmu_refusal refusal;
	unsigned count = 0;

	while (*events)
		if (event_parse(pmu_current_driver()->events, &events,
				&requests[count++]) != EVENT_OK)
			return false;
	return pmu_open(s, requests, count, &refusal) == PMU_OK;
}

static inline uint64_t count_of(struct pmu_session *s, unsigned event)
{
	uint64_t count = 0;

	expect("a count can be read", hal_cpu(), PMU_OK, pmu_read(s, event, &count));
	return count;
}

/*
 * Raises the storm limit: a CPU's clock stands still while another CPU executes, so that interrupts
 * seem frequent.
 */
static inline void allow_interrupts(void *argument)
{
	(void)argument;
	pmu_limit_interrupts(1000000, 1);
}

static inline void prepare(const char *events)
{
	pmu_select(uncore);
	on_each(allow_interrupts);
	on_each(take_samples);
	pmu_statistics(&before);
	expect("opened", 0, true, open(&session, events));
}

static inline void start(const char *events)
{
	prepare(events);
	expect("started", 0, PMU_OK, pmu_start(&session));
}

#define QUIET	1500	/* cycles, enough to read and stop a session */

/*
 * Stops the session when all participating CPUs have served each overflow and the next one is far
 * away. The other CPUs are halted, so none of them misses an overflow.
 */
static inline void stop_between_overflows(unsigned cpus)
{
	for (unsigned tries = 0; tries < 1000; tries++) {
		bool interrupts = hal_interrupts_disable(), quiet;

		pmu_statistics(&after);
		quiet = after.interrupts - before.interrupts == cpus *
			(after.overflows - before.overflows) &&
			(int64_t)(session.counter[0].due - count_of(&session, 0)) > QUIET;
		if (quiet)
			expect("stopped", 0, PMU_OK, pmu_stop(&session));
		hal_interrupts_restore(interrupts);
		if (quiet)
			return;
		hal_execute(137);
	}
	expect("all overflows are served", 0, true, false);
	pmu_stop(&session);
}

/* The sampling counter's count must equal the other counter's count, and the sum of its samples. */
static inline void check_counts(void)
{
	const struct pmu_counter *c = &session.counter[0];
	uint64_t count = count_of(&session, 0);

	expect("both counters agree", 0, count, count_of(&session, 1));
	expect("samples and the rest", 0, count,
	       c->samples * c->period + c->period - (c->due - count) + c->slipped);
	expect("each overflow is served once", 0, c->samples, after.overflows - before.overflows);
	expect("samples dropped", 0, 0, after.dropped - before.dropped);
	expect("throttled", 0, 0, after.throttles - before.throttles);
	expect("faults", 0, 0, after.faults - before.faults);
	expect("unclaimed", 0, 0, after.unclaimed - before.unclaimed);
}

static inline void check_broadcast(uint32_t cpus)
{
	const uint64_t overflows = session.counter[0].samples;

	pmu_statistics(&after);
	check_counts();
	expect("interrupts", 0, (uint64_t)__builtin_popcount(cpus) * overflows,
	       after.interrupts - before.interrupts);
	expect("spurious", 0, 0, after.spurious - before.spurious);
	on_each(take_samples);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		expect("samples", cpu, cpus >> cpu & 1 ? overflows : 0, jobs[cpu].samples);
		if (jobs[cpu].samples) {
			expect("the first sample's count", cpu, session.counter[0].period,
			       jobs[cpu].first);
			expect("a period between samples", cpu, true, jobs[cpu].consecutive);
		}
	}
}

static inline void finish(void)
{
	printf("%s: %" PRIu64 " overflows, %" PRIu64 " cycles\n", part, session.counter[0].samples,
	       count_of(&session, 0));
	expect("closed", 0, PMU_OK, pmu_close(&session));
}

/* All CPUs execute their function at once. */
static inline void at_once(void (*function[CPUS])(void *))
{
	for (unsigned cpu = 1; cpu < CPUS; cpu++)
		if (function[cpu])
			call(cpu, function[cpu]);
	function[0](&jobs[0]);
	wait_for(ALL & ~1u);
}

static inline void set_lengths(uint64_t n, uint64_t more)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		jobs[cpu].n = n + more * cpu;
}

static inline void run_broadcast(const char *name, const char *events, uint32_t cpus,
				 void (*function[CPUS])(void *))
{
	part = name;
	start(events);
	at_once(function);
	stop_between_overflows((unsigned)__builtin_popcount(cpus));
	check_broadcast(cpus);
}

#endif
