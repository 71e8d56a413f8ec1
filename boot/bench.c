// SPDX-License-Identifier: BSD-2-Clause
// What the runtime costs, in clocks: under QEMU's -icount shift=0 these are instructions. A JSON object a line.

#include <inttypes.h>
#include <stdio.h>

#include "boot.h"
#include "hal.h"
#include "pal.h"

#define TURNS 100

static void print(const char *name, uint64_t value)
{
	printf("{\"name\": \"%s\", \"value\": %" PRIu64 ", \"unit\": \"%s\"}\n", name, value,
	       hal_overhead().exits ? "instructions" : "clocks");
}

static const struct pmu_driver *measured;
static struct pmu_session session;
static uint64_t buffer[16];

// Opens a session of `count` counters of retired instructions, general ones. False: they do not fit.
static bool open_session(const struct pmu_driver *driver, unsigned count, uint64_t period, uint8_t modifiers)
{
	struct event_request requests[PMU_SESSION_EVENTS];
	struct pmu_refusal refusal;

	for (unsigned i = 0; i < count; i++) {
		const char *text = driver->retired;

		if (event_parse(driver->events, &text, &requests[i]) != EVENT_OK)
			return false;
		requests[i].counter = (int8_t)i;
		requests[i].period = period;
		requests[i].modifiers |= modifiers;
	}
	return pmu_open(&session, requests, count, &refusal) == PMU_OK;
}

// What hal_clock has counted; instructions, where an instruction clock drives it.
static inline uint64_t since(uint64_t start)
{
	uint64_t end = hal_clock();

	return hal_instructions(end) - hal_instructions(start);
}

//
// One thing, once. Not inlined, so that what surrounds the thing is the same for all, and drops out.
//

__attribute__((noinline)) static uint64_t clocks_of(void (*thing)(void))
{
	uint64_t start = hal_clock();

	thing();
	return since(start);
}

static void nothing(void)
{
}

static void start(void)
{
	pmu_start(&session);
}

static void stop(void)
{
	pmu_stop(&session);
}

static void read_count(void)
{
	pmu_read(&session, 0, buffer);
}

// A PAL call, from the call to its return. The same is done with a procedure that only returns, `nothing`, whose result
// nobody looks at; that one's call and return are the two that are missing then.
typedef struct pal_ret pal_function(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3);

__attribute__((noinline)) static uint64_t clocks_of_call(pal_function *function, uint64_t index, uint64_t a1)
{
	uint64_t start = hal_clock();

	function(index, a1, 0, 0);
	return since(start);
}

static void print_call(const char *name, uint64_t index, uint64_t a1)
{
	print(name, clocks_of_call(pal_call, index, a1) - clocks_of_call((pal_function *)nothing, index, a1) + 2);
}

static void print_thing(const char *name, void (*thing)(void))
{
	print(name, clocks_of(thing) - clocks_of(nothing));
}

//
// Interrupts
//

// Where not all overflows raise an interrupt, those of the lowest privilege level do.
static void execute(void)
{
	if (measured->polled)
		hal_execute_user(1000000);
	else
		hal_execute(1000000);
}

static unsigned take_samples(void)
{
	struct pmu_sample sample;
	unsigned samples = 0;

	while (pmu_take_sample(&sample))
		samples++;
	return samples;
}

// What each interrupt of the open session adds to a known piece of code, from vector to return.
static void print_interrupts(const char *name)
{
	struct pmu_statistics before, after;
	uint64_t clocks, interrupts;

	clocks = clocks_of(execute);
	pmu_statistics(&before);
	pmu_start(&session);
	clocks = clocks_of(execute) - clocks;
	pmu_stop(&session);
	pmu_statistics(&after);
	pmu_close(&session);
	take_samples();
	interrupts = after.interrupts - before.interrupts;
	if (interrupts)
		print(name, (clocks + interrupts - 1) / interrupts);
}

static void print_interrupt(const struct pmu_driver *driver, const char *name, unsigned count)
{
	if (open_session(driver, count, 10000, 0))
		print_interrupts(name);
}

//
// Records
//

static _Alignas(4096) uint64_t records[1024];

// What each precise sample adds, with a buffer of so many bytes in which so many records come with one interrupt.
static void print_precise(const struct pmu_driver *driver, const char *name, uint64_t bytes, unsigned at_once)
{
	struct pmu_statistics before, after;
	uint64_t clocks, interrupts;
	unsigned samples;

	if (!driver->buffer || pmu_give_buffer((uintptr_t)records, bytes) ||
	    !open_session(driver, 1, 10000, EVENT_PRECISE))
		return;
	clocks = clocks_of(execute);
	pmu_statistics(&before);
	pmu_start(&session);
	clocks = clocks_of(execute) - clocks;
	samples = take_samples();
	pmu_statistics(&after);
	pmu_close(&session);
	take_samples();
	interrupts = after.interrupts - before.interrupts;
	if (samples && samples == interrupts * at_once)
		print(name, (clocks + samples - 1) / samples);
}

static void read_payload(void)
{
	uint64_t words[PMU_PAYLOAD_WORDS];

	session.driver->payload(&session.counter[0], words);
}

static void print_branches(const struct pmu_driver *driver, const char *name)
{
	if (!driver->payload || !open_session(driver, 1, 10000, EVENT_BRANCHES))
		return;
	print_thing(name, read_payload);
	pmu_close(&session);
}

//
// The PMU that the cores share, with one of them
//

static const struct pmu_driver *shared_by(const struct pmu_driver *cores)
{
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++)
		if ((*d)->cores == cores)
			return *d;
	return NULL;
}

static bool open_event(const struct event_request *request)
{
	struct pmu_refusal refusal;

	return pmu_open(&session, request, 1, &refusal) == PMU_OK;
}

static uint64_t bus_locks(void)
{
	struct pmu_statistics s;

	pmu_statistics(&s);
	return s.bus_locks;
}

// Starting the open session twice. False: there was no queue to initialize.
static bool print_queue_starts(void)
{
	const uint64_t idle = clocks_of(nothing), locks = bus_locks();
	const uint64_t first = clocks_of(start) - idle;

	if (bus_locks() == locks)
		return false;
	stop();
	print("uncore start, with queue initialization", first);
	print_thing("uncore start, queue initialized before", start);
	return true;
}

// Of the driver's own list of events the first one's samples, and the first that needs a queue initialized.
static void print_shared(const struct pmu_driver *driver)
{
	const char *text = driver->session;
	struct event_request request;
	bool printed = false;

	if (pmu_begin(driver, false) != PMU_OK || event_parse(driver->events, &text, &request) != EVENT_OK)
		return;
	request.period = 10000;
	if (open_event(&request))
		print_interrupts("uncore overflow, one CPU's part");
	while (!printed && *text && event_parse(driver->events, &text, &request) == EVENT_OK && open_event(&request)) {
		printed = print_queue_starts();
		pmu_close(&session);
	}
}

//
// The monitor
//

static uint64_t spent(void)
{
	return hal_instructions(hal_overhead().clocks);
}

static void print_overhead(const char *name, void (*access)(void))
{
	uint64_t before = spent(), nothing_between = spent(), after;

	for (unsigned i = 0; i < TURNS; i++)
		access();
	after = spent();
	if (hal_overhead().exits)
		print(name, (after - nothing_between - (nothing_between - before)) / TURNS);
}

static void read_counter(void)
{
	measured->read(measured->address(0), buffer);
}

static void write_counter(void)
{
	measured->write(measured->address(0), 0);
}

void bench_run(const struct pmu_driver *driver)
{
	measured = driver;
	print_interrupt(driver, "overflow interrupt, 1 counter, 1 sample", 1);
	print_interrupt(driver, "overflow interrupt, 4 counters, 4 samples", 4);
	print_precise(driver, "precise sample, 32 in a buffer", 256 + (32 + 3) * 176, 32);
	print_precise(driver, "precise sample, an interrupt each", 256 + (1 + 3) * 176, 1);
	print_branches(driver, "last branch records, reading 16");
	print_call("PAL_PERF_MON_INFO, call to return", PAL_PERF_MON_INFO, (uintptr_t)buffer);
	if (open_session(driver, 4, 0, 0)) {
		print_thing("session start, 4 counters", start);
		print_thing("session read, running", read_count);
		print_thing("session stop, 4 counters", stop);
		pmu_close(&session);
	}
	if (open_session(driver, 4, 0, 0) && pmu_start(&session) == PMU_OK) {
		print_overhead("monitor, one register read, 4 counters running", read_counter);
		print_overhead("monitor, one register write, 4 counters running", write_counter);
		pmu_close(&session);
	}
	if (shared_by(driver))
		print_shared(shared_by(driver));
	pmu_begin(driver, false);
}
