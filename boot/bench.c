// SPDX-License-Identifier: BSD-2-Clause
// Benchmarks of the runtime itself, in hal_clock units; under QEMU's -icount shift=0 these are
// instructions. Prints one JSON object per line.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend.h"
#include "boot.h"
#include "cpus.h"
#include "hal.h"
#include "image_run.h"
#include "pal.h"
#include "pmu_driver.h"
#include "stimulus.h"
#include "symbols.h"

#define TURNS 100

static void print(const char *name, uint64_t value)
{
	printf("{\"name\": \"%s\", \"value\": %" PRIu64 ", \"unit\": \"%s\"}\n", name, value,
	       hal_cycles() == HAL_CYCLES_ARE_INSTRUCTIONS ? "instructions" : "clocks");
}

// Formats a name; %u in `format` is the number of counters.
static const char *counted(const char *format, unsigned counters)
{
	static char name[80];

	snprintf(name, sizeof name, format, counters, counters);
	return name;
}

static const struct pmu_driver *measured;
static struct pmu_session session;
static uint64_t buffer[16];

// Returns the number of counters that can count any event.
static unsigned general_counters(const struct pmu_driver *driver)
{
	return (unsigned)__builtin_popcountll(driver->shape->counters & ~driver->shape->fixed);
}

// Opens a session of `count` general counters of an event; `modifiers` in event_parse's syntax.
// False: they do not fit.
static bool open_counters_of(struct pmu_session *s, const struct pmu_driver *driver,
			     const char *name, unsigned count,
			     uint64_t period, const char *modifiers)
{
	const int first = __builtin_ctzll(driver->shape->counters & ~driver->shape->fixed);
	struct event_request requests[PMU_SESSION_EVENTS];
	struct pmu_refusal refusal;
	char event[2 * EVENT_NAME_MAX];

	snprintf(event, sizeof event, "%s%s", name, modifiers);
	for (unsigned i = 0; i < count; i++) {
		const char *text = event;

		if (event_parse(driver->events, &text, &requests[i]) != EVENT_OK)
			return false;
		requests[i].counter = (int8_t)(first + (int)i);
		requests[i].period = period;
	}
	return pmu_open(s, requests, count, &refusal) == PMU_OK;
}

// Opens counters of retired instructions; of cycles, if too few counters can count instructions.
static bool open_counters(struct pmu_session *s, const struct pmu_driver *driver, unsigned count,
			  uint64_t period, const char *modifiers)
{
	return open_counters_of(s, driver, driver->retired, count, period, modifiers) ||
	       open_counters_of(s, driver, driver->cycles, count, period, modifiers);
}

static bool open_session(const struct pmu_driver *driver, unsigned count, uint64_t period,
			 const char *modifiers)
{
	return open_counters(&session, driver, count, period, modifiers);
}

// Returns the elapsed hal_clock units: instructions, if an instruction clock drives hal_clock.
static inline uint64_t since(uint64_t start)
{
	uint64_t end = hal_clock();

	return hal_instructions(end) - hal_instructions(start);
}

//
// Operations measured once. clocks_of is not inlined, so that its overhead is the same for all
// operations and cancels.
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

// The cost of a PAL call, from the call to its return. Subtracts the cost of `nothing`, a procedure
// that only returns, and adds that procedure's own call and return: two instructions.
typedef struct pal_ret pal_function(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3);

__attribute__((noinline)) static uint64_t clocks_of_call(pal_function *function, uint64_t index,
							 uint64_t a1)
{
	uint64_t start = hal_clock();

	function(index, a1, 0, 0);
	return since(start);
}

static void print_call(const char *name, pal_function *function, uint64_t index, uint64_t a1)
{
	print(name, clocks_of_call(function, index, a1) -
	      clocks_of_call((pal_function *)nothing, index, a1) + 2);
}

static void print_thing(const char *name, void (*thing)(void))
{
	print(name, clocks_of(thing) - clocks_of(nothing));
}

//
// Interrupts
//

// If some overflows raise no interrupt, those of the lowest privilege level do.
static void execute(void)
{
	if (measured->poll)
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

// Prints the cost that each interrupt of the open session adds to a known piece of code, from
// vector to return.
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
	if (open_session(driver, count, 10000, ""))
		print_interrupts(name);
}

//
// Callers
//

#define NESTED 17

// Calls itself `depth` levels deep, with frame pointers as in programs.
__attribute__((noipa, optimize("no-omit-frame-pointer"))) static void nest(unsigned depth)
{
	if (depth)
		nest(depth - 1);
	else
		hal_execute(1000000);
	__asm__ volatile("");		// prevents a tail call
}

static int call_nested(void)
{
	nest(NESTED);
	return 0;
}

// Runs like a program, at the lowest privilege level: elsewhere some overflows raise no interrupt.
static void execute_nested(void)
{
	hal_run_user(call_nested);
}

static unsigned least_callers;

static void take_callers(const struct pmu_sample *sample, const uint64_t *payload)
{
	const uint64_t *caller;
	const unsigned callers = pmu_callers(sample, &caller);

	(void)payload;
	least_callers = callers < least_callers ? callers : least_callers;
}

// Returns the cost of an interrupt whose sample has `callers` callers. 0: its samples have fewer.
static uint64_t clocks_with_callers(const struct pmu_driver *driver, unsigned callers)
{
	const struct pmu_counter *c = session.counter;
	uint64_t clocks;

	pmu_begin(driver, false);
	pmu_follow_calls(take_callers, symbol_start, callers);
	if (!open_session(driver, 1, 10000, ":u"))	// code at other levels has fewer callers
		return 0;
	least_callers = callers;
	clocks = clocks_of(execute_nested);
	pmu_start(&session);
	clocks = clocks_of(execute_nested) - clocks;
	pmu_stop(&session);
	take_samples();
	clocks = c->samples && least_callers == callers ? (clocks + c->samples - 1) / c->samples :
		0;
	pmu_close(&session);
	return clocks;
}

static void print_callers(const struct pmu_driver *driver)
{
	const uint64_t one = clocks_with_callers(driver, 1),
		all = clocks_with_callers(driver, NESTED);

	if (one && all) {
		print("overflow interrupt, 1 counter, its sample with a caller", one);
		print("each further caller", (all - one + NESTED - 2) / (NESTED - 1));
	}
	pmu_begin(driver, false);
}

//
// Records
//

#define RECORDS_BYTES	8192
#define RECORDS_ALIGNED	4096ULL

// Prints the cost that each precise sample adds, with a buffer of `bytes` bytes that holds
// `at_once` records per interrupt.
static void print_precise(const struct pmu_driver *driver, const char *name, uint64_t bytes,
			  unsigned at_once)
{
	static uint64_t records;
	struct pmu_statistics before, after;
	uint64_t clocks, interrupts;
	unsigned samples;

	if (!records)
		records = ((uintptr_t)malloc(RECORDS_ALIGNED + RECORDS_BYTES) + RECORDS_ALIGNED -
			   1) &
			  ~(RECORDS_ALIGNED - 1);
	if (!driver->precise || pmu_give_buffer(records, bytes) ||
	    !open_session(driver, 1, 10000, ":p"))
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

	session.driver->records->payload(&session.counter[0], words);
}

static void print_branches(const struct pmu_driver *driver, const char *name)
{
	if (!driver->records || !driver->records->payload ||
	    !open_session(driver, 1, 10000, ":lbr"))
		return;
	print_thing(name, read_payload);
	pmu_close(&session);
}

//
// The PMU that the cores share, with one CPU
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

// Prints the cost of starting the open session the first and the second time. False: there was no
// queue to initialize.
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

// From the driver's default events: samples of the first one, and the first one that needs a queue
// initialized.
static void print_shared(const struct pmu_driver *driver)
{
	const char *text = driver->session;
	struct event_request request;
	bool printed = false;

	if (pmu_begin(driver, false) != PMU_OK ||
	    event_parse(driver->events, &text, &request) != EVENT_OK)
		return;
	request.period = 10000;
	if (open_event(&request))
		print_interrupts("uncore overflow, one CPU's part");
	while (!printed && *text && event_parse(driver->events, &text, &request) == EVENT_OK &&
	       open_event(&request)) {
		printed = print_queue_starts();
		pmu_close(&session);
	}
}

//
// All counters of all threads of a core, which overflow at the same event
//

#define PERIOD_AT_ONCE	10000

// Each thread's session, its counts, and the times at which its overflow handler was called and
// returned.
static struct served {
	struct pmu_session session;
	uint64_t counts[PMU_SESSION_EVENTS];
	struct pmu_statistics statistics;
	uint64_t entry;
	volatile uint64_t end;		// 0: it has not returned
} served[HAL_CPUS];

static hal_pmi_function *served_by;

static void serve(uint64_t ip, unsigned level)
{
	struct served *s = &served[hal_cpu()];

	s->entry = hal_clock();
	served_by(ip, level);
	s->end = hal_clock();
}

static void serve_nothing(uint64_t ip, unsigned level)
{
	(void)ip, (void)level;
}

// The counters count instructions of all threads at the lowest level; until now no thread executes
// any.
static void start_thread(void *unused)
{
	struct served *s = &served[hal_cpu()];

	(void)unused;
	*s = (struct served){0};
	if (pmu_begin(measured, false) != PMU_OK ||
	    !open_counters(&s->session, measured, general_counters(measured), PERIOD_AT_ONCE,
			   ":u:t"))
		return;
	hal_pmi_attach(serve, HAL_PMI_VECTOR);
	pmu_start(&s->session);
}

static void stop_thread(void *unused)
{
	struct served *s = &served[hal_cpu()];

	(void)unused;
	pmu_stop(&s->session);
	for (unsigned i = 0; i < s->session.count; i++)
		pmu_read(&s->session, i, &s->counts[i]);
	pmu_statistics(&s->statistics);
	pmu_close(&s->session);
	take_samples();
	pmu_begin(measured, false);
}

static void on_threads(unsigned threads, void (*function)(void *unused))
{
	function(NULL);
	for (unsigned i = 1; i < threads; i++) {
		hal_cpu_call(i, function, NULL);
		hal_cpus_wait(1u << i, UINT64_MAX);
	}
}

static bool all_served(unsigned threads)
{
	unsigned count = 0;

	for (unsigned i = 0; i < threads; i++)
		count += served[i].end != 0;
	return count == threads;
}

// All counters count the same events from the same start. If they overflowed at the same event,
// each thread has had one interrupt, which found all of its counters.
static bool overflowed_at_once(unsigned threads, unsigned counters)
{
	bool at_once = true;

	for (unsigned i = 0; i < threads; i++) {
		const struct pmu_statistics *s = &served[i].statistics;

		at_once &= s->interrupts == 1 && s->overflows == counters;
		for (unsigned counter = 0; counter < counters; counter++)
			at_once &= served[i].counts[counter] - PERIOD_AT_ONCE < PERIOD_AT_ONCE &&
				   served[i].counts[counter] == served[0].counts[0];
	}
	return at_once;
}

// `around`: the part of the time between the two clock reads that does not belong to the handler.
static void print_served(unsigned threads, unsigned counters, uint64_t around)
{
	uint64_t first = served[0].entry, last = served[0].end, longest = 0;

	for (unsigned i = 0; i < threads; i++) {
		const struct served *s = &served[i];

		first = s->entry < first ? s->entry : first;
		last = s->end > last ? s->end : last;
		longest = s->end - s->entry > longest ? s->end - s->entry : longest;
	}
	print(counted("%u counters overflowing at once, first entry to last return",
		      threads * counters),
	      last - first - around);
	print(counted("of that, one thread's %u counters", counters), longest - around);
}

// The last event is the first thread's last instruction at the lowest level, or a close one:
// afterwards the threads execute only handlers, and the loop that waits for them.
static void print_at_once(const struct pmu_driver *driver)
{
	const unsigned counters = general_counters(driver);
	unsigned threads;
	uint64_t around;

	if (driver->threads < 2 || !(driver->shape->features & PMU_FEATURE_ANY_THREAD))
		return;
	threads = hal_cpus_start();
	served_by = serve_nothing;
	serve(0, 0);
	around = served[0].end - served[0].entry - 1;	// the return instruction belongs to the
							// handler
	served_by = driver->signal->interrupt;
	on_threads(threads, start_thread);
	hal_execute_user(PERIOD_AT_ONCE);
	while (!all_served(threads))
		hal_relax();
	on_threads(threads, stop_thread);
	if (threads == driver->threads && overflowed_at_once(threads, counters))
		print_served(threads, counters, around);
}

void bench_run(const struct pmu_driver *driver)
{
	const unsigned counters = general_counters(driver);

	measured = driver;
	print_interrupt(driver, "overflow interrupt, 1 counter, 1 sample", 1);
	print_interrupt(driver, counted("overflow interrupt, %u counters, %u samples", counters),
			counters);
	print_precise(driver, "precise sample, 32 in a buffer", 256 + (32 + 3) * 176, 32);
	print_precise(driver, "precise sample, an interrupt each", 256 + (1 + 3) * 176, 1);
	print_branches(driver, "last branch records, reading 16");
	print_call("PAL_PERF_MON_INFO, call to return", pal_call, PAL_PERF_MON_INFO,
		   (uintptr_t)buffer);
	if (pal_ask != pal_call)
		print_call("PAL_PERF_MON_INFO, as PAL is called", pal_ask, PAL_PERF_MON_INFO,
			   (uintptr_t)buffer);
	if (open_session(driver, counters, 0, "")) {
		print_thing(counted("session start, %u counters", counters), start);
		print_thing("session read, running", read_count);
		print_thing(counted("session stop, %u counters", counters), stop);
		pmu_close(&session);
	}
	print_callers(driver);
	if (shared_by(driver))
		print_shared(shared_by(driver));
	pmu_begin(driver, false);
	print_at_once(driver);
}
