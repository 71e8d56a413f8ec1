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
#define BRANCHES_MAX	1024	/* different ones in branch records */
#define BRANCHES_SHOWN	12
#define PLACE_SIZE	64
#define BAR_WIDTH	40
#define RECORDS_BYTES	(64 * 1024)
#define RECORDS_ALIGNED	4096

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

static bool any_asks_for(unsigned count, uint8_t modifiers)
{
	for (unsigned i = 0; i < count; i++)
		if (requests[i].modifiers & modifiers)
			return true;
	return false;
}

// Branches are counted or recorded one by one where the PMU is emulated: the manuals name events of them BR_*.
static void warn_of_stepping(unsigned count)
{
	bool branches = any_asks_for(count, EVENT_BRANCHES);

	for (unsigned i = 0; i < count; i++)
		branches |= !strncmp(requests[i].event->name, "BR_", 3);
	if (!branches || !hal_overhead().exits)
		return;
	printf("\nbranches: %s stops at each instruction, thousands in a second, not millions.\n"
	       "A small WORKLOAD= ends sooner; TIMEOUT= is the limit in seconds.\n", hal_carrier());
	fflush(stdout);
}

// Memory for the records of precise events, if there are any.
static bool give_buffer(unsigned count)
{
	_Alignas(RECORDS_ALIGNED) static uint8_t records[RECORDS_BYTES];
	const char *why = NULL;

	if (any_asks_for(count, EVENT_PRECISE))
		why = pmu_give_buffer((uintptr_t)records, sizeof records);
	if (why)
		printf("palmon: no buffer for the records of precise events: %s\n", why);
	return !why;
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

static void add_address(uint64_t address)
{
	const struct symbol *symbol = symbol_find(address);
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

// "   12.3%    1,234"
static void print_share(uint64_t part, uint64_t total)
{
	uint64_t permille = (part * 1000 + total / 2) / total;

	printf("  %3u.%u%%  %7s", (unsigned)(permille / 10), (unsigned)(permille % 10), grouped(part));
}

static void print_functions(uint64_t total)
{
	struct pmu_statistics s;

	printf("\nhottest functions, by %s samples:\n", grouped(total));
	qsort(functions, function_count, sizeof *functions, by_samples);
	for (unsigned i = 0; i < function_count && i < FUNCTIONS_SHOWN; i++) {
		const struct function *f = &functions[i];

		print_share(f->samples, total);
		printf("  %-28s %.*s\n", f->name, (int)(f->samples * BAR_WIDTH / total),
		       "########################################");
	}
	if (function_count > FUNCTIONS_SHOWN)
		printf("  and %u more functions\n", function_count - FUNCTIONS_SHOWN);
	pmu_statistics(&s);
	if (s.dropped)
		printf("  these are the first samples: there was no room for %s more, a longer period has fewer\n",
		       grouped(s.dropped));
}

//
// Branch records
//

struct branch {
	uint64_t from, to, records;
};

static struct branch branches[BRANCHES_MAX];
static unsigned branch_count;
static uint64_t branch_records, branch_overlooked;	// all; those that found no room in the table

static void add_branch(uint64_t from, uint64_t to)
{
	unsigned i = 0;

	branch_records++;
	while (i < branch_count && (branches[i].from != from || branches[i].to != to))
		i++;
	if (i == BRANCHES_MAX) {
		branch_overlooked++;
		return;
	}
	if (i == branch_count)
		branches[branch_count++] = (struct branch){.from = from, .to = to};
	branches[i].records++;
}

// Each branch of a payload is followed by its target.
static void add_branches(const struct pmu_driver *driver, const struct event_request *request, const uint64_t *words,
			 unsigned count)
{
	struct payload_part parts[PAYLOAD_PARTS];
	unsigned n = driver->explain_payload ? driver->explain_payload(request, words, count, parts) : 0;
	uint64_t from = 0;

	for (unsigned i = 0; i < n; i++)
		if (!strcmp(parts[i].name, "branch"))
			from = parts[i].value;
		else if (!strcmp(parts[i].name, "target"))
			add_branch(from, parts[i].value);
}

static int by_records(const void *a, const void *b)
{
	const struct branch *x = a, *y = b;

	if (x->records != y->records)
		return x->records < y->records ? 1 : -1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

// "function+0x12"
static const char *place(uint64_t address, char text[PLACE_SIZE])
{
	const struct symbol *symbol = symbol_find(address);

	if (symbol)
		snprintf(text, PLACE_SIZE, "%s+0x%" PRIx64, symbol->name, address - symbol->address);
	else
		snprintf(text, PLACE_SIZE, "0x%" PRIx64, address);
	return text;
}

static void print_branches(void)
{
	char from[PLACE_SIZE], to[PLACE_SIZE];

	printf("\nbranches taken most, by %s branch records:\n", grouped(branch_records));
	qsort(branches, branch_count, sizeof *branches, by_records);
	for (unsigned i = 0; i < branch_count && i < BRANCHES_SHOWN; i++) {
		print_share(branches[i].records, branch_records);
		printf("  %s > %s\n", place(branches[i].from, from), place(branches[i].to, to));
	}
	if (branch_count > BRANCHES_SHOWN)
		printf("  and %u more branches\n", branch_count - BRANCHES_SHOWN);
	if (branch_overlooked)
		printf("  and %s records of still others\n", grouped(branch_overlooked));
}

// All samples, by function; a precise one belongs to the instruction that the driver finds from its record.
static void print_samples(const struct pmu_driver *driver)
{
	static uint64_t words[PMU_PAYLOAD_WORDS];
	struct pmu_sample sample;
	uint64_t samples = 0;

	for (; pmu_take_sample_with_payload(&sample, words); samples++) {
		const struct event_request *request = &requests[sample.source.event];
		const unsigned count = sample.source.words;

		add_address(driver->locate ? driver->locate(request, sample.ip, words, count) : sample.ip);
		add_branches(driver, request, words, count);
	}
	if (samples)
		print_functions(samples);
	if (branch_records)
		print_branches();
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

// Each event's count. Then the session is closed: what is printed is not to be recorded.
static uint64_t counts[PMU_SESSION_EVENTS];

static void take_counts(void)
{
	bool ok = true;

	for (unsigned i = 0; i < session.count; i++)
		ok &= pmu_read(&session, i, &counts[i]) == PMU_OK;
	if (pmu_close(&session) != PMU_OK || !ok)
		printf("palmon: a register access faulted\n");
}

static void print_counts(const struct pmu_driver *driver, uint64_t clocks)
{
	printf("\ncounts of the workload:\n\n");
	for (unsigned i = 0; i < session.count; i++) {
		const struct event_request *r = &requests[i];
		const struct pmu_counter *c = &session.counter[i];
		bool happens = hal_event_happens(r->event->code, r->event->umask);

		printf("  %16s  %-32s ", happens ? grouped(counts[i]) : "<not counted>", r->event->name);
		print_counter_name(driver, c->number);
		if (!happens)
			printf(" # does not happen under %s", hal_carrier());
		else if (c->period)
			printf(" # %s samples, one in %s%s%s", grouped(c->samples), grouped(c->period),
			       c->throttled ? ", then THROTTLED" : "",
			       c->polled ? " # polled: its samples come late" : "");
		printf("\n");
	}
	printf("  %16s  clocks\n", grouped(clocks));
}

// The exact total is the samples' part and the rest: what was still in the counter, and what late interrupts moved.
static void print_sums(void)
{
	for (unsigned i = 0; i < session.count; i++) {
		const struct pmu_counter *c = &session.counter[i];
		uint64_t count = counts[i], rest;

		if (!c->period)
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
	if (s.polled)
		printf("  overflows found by looking, without an interrupt of theirs: %s\n", grouped(s.polled));
	if (s.interrupts)
		printf("  clocks in the handler: %s to %s\n", grouped(s.clocks_least), grouped(s.clocks_most));
	if (s.skid_least <= s.skid_most)
		printf("  skid, events counted between overflow and freeze: %s to %s\n", grouped(s.skid_least),
		       grouped(s.skid_most));
	if (overhead.exits)
		printf("  monitor since boot: %s exits, %s instructions, none of them in the counts\n",
		       grouped(overhead.exits), grouped(overhead.clocks));
}

bool session_run(const struct pmu_driver *driver, const struct boot_options *options)
{
	struct pmu_refusal refusal;
	enum pmu_error error;
	uint64_t clocks;
	unsigned count = read_events(driver, options->events ? options->events : driver->session);
	char why[512];
	int status;

	if (!count || !give_buffer(count))
		return false;
	error = pmu_open(&session, requests, count, &refusal);
	if (error) {
		pmu_explain(driver, error, &refusal, requests, why, sizeof why);
		printf("palmon: events=: %s\n", why);
		return false;
	}
	warn_of_stepping(count);
	clocks = hal_clock();
	error = pmu_start(&session);
	status = hal_run_user(workload);
	if (!error)
		error = pmu_stop(&session);
	clocks = hal_clock() - clocks;
	if (error) {
		pmu_explain(driver, error, &refusal, requests, why, sizeof why);
		printf("palmon: %s\n", why);
		return false;
	}
	take_counts();
	print_counts(driver, clocks);
	print_sums();
	print_interrupts();
	print_samples(driver);
	printf("\n");
	if (status)
		printf("palmon: the workload returned %d\n", status);
	return status == 0;
}
