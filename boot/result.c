// SPDX-License-Identifier: BSD-2-Clause
// Memory for the results of the measured session, and the order and text in which printers need
// them.

#include "result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot.h"
#include "symbols.h"

#define BITS_MOST	15	/* log2 of results->entry of a thread's histogram: 2^15 are 1 MiB */
#define BITS_LEAST	8
#define KEPT_MOST	(512 * 1024)	/* words of a thread's kept samples: 4 MiB, */
#define KEPT_LEAST	1024		/* or less if there is less memory */

//
// Memory
//

static bool takes_samples(const struct session_results *results)
{
	for (unsigned i = 0; i < results->plan->count; i++)
		if (results->plan->event[i].request.period || session_by_time(results->plan, i))
			return true;
	return false;
}

// Returns whether samples can have a payload that is summarized: records of the processor, or event
// addresses.
static bool has_payloads(const struct session_results *results)
{
	for (unsigned unit = 0; unit < results->plan->units; unit++) {
		const struct pmu_records *records = results->plan->unit[unit]->records;

		if (records && records->explain && !records->modifiers)
			return true;
	}
	return session_asks_for(results->plan, EVENT_PRECISE);
}

// Allocates zeroed memory for each thread. NULL: there is not enough.
static void *take_cleared(const struct session_results *results, size_t size_of_thread)
{
	const size_t size = results->plan->threads * size_of_thread;
	void *memory = memory_take(size);

	return memory ? memset(memory, 0, size) : NULL;
}

// False: there is not enough memory.
static bool prepare_records(struct session_results *results)
{
	struct session_data *data;
	struct session_registers *registers = NULL;

	if (!has_payloads(results))
		return true;
	data = take_cleared(results, results->plan->count * sizeof *data);
	if (data && results->plan->registers)
		registers = take_cleared(results, REGISTERS_MOST * sizeof *registers);
	for (unsigned t = 0; t < results->plan->threads; t++) {
		results->samples[t].data = data ? data + (size_t)t * results->plan->count : NULL;
		results->samples[t].registers = registers ? registers + (size_t)t * REGISTERS_MOST :
			NULL;
	}
	return data && (registers || !results->plan->registers);
}

// Allocates as much as possible. Samples that do not fit are only counted.
static void prepare_kept(struct session_results *results)
{
	size_t most = KEPT_MOST;
	uint64_t *words;

	while (!(words = memory_take(results->plan->threads * most * sizeof *words)) &&
	       most > KEPT_LEAST)
		most /= 2;
	for (unsigned t = 0; words && t < results->plan->threads; t++)
		results->samples[t].kept =
			(struct session_kept){.word = words + t * most, .most = most};
	if (!words)
		printf("palmon: there is no memory to keep samples: they are counted by address "
		       "only\n");
}

bool session_prepare_samples(struct session_results *results)
{
	unsigned bits = BITS_MOST;
	size_t size = 0;

	if (!takes_samples(results))
		return true;
	for (; bits >= BITS_LEAST && !results->entry; bits--) {
		size = results->plan->threads * sizeof *results->entry << bits;
		results->entry = memory_take(size);
	}
	if (!results->entry || !prepare_records(results)) {
		boot_refuse("there is no memory for samples");
		return false;
	}
	bits++;
	if (results->plan->output)
		prepare_kept(results);
	memset(results->entry, 0, size);
	results->entries = results->plan->threads << bits;
	for (unsigned t = 0; t < results->plan->threads; t++)
		results->samples[t].histogram = (struct histogram){
			.entry = results->entry + ((size_t)t << bits), .bits = bits,
		};
	return true;
}

static void forget_kept(const struct session_results *results, struct session_kept *k, unsigned run)
{
	size_t used = 0, size;

	for (size_t at = 0; at < k->used; at += size) {
		const struct pmu_sample *sample =
			(const struct pmu_sample *)(const void *)(k->word + at);

		size = kept_size(k->word + at, results->plan->calls);
		if (results->plan->event[sample->source.event].run == run)
			continue;
		memmove(k->word + used, k->word + at, size * sizeof *k->word);
		used += size;
	}
	k->used = used;
}

static void forget_registers(const struct session_results *results, struct session_registers *r,
			     unsigned run)
{
	for (unsigned i = 0; r && i < REGISTERS_MOST && r[i].kind; i++)
		if (results->plan->event[EVENT_OF(r[i].kind)].run == run)
			memset(r[i].contents, 0, sizeof r[i].contents);
}

static void forget_records(struct session_results *results, unsigned run)
{
	for (unsigned t = 0; t < results->plan->threads; t++) {
		struct session_data *data = results->samples[t].data;

		forget_registers(results, results->samples[t].registers, run);
		for (unsigned i = 0; data && i < results->plan->count; i++)
			if (results->plan->event[i].run == run)
				data[i] = (struct session_data){0};
	}
}

// The emptied entries stay in the table, so that later entries of their probe sequence are still
// found.
void session_forget_samples(struct session_results *results, unsigned run)
{
	for (unsigned i = 0; i < results->entries; i++) {
		const unsigned event = EVENT_OF(results->entry[i].kind);

		if (results->entry[i].kind && results->plan->event[event].run == run)
			results->entry[i].count = results->entry[i].events = 0;
	}
	forget_records(results, run);
	for (unsigned t = 0; t < results->plan->threads; t++) {
		results->samples[t].lost = results->samples[t].lost_branches = 0;
		forget_kept(results, &results->samples[t].kept, run);
		for (unsigned i = 0; i < results->plan->count; i++)
			if (results->plan->event[i].run == run)
				results->thread[t].result[i] = (struct session_result){0};
	}
}

//
// Counts
//

bool session_count(const struct session_results *results, unsigned event, unsigned thread,
		   uint64_t *count)
{
	const struct session_thread *t = &results->thread[thread];
	const struct session_result *r = &t->result[event];

	*count = r->count;
	return !session_is_scaled(results->plan, event) ||
	       pmu_scale(r->count, r->clocks, t->clocks_of_groups, count);
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
	int order = compare(WITHOUT_THREAD(x->kind), WITHOUT_THREAD(y->kind));

	if (!order)
		order = compare(x->from, y->from);
	return order ? order : compare(x->to, y->to);
}

void session_order_samples(struct session_results *results)
{
	unsigned used = 0;

	for (unsigned i = 0; i < results->entries; i++)
		if (results->entry[i].count)
			results->entry[used++] = results->entry[i];
	results->entries = used;
	qsort(results->entry, results->entries, sizeof *results->entry, by_place);
}

unsigned session_entries(const struct session_results *results, uint32_t kind,
			 const struct histogram_entry **first)
{
	unsigned start = 0, end;

	while (start < results->entries && WITHOUT_THREAD(results->entry[start].kind) != kind)
		start++;
	for (end = start;
	     end < results->entries && WITHOUT_THREAD(results->entry[end].kind) == kind; end++)
		;
	*first = results->entry + start;
	return end - start;
}

//
// Text
//

const char *session_grouped(uint64_t number)
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

const char *session_place(uint64_t address, char text[PLACE_SIZE])
{
	const struct symbol *symbol = symbol_find(address);

	if (symbol)
		snprintf(text, PLACE_SIZE, "%s+0x%" PRIx64, symbol->name,
			 address - symbol->address);
	else
		snprintf(text, PLACE_SIZE, "0x%" PRIx64, address);
	return text;
}

void session_print_share(uint64_t part, uint64_t total)
{
	uint64_t permille = (part * 1000 + total / 2) / total;

	printf("  %3u.%u%%  %7s", (unsigned)(permille / 10), (unsigned)(permille % 10),
	       session_grouped(part));
}
