// SPDX-License-Identifier: BSD-2-Clause
// Prints the samples of the measured session: each event's functions, and the recorded branches.

#include "session_samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "pmu_driver.h"
#include "session.h"
#include "symbols.h"

#define BITS_MOST	15	/* log2 of entries of a thread's histogram: 2^15 are 1 MiB */
#define BITS_LEAST	8
#define KEPT_MOST	(512 * 1024)	/* words of a thread's kept samples: 4 MiB, */
#define KEPT_LEAST	1024		/* or less if there is less memory */
#define SHOWN		12	/* functions or branches shown per event */
#define BAR_WIDTH	40

// All threads' histograms, one after the other; later their entries, in order.
static struct histogram_entry *entries;
static unsigned entry_count;

//
// Memory
//

static bool takes_samples(void)
{
	for (unsigned i = 0; i < session_plan.count; i++)
		if (session_plan.event[i].request.period)
			return true;
	return false;
}

// Returns whether samples can have a payload that is summarized: records of the processor, or event
// addresses.
static bool has_payloads(void)
{
	for (unsigned unit = 0; unit < session_plan.units; unit++) {
		const struct pmu_records *records = session_plan.unit[unit]->records;

		if (records && records->explain && !records->modifiers)
			return true;
	}
	return session_asks_for(EVENT_PRECISE);
}

// Allocates zeroed memory for each thread. NULL: there is not enough.
static void *take_cleared(size_t size_of_thread)
{
	const size_t size = session_plan.threads * size_of_thread;
	void *memory = memory_take(size);

	return memory ? memset(memory, 0, size) : NULL;
}

// False: there is not enough memory.
static bool prepare_records(void)
{
	struct session_data *data;
	struct session_registers *registers = NULL;

	if (!has_payloads())
		return true;
	data = take_cleared(session_plan.count * sizeof *data);
	if (data && session_plan.registers)
		registers = take_cleared(REGISTERS_MOST * sizeof *registers);
	for (unsigned t = 0; t < session_plan.threads; t++) {
		session_samples[t].data = data ? data + (size_t)t * session_plan.count : NULL;
		session_samples[t].registers = registers ? registers + (size_t)t * REGISTERS_MOST : NULL;
	}
	return data && (registers || !session_plan.registers);
}

// Allocates as much as possible. Samples that do not fit are only counted.
static void prepare_kept(void)
{
	size_t most = KEPT_MOST;
	uint64_t *words;

	while (!(words = memory_take(session_plan.threads * most * sizeof *words)) && most > KEPT_LEAST)
		most /= 2;
	for (unsigned t = 0; words && t < session_plan.threads; t++)
		session_samples[t].kept = (struct session_kept){.word = words + t * most, .most = most};
	if (!words)
		printf("palmon: there is no memory to keep samples: they are counted by address only\n");
}

bool session_prepare_samples(void)
{
	unsigned bits = BITS_MOST;
	size_t size = 0;

	if (!takes_samples())
		return true;
	for (; bits >= BITS_LEAST && !entries; bits--) {
		size = session_plan.threads * sizeof *entries << bits;
		entries = memory_take(size);
	}
	if (!entries || !prepare_records()) {
		boot_refuse("there is no memory for samples");
		return false;
	}
	bits++;
	if (session_plan.output)
		prepare_kept();
	memset(entries, 0, size);
	entry_count = session_plan.threads << bits;
	for (unsigned t = 0; t < session_plan.threads; t++)
		session_samples[t].histogram = (struct histogram){.entry = entries + ((size_t)t << bits), .bits = bits};
	return true;
}

static void forget_kept(struct session_kept *k, unsigned run)
{
	size_t used = 0, size;

	for (size_t at = 0; at < k->used; at += size) {
		const struct pmu_sample *sample = (const struct pmu_sample *)(const void *)(k->word + at);

		size = kept_size(k->word + at, session_plan.calls);
		if (session_plan.event[sample->source.event].run == run)
			continue;
		memmove(k->word + used, k->word + at, size * sizeof *k->word);
		used += size;
	}
	k->used = used;
}

// The emptied entries stay in the table, so that later entries of their probe sequence are still
// found.
void session_forget_samples(unsigned run)
{
	for (unsigned i = 0; i < entry_count; i++) {
		const unsigned event = EVENT_OF(entries[i].what);

		if (entries[i].what && session_plan.event[event].run == run)
			entries[i].count = 0;
	}
	session_forget_records(run);
	for (unsigned t = 0; t < session_plan.threads; t++) {
		session_samples[t].lost = session_samples[t].lost_branches = 0;
		forget_kept(&session_samples[t].kept, run);
		for (unsigned i = 0; i < session_plan.count; i++)
			if (session_plan.event[i].run == run)
				session_threads[t].result[i] = (struct session_result){0};
	}
}

//
// Order
//

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_place(const void *a, const void *b)
{
	const struct histogram_entry *x = a, *y = b;
	int order = compare(WITHOUT_THREAD(x->what), WITHOUT_THREAD(y->what));

	if (!order)
		order = compare(x->from, y->from);
	return order ? order : compare(x->to, y->to);
}

// Keeps only entries with a count, in order.
static void put_in_order(void)
{
	unsigned used = 0;

	for (unsigned i = 0; i < entry_count; i++)
		if (entries[i].count)
			entries[used++] = entries[i];
	entry_count = used;
	qsort(entries, entry_count, sizeof *entries, by_place);
}

unsigned session_entries(uint32_t what, const struct histogram_entry **first)
{
	unsigned start = 0, end;

	while (start < entry_count && WITHOUT_THREAD(entries[start].what) != what)
		start++;
	for (end = start; end < entry_count && WITHOUT_THREAD(entries[end].what) == what; end++)
		;
	*first = entries + start;
	return end - start;
}

//
// The most frequent ones
//

// A function with samples, or a branch with records.
struct frequent {
	char name[2 * PLACE_SIZE];
	uint64_t count, of_thread[HAL_CPUS];
};

static struct {
	struct frequent shown[SHOWN];
	unsigned count;			// number of all, also of those not shown
} most;

// The name is formatted when it is printed.
static void add_frequent(const struct frequent *new)
{
	unsigned at = most.count < SHOWN ? most.count : SHOWN;

	most.count++;
	while (at && (most.shown[at - 1].count < new->count ||
		      (most.shown[at - 1].count == new->count && strcmp(most.shown[at - 1].name, new->name) > 0))) {
		if (at < SHOWN)
			most.shown[at] = most.shown[at - 1];
		at--;
	}
	if (at < SHOWN)
		most.shown[at] = *new;
}

static void count_entry(struct frequent *f, const struct histogram_entry *e)
{
	f->count += e->count;
	f->of_thread[THREAD_OF(e->what)] += e->count;
}

void session_print_share(uint64_t part, uint64_t total)
{
	uint64_t permille = (part * 1000 + total / 2) / total;

	printf("  %3u.%u%%  %7s", (unsigned)(permille / 10), (unsigned)(permille % 10), session_grouped(part));
}

static void print_more(const char *what)
{
	if (most.count > SHOWN)
		printf("  and %u more %s\n", most.count - SHOWN, what);
}

//
// Functions
//

// With one thread draws a bar; with several, prints each thread's share.
static void print_function(const struct frequent *f, uint64_t total)
{
	session_print_share(f->count, total);
	printf("  %-28s", f->name);
	if (session_plan.threads == 1)
		printf(" %.*s", (int)(f->count * BAR_WIDTH / total), "########################################");
	for (unsigned i = 0; session_plan.threads > 1 && i < session_plan.threads; i++)
		printf(" %9s", session_grouped(f->of_thread[i]));
	printf("\n");
}

// The entries of a function are consecutive. Addresses outside all functions are collected
// separately.
static void collect_functions(const struct histogram_entry *e, unsigned count)
{
	const struct symbol *symbol = NULL;
	struct frequent elsewhere = {"(elsewhere)", 0, {0}}, function = {0};

	most.count = 0;
	for (unsigned i = 0; i < count; i++) {
		const struct symbol *next = symbol_find(e[i].from);

		if (next != symbol && function.count)
			add_frequent(&function);
		if (next && next != symbol) {
			function = (struct frequent){0};
			snprintf(function.name, sizeof function.name, "%s", next->name);
		} else if (!next) {
			function = (struct frequent){0};
		}
		symbol = next;
		count_entry(next ? &function : &elsewhere, &e[i]);
	}
	if (function.count)
		add_frequent(&function);
	if (elsewhere.count)
		add_frequent(&elsewhere);
}

// Warns if samples are missing, or were taken with another period than requested.
static void print_what_is_missing(unsigned event)
{
	const struct session_event *e = &session_plan.event[event];
	uint64_t lost = 0, counted = 0;
	bool throttled = false;

	for (unsigned t = 0; t < session_plan.threads; t++) {
		const struct session_result *r = &session_threads[t].result[event];

		throttled |= r->counter.throttled;
		counted += r->count;
		lost += r->counter.samples > r->taken ? r->counter.samples - r->taken : 0;
	}
	if (e->request.period != e->asked)
		printf(" (one in %s is more than its interrupt can bear)", session_grouped(e->asked));
	if (lost)
		printf(", %s more are lost", session_grouped(lost));
	if (throttled)
		printf(", all from before it was THROTTLED, of %s events", session_grouped(counted));
}

static void print_places(unsigned event)
{
	for (unsigned place = 0; place < PMU_PLACES; place++) {
		uint64_t samples = 0;

		for (unsigned t = 0; t < session_plan.threads; t++)
			samples += session_threads[t].result[event].at[place];
		if (samples)
			printf("  addresses of %s samples: %s\n", session_grouped(samples), pmu_place_text(place));
	}
}

static void print_functions(unsigned event)
{
	const struct histogram_entry *first;
	const unsigned count = session_entries(SAMPLE_OF(event), &first);
	uint64_t total = 0;

	for (unsigned i = 0; i < count; i++)
		total += first[i].count;
	if (!total)
		return;
	printf("\nhottest functions, by %s samples of %s, one in %s", session_grouped(total),
	       session_plan.event[event].text, session_grouped(session_plan.event[event].request.period));
	print_what_is_missing(event);
	printf(session_plan.threads > 1 ? ", and by those of each thread:\n" : ":\n");
	collect_functions(first, count);
	for (unsigned i = 0; i < most.count && i < SHOWN; i++)
		print_function(&most.shown[i], total);
	print_more("functions");
	print_places(event);
}

//
// Branch records
//

const char *session_place(uint64_t address, char text[PLACE_SIZE])
{
	const struct symbol *symbol = symbol_find(address);

	if (symbol)
		snprintf(text, PLACE_SIZE, "%s+0x%" PRIx64, symbol->name, address - symbol->address);
	else
		snprintf(text, PLACE_SIZE, "0x%" PRIx64, address);
	return text;
}

static void collect_branches(const struct histogram_entry *e, unsigned count)
{
	most.count = 0;
	for (unsigned i = 0; i < count;) {
		const struct histogram_entry *branch = &e[i];
		char from[PLACE_SIZE], to[PLACE_SIZE];
		struct frequent f = {0};

		for (; i < count && e[i].from == branch->from && e[i].to == branch->to; i++)
			count_entry(&f, &e[i]);
		snprintf(f.name, sizeof f.name, "%s > %s", session_place(branch->from, from),
			 session_place(branch->to, to));
		add_frequent(&f);
	}
}

static void print_branches(unsigned event)
{
	const struct histogram_entry *first;
	const unsigned count = session_entries(BRANCH_OF(event), &first);
	uint64_t total = 0;

	for (unsigned i = 0; i < count; i++)
		total += first[i].count;
	if (!total)
		return;
	printf("\nbranches taken most, by %s branch records of %s:\n", session_grouped(total),
	       session_plan.event[event].text);
	collect_branches(first, count);
	for (unsigned i = 0; i < most.count && i < SHOWN; i++) {
		session_print_share(most.shown[i].count, total);
		printf("  %s\n", most.shown[i].name);
	}
	print_more("branches");
}

void session_print_samples(void)
{
	uint64_t lost = 0, lost_branches = 0;

	put_in_order();
	for (unsigned i = 0; i < session_plan.count; i++)
		if (session_plan.event[i].request.period) {
			print_functions(i);
			print_branches(i);
			session_print_records(i);
		}
	for (unsigned t = 0; t < session_plan.threads; t++) {
		lost += session_samples[t].lost;
		lost_branches += session_samples[t].lost_branches;
	}
	if (lost || lost_branches)
		printf("  no room for %s samples and %s branch records of other functions\n", session_grouped(lost),
		       session_grouped(lost_branches));
}
