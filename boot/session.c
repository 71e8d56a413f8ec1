// SPDX-License-Identifier: BSD-2-Clause
// A measured run of the workload, on one thread or on several at the same time.

#include <stdio.h>
#include <string.h>

#include "boot.h"
#include "hal.h"
#include "session.h"

#define RECORDS_BYTES	(64 * 1024)
#define RECORDS_ALIGNED	4096

struct session_plan session_plan;
struct session_thread session_threads[HAL_CPUS];

//
// Events
//

// How many events the text names; 0: one is wrong, and has been named.
static unsigned read_events(const struct pmu_driver *driver, const char *text)
{
	unsigned count = 0;
	char why[256];

	while (*text && count < PMU_SESSION_EVENTS) {
		enum event_error error;

		session_plan.text[count] = text;
		error = event_parse(driver->events, &text, &session_plan.requests[count]);
		if (error) {
			event_explain(driver->events, error, text, why, sizeof why);
			printf("palmon: events=: %s\n", why);
			if (error == EVENT_UNKNOWN)
				printf("palmon: a session counts events of %s\n", driver->name);
			return 0;
		}
		count++;
	}
	if (*text || !count)
		printf("palmon: events=: from 1 to %d events\n", PMU_SESSION_EVENTS);
	return *text ? 0 : count;
}

static bool any_asks_for(uint8_t modifiers)
{
	for (unsigned i = 0; i < session_plan.count; i++)
		if (session_plan.requests[i].modifiers & modifiers)
			return true;
	return false;
}

// Branches are counted or recorded one by one where the PMU is emulated: the manuals name events of them BR_*.
static void warn_of_stepping(void)
{
	bool branches = any_asks_for(EVENT_BRANCHES);

	for (unsigned i = 0; i < session_plan.count; i++)
		branches |= !strncmp(session_plan.requests[i].event->name, "BR_", 3);
	if (!branches || !hal_overhead().exits)
		return;
	printf("\nbranches: %s stops at each instruction, thousands in a second, not millions.\n"
	       "A small WORKLOAD= ends sooner; TIMEOUT= is the limit in seconds.\n", hal_carrier());
	fflush(stdout);
}

//
// Threads: each is a CPU, number n is CPU n
//

// Has each do the same, one after the other.
static void on_each(void (*function)(void *thread))
{
	function(&session_threads[0]);
	for (unsigned i = 1; i < session_plan.threads; i++) {
		hal_cpu_call(i, function, &session_threads[i]);
		hal_cpus_wait(1u << i, UINT64_MAX);
	}
}

// Memory for the records of precise events, if there are any.
static const char *give_buffer(unsigned thread)
{
	_Alignas(RECORDS_ALIGNED) static uint8_t records[HAL_CPUS][RECORDS_BYTES];

	return any_asks_for(EVENT_PRECISE) ? pmu_give_buffer((uintptr_t)records[thread], RECORDS_BYTES) : NULL;
}

// The first CPU's PMU has been brought up with the image.
static void open_thread(void *thread)
{
	struct session_thread *t = thread;
	const unsigned number = (unsigned)(t - session_threads);

	*t = (struct session_thread){0};
	if (number)
		t->error = pmu_begin(session_plan.driver, session_plan.non_maskable);
	t->no_buffer = give_buffer(number);
	if (!t->error && !t->no_buffer)
		t->error = pmu_open(&t->session, session_plan.requests, session_plan.count, &t->refusal);
}

static struct {
	unsigned waiting;
	bool go;
} start_line;

// The first thread starts before all others and stops behind them, so that what it counts of them is all of it. It lets
// them go at once, and each begins with a whole slice of time where one executes after the other.
static void run_thread(void *thread)
{
	struct session_thread *t = thread;
	const unsigned others = session_plan.threads - 1;
	const bool first = t == session_threads;
	uint64_t start;

	if (!first) {
		__atomic_fetch_add(&start_line.waiting, 1, __ATOMIC_SEQ_CST);
		while (!__atomic_load_n(&start_line.go, __ATOMIC_SEQ_CST))
			hal_relax();
	}
	start = hal_clock();
	t->error = pmu_start(&t->session);
	if (first && others) {
		while (__atomic_load_n(&start_line.waiting, __ATOMIC_SEQ_CST) < others)
			hal_relax();
		__atomic_store_n(&start_line.go, true, __ATOMIC_SEQ_CST);
		hal_relax();
	}
	t->status = session_plan.call(workload);
	if (first && others)
		hal_cpus_wait((2u << others) - 2, UINT64_MAX);
	if (!t->error)
		t->error = pmu_stop(&t->session);
	t->clocks = hal_clock() - start;
}

// Then the session is closed: what is printed is not to be recorded.
static void collect_thread(void *thread)
{
	struct session_thread *t = thread;
	unsigned number = (unsigned)(t - session_threads), unused;

	for (unsigned i = 0; i < t->session.count; i++)
		t->fault |= pmu_read(&t->session, i, &t->counts[i]) != PMU_OK;
	t->fault |= pmu_close(&t->session) != PMU_OK;
	pmu_statistics(&t->statistics);
	hal_topology(number, &t->core, &unused);
	session_take_samples(number);
}

static void run_threads(void)
{
	memset(&start_line, 0, sizeof start_line);
	for (unsigned i = 1; i < session_plan.threads; i++)
		hal_cpu_call(i, run_thread, &session_threads[i]);
	run_thread(&session_threads[0]);
}

// False: one of them could not; why has been printed, behind `before`.
static bool all_could(const char *before)
{
	char why[512];

	for (unsigned i = 0; i < session_plan.threads; i++) {
		const struct session_thread *t = &session_threads[i];

		if (t->no_buffer)
			printf("palmon: no buffer for the records of precise events: %s\n", t->no_buffer);
		if (t->error) {
			pmu_explain(session_plan.driver, t->error, &t->refusal, session_plan.requests, why, sizeof why);
			printf("palmon: %s%s\n", before, why);
		}
		if (t->no_buffer || t->error)
			return false;
	}
	return true;
}

static int call_plainly(int (*function)(void))
{
	return function();
}

// False: the command line asks for what there is not.
static bool read_plan(const struct pmu_driver *driver, const struct boot_options *options)
{
	unsigned threads = options->threads ? options->threads : driver->threads ? driver->threads : 1, most = 1;

	session_plan.driver = driver;
	session_plan.non_maskable = options->non_maskable;
	session_plan.call = options->highest_level ? call_plainly : hal_run_user;
	session_plan.count = read_events(driver, options->events ? options->events : driver->session);
	if (threads > 1)
		most = hal_cpus_start();
	if (threads > most)
		printf("palmon: threads=%u: this machine has %u\n", threads, most);
	session_plan.threads = threads;
	return session_plan.count && threads <= most;
}

static bool workload_succeeded(void)
{
	bool ok = true;

	for (unsigned i = 0; i < session_plan.threads; i++) {
		const struct session_thread *t = &session_threads[i];

		if (t->fault)
			printf("palmon: a register access faulted\n");
		if (t->status && session_plan.threads == 1)
			printf("palmon: the workload returned %d\n", t->status);
		else if (t->status)
			printf("palmon: on thread %u the workload returned %d\n", i, t->status);
		ok &= !t->status;
	}
	return ok;
}

static bool measure(void)
{
	on_each(open_thread);
	if (!all_could("events=: "))
		return false;
	run_threads();
	if (!all_could(""))
		return false;
	on_each(collect_thread);
	return true;
}

// A thread's counters stand still while it serves an overflow, and the others go on: what it counts of them is all of
// it only if it takes no samples.
static bool count_again(void)
{
	bool samples = false;

	for (unsigned i = 0; i < session_plan.count; i++) {
		samples |= session_plan.requests[i].period != 0;
		session_plan.requests[i].period = 0;
	}
	if (samples)
		printf("\nonce more, without samples:\n");
	return (!samples || measure()) && workload_succeeded() && session_print_any_thread();
}

bool session_run(const struct pmu_driver *driver, const struct boot_options *options)
{
	bool ok;

	if (!read_plan(driver, options))
		return false;
	warn_of_stepping();
	if (!measure())
		return false;
	session_print_counts();
	session_print_samples();
	printf("\n");
	ok = workload_succeeded();
	if (ok && session_counts_any_thread())
		ok = count_again();
	return ok;
}
