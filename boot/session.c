// SPDX-License-Identifier: BSD-2-Clause
// A measured run of the workload: counts, samples by function, and what the overflow interrupt did.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot.h"
#include "hal.h"
#include "symbols.h"

#define FUNCTIONS_MAX	512	/* different functions with samples */
#define FUNCTIONS_SHOWN	12
#define BAR_WIDTH	40

static struct event_request requests[PMU_SESSION_EVENTS];
static struct pmu_session session;

// 1234567 as "1,234,567". The result is good until the eighth call from now.
static const char *grouped(uint64_t number)
{
	static char buffers[8][32];
	static unsigned next;
	char digits[24], *out = buffers[next++ % 8], *start = out;
	int length = snprintf(digits, sizeof digits, "%" PRIu64, number);

	for (int i = 0; i < length; i++) {
		*out++ = digits[i];
		if (i < length - 1 && (length - 1 - i) % 3 == 0)
			*out++ = ',';
	}
	*out = '\0';
	return start;
}

//
// Events
//

// How many events the text names; 0: one is wrong, and has been named.
static unsigned read_events(const struct pmu_driver *driver, const char *text)
{
	unsigned count = 0;
	char why[256];

	while (*text && count < PMU_SESSION_EVENTS) {
		enum event_error error = event_parse(driver->events, &text, &requests[count]);

		if (error) {
			event_explain(driver->events, error, text, why, sizeof why);
			printf("palmon: events=: %s\n", why);
			return 0;
		}
		count++;
	}
	if (*text || !count)
		printf("palmon: events=: from 1 to %d events\n", PMU_SESSION_EVENTS);
	return *text ? 0 : count;
}

//
// Samples
//

struct function {
	const char *name;
	uint64_t samples;
};

static struct function functions[FUNCTIONS_MAX];
static unsigned function_count;

static void add_sample(const struct pmu_sample *sample)
{
	const struct symbol *symbol = symbol_find(sample->ip);
	const char *name = symbol ? symbol->name : "(elsewhere)";
	unsigned i = 0;

	while (i < function_count && functions[i].name != name)
		i++;
	if (i == FUNCTIONS_MAX) {
		i = FUNCTIONS_MAX - 1;
		name = "(more functions)";
	}
	functions[i].name = name;
	functions[i].samples++;
	if (i == function_count)
		function_count++;
}

static int by_samples(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void print_functions(uint64_t total)
{
	printf("\nhottest functions, by %s samples:\n", grouped(total));
	qsort(functions, function_count, sizeof *functions, by_samples);
	for (unsigned i = 0; i < function_count && i < FUNCTIONS_SHOWN; i++) {
		const struct function *f = &functions[i];
		uint64_t permille = (f->samples * 1000 + total / 2) / total;
		int bar = (int)(f->samples * BAR_WIDTH / total);

		printf("  %3u.%u%%  %7s  %-28s %.*s\n", (unsigned)(permille / 10), (unsigned)(permille % 10),
		       grouped(f->samples), f->name, bar, "########################################");
	}
	if (function_count > FUNCTIONS_SHOWN)
		printf("  and %u more functions\n", function_count - FUNCTIONS_SHOWN);
}

//
// Report
//

static void print_counter_name(const struct pmu_driver *driver, unsigned number)
{
	uint64_t below = (1ULL << number) - 1;

	if (driver->fixed >> number & 1)
		printf("fixed %d  ", __builtin_popcountll(driver->fixed & below));
	else
		printf("%-9u", number);
}

static void print_counts(const struct pmu_driver *driver, uint64_t clocks)
{
	printf("\ncounts of the workload:\n\n");
	for (unsigned i = 0; i < session.count; i++) {
		const struct event_request *r = &requests[i];
		const struct pmu_counter *c = &session.counter[i];
		bool happens = hal_event_happens(r->event->code, r->event->umask);
		uint64_t count = 0;

		if (pmu_read(&session, i, &count) != PMU_OK)
			printf("palmon: a register access faulted\n");
		printf("  %16s  %-32s ", happens ? grouped(count) : "<not counted>", r->event->name);
		print_counter_name(driver, c->number);
		if (!happens)
			printf(" # does not happen under %s", hal_carrier());
		else if (c->period)
			printf(" # %s samples, one in %s%s", grouped(c->samples), grouped(c->period),
			       c->throttled ? ", then THROTTLED" : "");
		printf("\n");
	}
	printf("  %16s  clocks\n", grouped(clocks));
}

// The exact total is the samples' part and the rest: what was still in the counter, and what late interrupts moved.
static void print_sums(void)
{
	for (unsigned i = 0; i < session.count; i++) {
		const struct pmu_counter *c = &session.counter[i];
		uint64_t count = 0, rest;

		if (!c->period || pmu_read(&session, i, &count) != PMU_OK)
			continue;
		rest = c->throttled ? count - c->samples * c->period : c->period - (c->due - count) + c->slipped;
		printf("\n%s: %s samples x %s + %s = %s", requests[i].event->name, grouped(c->samples),
		       grouped(c->period), grouped(rest), grouped(c->samples * c->period + rest));
		printf(": %s\n", c->samples * c->period + rest == count ? "exactly its count" : "NOT ITS COUNT");
	}
}

static void print_interrupts(void)
{
	struct pmu_statistics s;
	struct hal_overhead overhead = hal_overhead();

	pmu_statistics(&s);
	printf("\noverflow interrupts: %s, spurious %s, overflows %s, throttled %s, samples dropped %s,"
	       " register faults %s\n",
	       grouped(s.interrupts), grouped(s.spurious), grouped(s.overflows), grouped(s.throttles),
	       grouped(s.dropped), grouped(s.faults));
	if (s.interrupts)
		printf("  clocks in the handler: %s to %s\n", grouped(s.clocks_least), grouped(s.clocks_most));
	if (s.overflows)
		printf("  skid, events counted between overflow and freeze: %s to %s\n", grouped(s.skid_least),
		       grouped(s.skid_most));
	if (overhead.exits)
		printf("  monitor since boot: %s exits, %s instructions, none of them in the counts\n",
		       grouped(overhead.exits), grouped(overhead.clocks));
}

bool session_run(const struct pmu_driver *driver, const struct boot_options *options)
{
	struct pmu_refusal refusal;
	struct pmu_sample sample;
	enum pmu_error error;
	uint64_t clocks, samples = 0;
	unsigned count = read_events(driver, options->events ? options->events : driver->session);
	char why[512];
	int status;

	if (!count)
		return false;
	error = pmu_open(&session, requests, count, &refusal);
	if (error) {
		pmu_explain(driver, error, &refusal, requests, why, sizeof why);
		printf("palmon: events=: %s\n", why);
		return false;
	}
	clocks = hal_clock();
	error = pmu_start(&session);
	status = workload();
	if (!error)
		error = pmu_stop(&session);
	clocks = hal_clock() - clocks;
	if (error) {
		pmu_explain(driver, error, &refusal, requests, why, sizeof why);
		printf("palmon: %s\n", why);
		return false;
	}
	print_counts(driver, clocks);
	print_sums();
	print_interrupts();
	while (pmu_take_sample(&sample)) {
		samples++;
		add_sample(&sample);
	}
	if (samples)
		print_functions(samples);
	printf("\n");
	if (status)
		printf("palmon: the workload returned %d\n", status);
	pmu_close(&session);
	return status == 0;
}
