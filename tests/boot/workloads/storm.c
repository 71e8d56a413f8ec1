// SPDX-License-Identifier: BSD-2-Clause
// Periods that are too short for the PMU that all CPUs share. On one CPU and on four, a session
// ends, its counter is throttled, and its count equals that of another counter. Run with
// events=CPU_CLK_UNHALTED.REF at level 0.

#include <inttypes.h>
#include <stdio.h>

#include "cpus.h"
#include "hal.h"
#include "pmu_driver.h"
#include "stimulus.h"

int workload(void);

#define CPUS		4
#define PATIENCE	1000000000	/* clocks */
#define CODE		600000		/* instructions on each CPU */

static const struct pmu_driver *core, *uncore;
static struct pmu_session session;
static int wrong;

static void expect(const char *what, unsigned period, uint64_t expected, uint64_t found)
{
	if (expected != found) {
		printf("WRONG: %s, period %u: %" PRIu64 ", not %" PRIu64 "\n", what, period, found,
		       expected);
		wrong++;
	}
}

static void begin(void *unused)
{
	(void)unused;
	expect("begun", 0, PMU_OK, pmu_begin(uncore, hal_cpu() & 1));
}

static void leave(void *unused)
{
	(void)unused;
	expect("left", 0, PMU_OK, pmu_begin(core, false));
}

static void execute(void *unused)
{
	(void)unused;
	hal_execute(CODE);
}

static void take_samples(void *unused)
{
	struct pmu_sample sample;

	(void)unused;
	while (pmu_take_sample(&sample))
		;
}

static void on_others(unsigned cpus, void (*function)(void *))
{
	for (unsigned cpu = 1; cpu < cpus; cpu++)
		hal_cpu_call(cpu, function, NULL);
}

static void wait(unsigned cpus)
{
	expect("all come back", 0, true, hal_cpus_wait((1u << cpus) - 2, PATIENCE));
}

// The fixed counter samples; the other one counts each cycle as a cycle with less than one
// occurrence of an event that never occurs.
static void open_session(unsigned period)
{
	struct event_request requests[2];
	struct pmu_refusal refusal;
	char text[128];
	const char *at = text;

	snprintf(text, sizeof text,
		 "UNC_CLK_UNHALTED:period=%u,UNC_ADDR_OPCODE_MATCH.LOCAL.NONE:c=1:i", period);
	for (unsigned i = 0; i < 2; i++)
		expect("event", period, EVENT_OK, event_parse(uncore->events, &at, &requests[i]));
	expect("opened", period, PMU_OK, pmu_open(&session, requests, 2, &refusal));
}

static void run(unsigned cpus, unsigned period)
{
	uint64_t count = 0, beside = 0;
	struct pmu_statistics before, after;

	pmu_select(uncore);
	pmu_statistics(&before);
	open_session(period);
	expect("started", period, PMU_OK, pmu_start(&session));
	on_others(cpus, execute);
	execute(NULL);
	wait(cpus);
	expect("stopped", period, PMU_OK, pmu_stop(&session));
	expect("read", period, PMU_OK,
	       pmu_read(&session, 0, &count) | pmu_read(&session, 1, &beside));
	pmu_statistics(&after);
	expect("counted like the other one", period, beside, count);
	expect("all of it", period, true, count > CODE);
	expect("throttled", period, 1, after.throttles - before.throttles);
	expect("says so", period, true, session.counter[0].throttled);
	printf("%u CPUs, period %u: %" PRIu64 " samples, %" PRIu64 " cycles\n", cpus, period,
	       session.counter[0].samples, count);
	expect("closed", period, PMU_OK, pmu_close(&session));
	on_others(cpus, take_samples);
	take_samples(NULL);
	wait(cpus);
}

int workload(void)
{
	static const unsigned periods[] = {2, 3, 41, 100, 200};

	core = pmu_drivers[0];
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++)
		if ((*d)->cores == core)
			uncore = *d;
	hal_cpus_start();
	for (unsigned cpus = 1; cpus <= CPUS; cpus += CPUS - 1) {
		on_others(cpus, begin);
		wait(cpus);
		begin(NULL);
		for (unsigned i = 0; i < sizeof periods / sizeof *periods; i++)
			run(cpus, periods[i]);
		on_others(cpus, leave);
		wait(cpus);
	}
	leave(NULL);
	printf("storm: %d wrong\n", wrong);
	return wrong != 0;
}
