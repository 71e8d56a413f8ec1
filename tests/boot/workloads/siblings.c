// SPDX-License-Identifier: BSD-2-Clause
// Two threads of a core use registers that they share, on two cores of two threads: CPUs 0 and 1
// are a core, 2 and 3 another. Run with events=CPU_CLK_UNHALTED.REF. SDM volume 4, MSRs of
// processors based on Nehalem, and the performance analysis guide for Core i7 and Xeon 5500, Table
// 9, say that the threads share OFFCORE_RSP_0 (1A6H) and LBR_SELECT (1C8H).

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cpus.h"
#include "hal.h"
#include "pmu_driver.h"

int workload(void);

#define OFFCORE_RSP_0	0x1A6
#define LBR_SELECT	0x1C8
#define DEBUGCTL	0x1D9
#define PATIENCE	100000000	/* clocks */

#define ONE		"OFFCORE_RESPONSE_0:msr=0x4001"
#define OTHER		"OFFCORE_RESPONSE_0:msr=0x4002"
/* Table 7: direct calls only */
#define CALLS		"BR_INST_RETIRED.NEAR_CALL:lbr=0x1f4:period=7"
/* conditional branches only */
#define JUMPS		"BR_INST_RETIRED.NEAR_CALL:lbr=0x1f8:period=7"

static int wrong;

static void expect(const char *what, uint64_t expected, uint64_t found)
{
	if (expected != found) {
		printf("WRONG: %s: %#" PRIx64 ", not %#" PRIx64 "\n", what, found, expected);
		wrong++;
	}
}

static void expect_words(const char *expected, const char *found)
{
	if (strcmp(expected, found)) {
		printf("WRONG: \"%s\", not \"%s\"\n", found, expected);
		wrong++;
	}
}

// A CPU's task and its results.
static struct job {
	const char *events;
	struct pmu_session session;
	struct pmu_refusal refusal;
	enum pmu_error error;
	char why[300];
	uint64_t offcore, select;
} jobs[HAL_CPUS];

static void begin(void *job)
{
	((struct job *)job)->error = pmu_begin(pmu_drivers[0], false);
}

static void open(void *argument)
{
	struct job *job = argument;
	struct event_request request;
	const char *text = job->events;

	job->error = PMU_UNFIT;
	if (event_parse(pmu_current_driver()->events, &text, &request) == EVENT_OK)
		job->error = pmu_open(&job->session, &request, 1, &job->refusal);
	if (job->error)
		pmu_explain(pmu_current_driver(), job->error, &job->refusal, &request, job->why,
			    sizeof job->why);
}

static void close(void *job)
{
	((struct job *)job)->error = pmu_close(&((struct job *)job)->session);
}

static void look(void *argument)
{
	struct job *job = argument;

	job->error = reg_read(OFFCORE_RSP_0, &job->offcore) && reg_read(LBR_SELECT, &job->select) ?
		PMU_OK : PMU_FAULT;
}

// Calls the function on a CPU, and returns its error.
static enum pmu_error on(unsigned cpu, void (*function)(void *), const char *events)
{
	jobs[cpu].events = events;
	if (!cpu) {
		function(&jobs[0]);
		return jobs[0].error;
	}
	hal_cpu_call(cpu, function, &jobs[cpu]);
	if (!hal_cpus_wait(1u << cpu, PATIENCE)) {
		printf("WRONG: CPU %u does not come back\n", cpu);
		wrong++;
	}
	return jobs[cpu].error;
}

static void expect_register(const char *what, unsigned cpu, uint64_t offcore, uint64_t select)
{
	expect("registers can be read", PMU_OK, on(cpu, look, NULL));
	expect(what, offcore, jobs[cpu].offcore);
	expect(what, select, jobs[cpu].select);
}

static void siblings_agree_or_are_refused(void)
{
	expect("a session opens", PMU_OK, on(0, open, ONE));
	expect("its sibling begins", PMU_OK, on(1, begin, NULL));
	expect_register("a used register survives a sibling's begin", 0, 0x4001, 0);
	expect("another value is refused", PMU_SETTINGS, on(1, open, OTHER));
	expect_words("OFFCORE_RESPONSE_0 needs register 0x1a6 set otherwise than CPU 0, which "
		     "shares OFFCORE_RSP_0 "
		     "as a thread of the same core", jobs[1].why);
	printf("%s\n", jobs[1].why);
	expect("not on another core", PMU_OK, on(2, open, OTHER));
	expect_register("which has its own", 3, 0x4002, 0);
	expect("the same value is not refused", PMU_OK, on(1, open, ONE));
	expect("the first closes", PMU_OK, on(0, close, NULL));
	expect_register("it is still used", 1, 0x4001, 0);
	expect("and still refused", PMU_SETTINGS, on(0, open, OTHER));
	expect("the second closes", PMU_OK, on(1, close, NULL));
	expect_register("no CPU uses it", 0, 0, 0);
	expect_register("but the other core", 2, 0x4002, 0);
	expect("which closes", PMU_OK, on(2, close, NULL));
}

// After INIT, a CPU's next begin releases its registers; those that its sibling uses survive both.
static void an_owner_that_is_reset_is_gone(void)
{
	expect("a session opens", PMU_OK, on(1, open, OTHER));
	expect("an INIT", true, hal_cpu_init(1));
	expect("begins anew", PMU_OK, on(1, begin, NULL));
	expect_register("no CPU uses it", 0, 0, 0);
	expect("a session opens", PMU_OK, on(0, open, ONE));
	expect("an INIT", true, hal_cpu_init(1));
	expect_register("which leaves it alone", 0, 0x4001, 0);
	expect("begins anew", PMU_OK, on(1, begin, NULL));
	expect_register("a used register is unchanged", 1, 0x4001, 0);
	expect("closes", PMU_OK, on(0, close, NULL));
	expect_register("no CPU uses it", 1, 0, 0);
}

//
// Recorded branches are direct calls only, whatever the sibling tries
//

#define CALLS_MADE	700

__attribute__((noipa)) static void call(void)
{
	__asm__ volatile("");
}

static void interfere(void *job)
{
	for (unsigned i = 0; i < 20; i++) {
		begin(job);
		open(job);
		if (((struct job *)job)->error != PMU_SETTINGS)
			return;
	}
}

#define NEAR_RELATIVE_CALL 0xE8	/* SDM volume 2A, CALL */

// Takes all samples, and checks that their branches are calls. Returns the number of samples. A
// payload's first word describes the rest (pmu/nehalem/README.md): source and target of each
// branch.
static unsigned take_samples(void)
{
	uint64_t words[PMU_PAYLOAD_WORDS];
	struct pmu_sample sample;
	unsigned count = 0;

	for (; pmu_take_sample_with_payload(&sample, words); count++)
		for (unsigned i = 1; i < sample.source.words; i += 2)
			expect("a branch that is a call", NEAR_RELATIVE_CALL,
			       *(const uint8_t *)(uintptr_t)words[i]);
	return count;
}

static void a_filter_stays(void)
{
	unsigned samples;

	jobs[0].events = CALLS;
	expect("a session opens", PMU_OK, on(0, open, CALLS));
	jobs[1].events = JUMPS;
	hal_cpu_call(1, interfere, &jobs[1]);
	expect("it starts", PMU_OK, pmu_start(&jobs[0].session));
	for (unsigned i = 0; i < CALLS_MADE; i++)
		call();
	expect("it stops", PMU_OK, pmu_stop(&jobs[0].session));
	hal_cpus_wait(1u << 1, PATIENCE);
	expect("the sibling is refused each time", PMU_SETTINGS, jobs[1].error);
	expect_register("the filter", 1, 0, 0x1F4);
	samples = take_samples();
	expect("a sample each 7 calls", true, samples >= CALLS_MADE / 7);
	expect("closes", PMU_OK, on(0, close, NULL));
	expect_register("no CPU uses it", 1, 0, 0);
	printf("%u samples of calls\n", samples);
}

int workload(void)
{
	expect("CPUs", 4, hal_cpus_start());
	if (wrong)
		return 1;
	for (unsigned cpu = 1; cpu < 4; cpu++)
		expect("begins", PMU_OK, on(cpu, begin, NULL));
	siblings_agree_or_are_refused();
	an_owner_that_is_reset_is_gone();
	a_filter_stays();
	printf("siblings: %d wrong\n", wrong);
	return wrong != 0;
}
