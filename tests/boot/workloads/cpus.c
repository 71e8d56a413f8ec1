// SPDX-License-Identifier: BSD-2-Clause
// Four CPUs at once, two cores of two threads: the counts and samples of each are its own, to the
// instruction, whatever the others do. Run with events=CPU_CLK_UNHALTED.REF: the workload uses all
// other counters of the first CPU.

#include <inttypes.h>
#include <stdio.h>

#include "cpus.h"
#include "hal.h"
#include "pal.h"
#include "pmu_driver.h"
#include "stimulus.h"

int workload(void);

#define CPUS		4
#define ALL		((1u << CPUS) - 1)
#define PATIENCE	100000000	/* clocks */

static int wrong;

static void expect(const char *what, unsigned cpu, uint64_t expected, uint64_t found)
{
	if (expected != found) {
		printf("WRONG: %s, CPU %u: %" PRIu64 ", not %" PRIu64 "\n", what, cpu, found,
		       expected);
		wrong++;
	}
}

// A CPU's task and its results.
static struct job {
	struct pmu_session session;
	const char *events;
	uint64_t n[2], count[2][2];		// instructions to execute; each event's counts
	uint64_t samples;
	struct pmu_statistics statistics;
	bool non_maskable, ok;
} jobs[CPUS];

// Calls the function on all CPUs, this one included.
static void everywhere(void (*function)(void *))
{
	for (unsigned cpu = 1; cpu < CPUS; cpu++)
		hal_cpu_call(cpu, function, &jobs[cpu]);
	function(&jobs[0]);
	if (!hal_cpus_wait(ALL, PATIENCE)) {
		printf("WRONG: a CPU does not come back\n");
		wrong++;
	}
}

// Calls the function on one CPU.
static void on(unsigned cpu, void (*function)(void *))
{
	hal_cpu_call(cpu, function, &jobs[cpu]);
	if (!hal_cpus_wait(1u << cpu, PATIENCE)) {
		printf("WRONG: CPU %u does not come back\n", cpu);
		wrong++;
	}
}

static bool open(struct job *job, const char *events)
{
	struct event_request requests[PMU_SESSION_EVENTS];
	struct pmu_refusal refusal;
	unsigned count = 0;

	while (*events)
		if (event_parse(pmu_current_driver()->events, &events,
				&requests[count++]) != EVENT_OK)
			return false;
	return pmu_open(&job->session, requests, count, &refusal) == PMU_OK;
}

static void begin(void *argument)
{
	struct job *job = argument;

	job->ok = pmu_begin(pmu_drivers[0], job->non_maskable) == PMU_OK;
}

// Counts known code, a short and a long piece.
static void count(void *argument)
{
	struct job *job = argument;

	for (unsigned i = 0; i < 2; i++) {
		job->ok &= open(job, job->events) && pmu_start(&job->session) == PMU_OK;
		hal_execute(job->n[i]);
		hal_execute_user(job->n[i]);
		job->ok &= pmu_stop(&job->session) == PMU_OK;
		job->ok &= pmu_read(&job->session, 0, &job->count[i][0]) == PMU_OK;
		job->ok &= pmu_read(&job->session, 1, &job->count[i][1]) == PMU_OK;
		job->ok &= pmu_close(&job->session) == PMU_OK;
	}
}

#define TIMES_OF_ALL_LEVELS	2	/* the code executes at level 0 and at level 3 */

static void check_count(const char *what, unsigned times)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		struct job *job = &jobs[cpu];

		expect("done without an error", cpu, true, job->ok);
		expect(what, cpu, times * (job->n[1] - job->n[0]),
		       job->count[1][0] - job->count[0][0]);
		expect("both counters agree", cpu, job->count[0][0], job->count[0][1]);
		printf("CPU %u: %" PRIu64 ", %" PRIu64 "\n", cpu, job->count[0][0],
		       job->count[1][0]);
	}
}

static void set_up(const char *events)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		jobs[cpu].events = events;
		jobs[cpu].n[0] = 1000 + cpu;
		jobs[cpu].n[1] = 200000 + 33331 * cpu;
	}
}

#define PERIOD 1000

static void sample(void *argument)
{
	struct job *job = argument;
	struct pmu_sample taken;

	job->ok &= open(job, "INST_RETIRED.ANY,INST_RETIRED.ANY_P:period=1000") &&
		pmu_start(&job->session) == PMU_OK;
	hal_execute(job->n[1]);
	job->ok &= pmu_stop(&job->session) == PMU_OK;
	job->ok &= pmu_read(&job->session, 0, &job->count[0][0]) == PMU_OK;
	job->ok &= pmu_read(&job->session, 1, &job->count[0][1]) == PMU_OK;
	for (job->samples = 0; pmu_take_sample(&taken); job->samples++)
		;
	pmu_statistics(&job->statistics);
	job->ok &= pmu_close(&job->session) == PMU_OK;
}

static void check_samples(void)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		struct job *job = &jobs[cpu];

		expect("sampled without an error", cpu, true, job->ok);
		expect("a counter that samples agrees", cpu, job->count[0][0], job->count[0][1]);
		expect("samples", cpu, job->count[0][0] / PERIOD,
		       job->samples + job->statistics.dropped);
		expect("spurious interrupts", cpu, 0, job->statistics.spurious);
		expect("throttled", cpu, 0, job->statistics.throttles);
		expect("faults", cpu, 0, job->statistics.faults);
		expect("skid", cpu, 0, job->statistics.skid_most);
		printf("CPU %u: %" PRIu64 " samples of %" PRIu64 "\n", cpu, job->samples,
		       job->count[0][0]);
	}
}

// The same while branches are recorded on some of the CPUs.
#define DEBUGCTL	0x1D9
#define DEBUGCTL_LBR	1

static void sample_recording(void *argument)
{
	struct job *job = argument;
	uint64_t control = 0;

	job->ok &= reg_read(DEBUGCTL, &control) && reg_write(DEBUGCTL, control | DEBUGCTL_LBR);
	sample(argument);
	job->ok &= reg_write(DEBUGCTL, control);
}

static void sample_or_record(void *argument)
{
	(argument == &jobs[1] || argument == &jobs[2] ? sample_recording : sample)(argument);
}

// A session that counts both threads, and the own one, left running.
#define UNTIL_OTHERS_HALT	50000	/* by then the calling CPU is waiting */
#define BOTH			"INST_RETIRED.ANY_P:t,INST_RETIRED.ANY_P"
#define BOTH_SAMPLED		"INST_RETIRED.ANY_P:t:period=777,INST_RETIRED.ANY_P"

static void start_both(void *argument)
{
	struct job *job = argument;

	hal_execute(UNTIL_OTHERS_HALT);
	job->ok &= open(job, job->events) && pmu_start(&job->session) == PMU_OK;
}

static void stop_both(void *argument)
{
	struct job *job = argument;
	struct pmu_sample taken;
	uint64_t both, own;

	job->ok &= pmu_stop(&job->session) == PMU_OK;
	job->ok &= pmu_read(&job->session, 0, &both) == PMU_OK &&
		pmu_read(&job->session, 1, &own) == PMU_OK;
	for (job->samples = 0; pmu_take_sample(&taken); job->samples++)
		;
	job->ok &= job->samples == (job->session.counter[0].period ? both / 777 : 0);
	job->ok &= pmu_close(&job->session) == PMU_OK;
	job->count[0][0] = both - own;
}

static void execute(void *argument)
{
	hal_execute(UNTIL_OTHERS_HALT + ((struct job *)argument)->n[0]);
}

// CPU 2 stops the session, some time after all others have halted.
static void stop_later(void *unused)
{
	(void)unused;
	hal_execute(UNTIL_OTHERS_HALT);
	on(1, stop_both);
}

// CPU 1's count of the other thread of its core, while `cpu` executes n instructions. There is one
// copy of the code, so that only n differs.
__attribute__((noipa)) static uint64_t counted_of_others(unsigned cpu, uint64_t n)
{
	jobs[cpu].n[0] = n;
	on(1, start_both);
	if (cpu == 0)
		hal_execute(n);
	else
		on(cpu, execute);
	on(2, stop_later);
	return jobs[1].count[0][0];
}

static void halt(void *argument)
{
	struct job *job = argument;

	for (unsigned i = 0; i < 2; i++) {
		bool interrupts;

		job->ok &= open(job, "INST_RETIRED.ANY_P,CPU_CLK_UNHALTED.THREAD");
		job->ok &= pmu_start(&job->session) == PMU_OK;
		interrupts = hal_interrupts_disable();
		hal_alarm((uint32_t)job->n[i]);
		job->ok &= pal_call(PAL_HALT_LIGHT, 0, 0, 0).status == PAL_SUCCESS;
		hal_interrupts_restore(interrupts);
		job->ok &= pmu_stop(&job->session) == PMU_OK;
		job->ok &= pmu_read(&job->session, 0, &job->count[i][0]) == PMU_OK;
		job->ok &= pmu_read(&job->session, 1, &job->count[i][1]) == PMU_OK;
		job->ok &= pmu_close(&job->session) == PMU_OK;
	}
}

static void halt_or_count(void *argument)
{
	(argument == &jobs[1] ? halt : count)(argument);
}

static void start_and_look(void)
{
	unsigned cpus = hal_cpus_start();

	expect("CPUs", 0, CPUS, cpus);
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		unsigned core, thread;

		hal_topology(cpu, &core, &thread);
		expect("core", cpu, cpu / 2, core);
		expect("thread", cpu, cpu % 2, thread);
	}
	expect("CPUs, asked again", 0, cpus, hal_cpus_start());
}

int workload(void)
{
	start_and_look();
	if (wrong)
		return 1;
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		jobs[cpu].non_maskable = cpu & 1;
	jobs[0].ok = true;
	for (unsigned cpu = 1; cpu < CPUS; cpu++)
		on(cpu, begin);

	for (unsigned turn = 0; turn < 10; turn++) {
		set_up("INST_RETIRED.ANY_P,INST_RETIRED.ANY");
		everywhere(count);
		check_count("known code on four CPUs", TIMES_OF_ALL_LEVELS);
		set_up("INST_RETIRED.ANY_P:u,INST_RETIRED.ANY:u");
		everywhere(count);
		check_count("known code at level 3 on four CPUs", 1);
	}
	for (unsigned turn = 0; turn < 3; turn++) {
		set_up(NULL);
		everywhere(sample);
		check_samples();
	}
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		jobs[cpu].n[1] = 20000 + cpu;
	everywhere(sample_or_record);
	check_samples();

	for (uint64_t n = 2000; n < 200000; n *= 3) {
		uint64_t base, more;

		set_up(BOTH_SAMPLED);
		base = counted_of_others(0, 1000);
		more = counted_of_others(0, 1000 + n);
		// While its handler runs, the counter is frozen, but the other thread executes.
		if (more - base > n || more - base < n - n / 256)
			expect("the other thread is counted by a counter that samples", 1, n,
			       more - base);
		set_up(BOTH);
		base = counted_of_others(0, 1000);
		more = counted_of_others(0, 1000 + n);
		expect("the other thread is counted", 1, n, more - base);
		for (unsigned cpu = 2; cpu < CPUS; cpu++) {
			base = counted_of_others(cpu, 1000);
			more = counted_of_others(cpu, 1000 + n);
			expect("the other core is not", 1, base, more);
		}
	}

	set_up("INST_RETIRED.ANY_P,INST_RETIRED.ANY");
	jobs[1].n[0] = 20000;
	jobs[1].n[1] = 900000;
	everywhere(halt_or_count);
	expect("a longer halt counts no more instructions", 1, jobs[1].count[0][0],
	       jobs[1].count[1][0]);
	expect("nor cycles", 1, jobs[1].count[0][1], jobs[1].count[1][1]);
	jobs[1].n[0] = jobs[1].n[1] = 0;
	jobs[1].count[0][0] = jobs[1].count[0][1] = jobs[1].count[1][0];
	check_count("known code while another CPU halts", TIMES_OF_ALL_LEVELS);

	printf("cpus: %d wrong\n", wrong);
	return wrong != 0;
}
