// SPDX-License-Identifier: BSD-2-Clause
// The CPUs of a machine as host threads that share only the core's data: for the thread sanitizer,
// and for counts, which must equal the raised events. Each CPU begins, opens, starts, is
// interrupted, reads, stops, closes and leaves in its own order; for the shared PMU, while the
// others are in the middle of something.
//
// usage: core TARGET TURNS

#include "cpus.h"
#include "hal.h"
#include "pmu_driver.h"
#include "shim.h"
#include "stimulus.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS		HAL_CPUS
#define USER_CONSTANT	3	/* further instructions of hal_execute_user: at level 3, in total
				 * (hal/shim) */
#define CONSTANT	6
#define PIECES		40
#define REQUESTS_MOST	4
#define BUFFER_BYTES	4096

static const struct pmu_driver *cores, *shared;	// `shared`: NULL if the cores share no PMU
static unsigned turns, cpus;

static struct cpu {
	unsigned number;
	uint64_t random;
	bool takes_part;
	struct pmu_session own, package;
	uint64_t executed, user, overflows, package_overflows, refused, samples;
} all[CPUS];

static _Alignas(4096) uint8_t buffer[CPUS][BUFFER_BYTES];

__attribute__((format(printf, 2, 3))) static void expect(bool true_one, const char *format, ...)
{
	va_list arguments;

	if (true_one)
		return;
	va_start(arguments, format);
	printf("CPU %u: ", hal_cpu());
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
	abort();
}

// xorshift64*: returns 0 to most - 1
static uint64_t any(struct cpu *cpu, uint64_t most)
{
	cpu->random ^= cpu->random >> 12;
	cpu->random ^= cpu->random << 25;
	cpu->random ^= cpu->random >> 27;
	return (cpu->random * 0x2545F4914F6CDD1D >> 16) % most;
}

static void execute(struct cpu *cpu, uint64_t n)
{
	hal_execute_user(n);
	cpu->user += n + USER_CONSTANT;
	cpu->executed += n + CONSTANT;
}

static enum pmu_error open_text(struct pmu_session *session, const struct pmu_driver *driver,
				const char *text, struct pmu_refusal *refusal)
{
	struct event_request requests[REQUESTS_MOST];
	unsigned count = 0;

	while (*text)
		expect(event_parse(driver->events, &text, &requests[count++]) == EVENT_OK,
		       "'%s' is no event", text);
	pmu_select(driver);
	return pmu_open(session, requests, count, refusal);
}

static uint64_t count_of(struct pmu_session *session, unsigned event)
{
	uint64_t count;

	expect(pmu_read(session, event, &count) == PMU_OK, "an event cannot be read");
	return count;
}

static void begin(struct cpu *cpu, const struct pmu_driver *driver)
{
	cpu->takes_part = driver == shared;
	expect(pmu_begin(driver, any(cpu, 2)) == PMU_OK, "%s does not begin", driver->name);
	if (cores->precise)
		expect(!pmu_give_buffer((uintptr_t)buffer[cpu->number], BUFFER_BYTES),
		       "no buffer for records");
	pmu_limit_interrupts(UINT32_MAX - 1, 0);
	pmu_select(cores);
	pmu_limit_interrupts(UINT32_MAX - 1, 0);
}

static void take_samples(struct cpu *cpu)
{
	struct pmu_sample sample;

	while (pmu_take_sample(&sample))
		cpu->samples++;
}

//
// A CPU's own session
//

static void move(struct cpu *cpu)
{
	struct pmu_context context;
	enum pmu_error error;

	pmu_select(cores);
	expect(pmu_context_save(&context, 0, 0) == PMU_OK, "a context is not put aside");
	execute(cpu, any(cpu, 100));
	while ((error = pmu_context_restore(&context)) == PMU_SETTINGS) {
		cpu->refused++;
		execute(cpu, any(cpu, 100));
		hal_relax();
	}
	expect(error == PMU_OK, "a context does not come back: %d", error);
}

// Requests that need settings in registers, of a thread or shared by the threads of a core.
static const char *const beside[] = {
	"", ",OFFCORE_RESPONSE_0:msr=0x4001", ",OFFCORE_RESPONSE_0:msr=0x4002",
	",INST_RETIRED.ANY_P:p:period=1000",
	",INST_RETIRED.ANY_P:lbr=1:period=3000,OFFCORE_RESPONSE_0:msr=0x4001",
};

// Returns false if the other thread of the core has set the register differently.
static bool open_own(struct cpu *cpu, uint64_t period)
{
	struct pmu_refusal refusal;
	enum pmu_error error;
	char text[200];

	snprintf(text, sizeof text, "%s:u:period=%" PRIu64 "%s", cores->retired, period,
		 cores->settings && cores->settings->core_count ?
			 beside[any(cpu, sizeof beside / sizeof *beside)] : "");
	error = open_text(&cpu->own, cores, text, &refusal);
	if (error == PMU_OK)
		return true;
	expect(error == PMU_SETTINGS && refusal.cpus == 1u << (cpu->number ^ 1),
	       "'%s' is refused: %d", text, error);
	cpu->refused++;
	return false;
}

// The session counts this CPU's instructions, and takes a sample each period.
static void count_own(struct cpu *cpu)
{
	const uint64_t period = 20 + any(cpu, 30);
	uint64_t count = 0;

	if (!open_own(cpu, period))
		return;
	expect(pmu_start(&cpu->own) == PMU_OK, "a session does not start");
	for (unsigned piece = 0; piece < PIECES; piece++) {
		const uint64_t before = cpu->user, found = count_of(&cpu->own, 0);

		expect(found == count, "%" PRIu64 " are counted of %" PRIu64, found, count);
		execute(cpu, 2 + any(cpu, 600));
		count += cpu->user - before;
		take_samples(cpu);
		if (any(cpu, 40) == 0)
			move(cpu);
	}
	expect(pmu_stop(&cpu->own) == PMU_OK, "a session does not stop");
	expect(count_of(&cpu->own, 0) == count, "%" PRIu64 " are counted of %" PRIu64,
	       count_of(&cpu->own, 0), count);
	// If a context is saved with fewer events left than can be armed, its sample is late.
	expect(cpu->own.counter[0].samples == (count - cpu->own.counter[0].slipped) / period,
	       "%" PRIu64 " samples of %" PRIu64 ", one in %" PRIu64, cpu->own.counter[0].samples,
	       count, period);
	cpu->overflows += cpu->own.counter[0].samples;
	expect(pmu_close(&cpu->own) == PMU_OK, "a session is not closed");
}

//
// A session of the package
//

// Both events occur in each cycle, and the freeze stops both counters: one is armed again each
// period, the other never.
#define EACH_CYCLE "UNC_ADDR_OPCODE_MATCH.LOCAL.NONE:c=1:i"

static void open_package(struct cpu *cpu, const char *text)
{
	struct pmu_refusal refusal;

	expect(open_text(&cpu->package, shared, text, &refusal) == PMU_OK, "'%s' cannot be counted",
	       text);
}

static void run_package(struct cpu *cpu)
{
	expect(pmu_start(&cpu->package) == PMU_OK, "the package's session does not start");
	for (unsigned piece = 0; piece < PIECES / 4; piece++) {
		execute(cpu, 2 + any(cpu, 600));
		count_of(&cpu->package, 0);
		if (shared->poll)
			pmu_poll();
		take_samples(cpu);
	}
	expect(pmu_stop(&cpu->package) == PMU_OK, "the package's session does not stop");
}

static void close_package(struct cpu *cpu)
{
	struct pmu_statistics statistics;

	pmu_statistics(&statistics);
	expect(!statistics.faults, "a register access faults, or a CPU is waited for too long");
	expect(pmu_close(&cpu->package) == PMU_OK, "the package's session is not closed");
}

static void count_package(struct cpu *cpu)
{
	char text[200];

	snprintf(text, sizeof text, EACH_CYCLE "," EACH_CYCLE ":period=%" PRIu64,
		 100 + any(cpu, 100));
	open_package(cpu, text);
	for (unsigned times = 0; times < 3; times++) {
		run_package(cpu);
		expect(count_of(&cpu->package, 0) == count_of(&cpu->package, 1),
		       "the package: %" PRIu64 " and %" PRIu64 ", which should be the same",
		       count_of(&cpu->package, 0), count_of(&cpu->package, 1));
	}
	cpu->package_overflows += cpu->package.counter[1].samples;
	close_package(cpu);
}

// A package's PMU that never signals, and whose events do not occur here: it is polled.
static void look_at_package(struct cpu *cpu)
{
	char text[200];

	snprintf(text, sizeof text, "READS.MCU%u", cpu->number);
	open_package(cpu, text);
	run_package(cpu);
	expect(count_of(&cpu->package, 0) == 0, "a memory controller has counted");
	close_package(cpu);
}

static void turn(struct cpu *cpu)
{
	const uint64_t what = shared ? any(cpu, 10) : 9;

	if (what == 0)
		begin(cpu, cpu->takes_part ? cores : shared);
	else if (what < 6 && cpu->takes_part)
		(cores->package ? count_package : look_at_package)(cpu);
	else
		count_own(cpu);
}

//
// All at once
//

static struct {
	unsigned arrived, turn;
} line;

// With interrupts enabled.
static void wait_for_all(void)
{
	const unsigned now = __atomic_load_n(&line.turn, __ATOMIC_SEQ_CST);

	if (__atomic_add_fetch(&line.arrived, 1, __ATOMIC_SEQ_CST) == cpus) {
		__atomic_store_n(&line.arrived, 0, __ATOMIC_SEQ_CST);
		__atomic_store_n(&line.turn, now + 1, __ATOMIC_SEQ_CST);
	}
	while (__atomic_load_n(&line.turn, __ATOMIC_SEQ_CST) == now)
		hal_relax();
}

static uint64_t executed_by_all(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < cpus; i++)
		sum += all[i].executed;
	return sum;
}

// All CPUs join the shared PMU, begin again, leave it, and join again, each step together.
static void begin_together(struct cpu *cpu)
{
	if (!cpu->takes_part)
		begin(cpu, shared);
	wait_for_all();
	begin(cpu, shared);
	wait_for_all();
	begin(cpu, cores);
	wait_for_all();
	begin(cpu, shared);
	wait_for_all();
}

// The package counts the instructions of all CPUs, in parallel with other calls.
static void count_all(struct cpu *cpu)
{
	uint64_t before = 0, executed;

	if (cpu->number == 0) {
		open_package(cpu, EACH_CYCLE);
		expect(pmu_start(&cpu->package) == PMU_OK, "the package's session does not start");
		before = executed_by_all();
	}
	wait_for_all();
	count_own(cpu);
	wait_for_all();
	if (cpu->number == 0) {
		executed = executed_by_all() - before;
		expect(pmu_stop(&cpu->package) == PMU_OK, "the package's session does not stop");
		expect(count_of(&cpu->package, 0) == executed, "the package: %" PRIu64
		       " of %" PRIu64, count_of(&cpu->package, 0), executed);
		close_package(cpu);
	}
	wait_for_all();
}

static void *run(void *argument)
{
	struct cpu *cpu = argument;

	shim_cpu(cpu->number);
	if (cpu->number)
		begin(cpu, cores);
	wait_for_all();
	for (unsigned i = 0; i < turns; i++) {
		turn(cpu);
		if (!shared || i % 50 != 49)
			continue;
		begin_together(cpu);
		if (cores->package)
			count_all(cpu);
	}
	// Takes interrupts until all CPUs are done.
	wait_for_all();
	return NULL;
}

static void print_totals(void)
{
	struct cpu sum = {0};

	for (unsigned i = 0; i < cpus; i++) {
		sum.executed += all[i].executed;
		sum.overflows += all[i].overflows;
		sum.package_overflows += all[i].package_overflows;
		sum.refused += all[i].refused;
		sum.samples += all[i].samples;
	}
	printf("%s: %" PRIu64 " instructions, all counted; %" PRIu64 " overflows, %" PRIu64
	       " of the package, "
	       "%" PRIu64 " samples, %" PRIu64 " refused\n", cores->name, sum.executed,
	       sum.overflows, sum.package_overflows, sum.samples, sum.refused);
}

int main(int argc, char **argv)
{
	pthread_t threads[CPUS];

	if (argc != 3 || !shim_start(argv[1], ""))
		return 2;
	turns = (unsigned)strtoul(argv[2], NULL, 10);
	cores = pmu_driver_find(argv[1]);
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++)
		if ((*d)->cores == cores)
			shared = *d;
	cpus = hal_cpus_start();
	shim_threads();
	all[0].random = 1;
	begin(&all[0], cores);		// before the other CPUs
	for (unsigned i = 0; i < cpus; i++) {
		all[i].number = i;
		all[i].random = i + 1;
		if (pthread_create(&threads[i], NULL, run, &all[i]))
			return 2;
	}
	for (unsigned i = 0; i < cpus; i++)
		pthread_join(threads[i], NULL);
	print_totals();
	return 0;
}
