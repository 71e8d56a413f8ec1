// SPDX-License-Identifier: BSD-2-Clause
// palmon report --registers, --working-set and --average: evaluations of samples from the
// performance analysis guide, other than latencies and branches.

#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "data_address.h"
#include "palmon.h"
#include "report.h"

#define COLUMNS_OF(columns) (columns), sizeof (columns) / sizeof *(columns)

//
// Registers: the guide, "Loop Tripcounts" and "Branch Analysis". A loop compares two
// registers before its branch; the register with the greater average holds the trip count.
//

const char *objection_to_registers(const struct view_of *v)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->row[i]->register_name)
			return NULL;
	return "its samples have no registers; the processor's records have: p";
}

static const struct table_column register_columns[] = {
	{"event", "", CELL_TEXT, 0, 0},
	{"address", "address", CELL_ADDRESS, 18, 0},
	{"place", "", CELL_TEXT, 0, 0},
	{"samples", "samples", CELL_NUMBER, 7, 0},
	{"average", "average", CELL_RATIO, 9, 1},
	{"rms", "rms", CELL_RATIO, 9, 1},
	{"least", "least", CELL_NUMBER, 8, 0},
	{"most", "most", CELL_NUMBER, 8, 0},
	{"register", "register", CELL_TEXT, -1, 0},
};

static struct cell cell_of(struct spread_value value)
{
	return (struct cell){.value = value.magnitude, .of = value.of, .negative = value.negative};
}

bool print_registers(const struct view_of *v)
{
	const struct table table = {v->form, v->separator, COLUMNS_OF(register_columns)};
	uint64_t without = 0;

	if (v->form == TABLE_TEXT)
		table_heading(&table);
	for (size_t i = 0; i < v->count; i++) {
		const struct row *row = v->row[i];

		if (!row->register_name) {
			without += row->samples;
		} else if (is_shown(v, i, v->count)) {
			const struct cell cells[] = {
				{.text = v->event->name}, {.value = row->key.address},
				{.text = pmu_place_word(row->key.place)}, {.value = row->samples},
				cell_of(spread_average(&row->latency)),
				row->latency.too_large ? (struct cell){.absent = true} :
							 cell_of(spread_rms(&row->latency)),
				cell_of(spread_integer(row->latency.least)),
				cell_of(spread_integer(row->latency.most)),
				{.text = row->register_name},
			};

			table_row(&table, cells);
		}
	}
	if (without)
		print_remark(v, "%" PRIu64 " samples have no registers", without);
	return true;
}

//
// Samples without data addresses
//

// The samples of each reason.
static void count_reasons(const struct view_of *v, uint64_t samples[DATA_ADDRESSES])
{
	for (size_t i = 0; i < v->count; i++)
		samples[v->row[i]->key.no_data] += v->row[i]->samples;
}

const char *objection_to_data(const struct view_of *v)
{
	uint64_t samples[DATA_ADDRESSES] = {0};
	unsigned reason = DATA_NO_ACCESS;
	static char text[128];

	count_reasons(v, samples);
	if (samples[DATA_KNOWN])
		return NULL;
	samples[DATA_NO_ACCESS] = 0;
	for (unsigned i = DATA_KNOWN + 1; i < DATA_NO_ACCESS; i++)
		reason = samples[i] > samples[reason] ? i : reason;
	snprintf(text, sizeof text, "its samples have no data addresses: %s",
		 data_address_text(reason));
	return text;
}

void print_without_data(const struct view_of *v)
{
	uint64_t samples[DATA_ADDRESSES] = {0};

	count_reasons(v, samples);
	for (unsigned i = DATA_KNOWN + 1; i < DATA_NO_ACCESS; i++)
		if (samples[i])
			print_remark(v, "%" PRIu64 " samples have no data address: %s", samples[i],
				     data_address_text(i));
}

//
// Working set: the guide, Appendix I. Only memory tells the home of a line: the guide, "Precise
// Memory Access Events".
//

#define LINE_BITS	6
#define PAGE_BITS	12

struct page {
	uint64_t number, samples, stores, lines;
	uint64_t local, remote;		// samples that this package's memory served, another one's
};

static int by_data(const void *a, const void *b)
{
	return compare_numbers((*(struct row *const *)a)->key.data,
			       (*(struct row *const *)b)->key.data);
}

static int by_samples(const void *a, const void *b)
{
	const struct page *x = a, *y = b;

	return x->samples == y->samples ? compare_numbers(x->number, y->number) :
	       compare_numbers(y->samples, x->samples);
}

static bool is_local(enum payload_served served)
{
	return served == SERVED_MEMORY || served == SERVED_MEMORY_SHARED ||
		served == SERVED_REMOTE_CLEAN;		// guide, Table 5: "local home requests"
}

static bool is_remote(enum payload_served served)
{
	return served == SERVED_REMOTE_MEMORY || served == SERVED_REMOTE_MEMORY_SHARED;
}

static void add_access(struct page *page, const struct row *row)
{
	page->samples += row->samples;
	page->stores += row->access == PAYLOAD_STORE ? row->samples : 0;
	page->local += is_local(row->served) ? row->samples : 0;
	page->remote += is_remote(row->served) ? row->samples : 0;
}

// Collects the pages of rows that are ordered by data address.
static size_t collect_pages(struct row *const *row, size_t count, struct page *pages)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		const uint64_t data = row[i]->key.data;
		const bool new = !used || pages[used - 1].number != data >> PAGE_BITS;

		if (new)
			pages[used++] = (struct page){.number = data >> PAGE_BITS};
		add_access(&pages[used - 1], row[i]);
		pages[used - 1].lines += new ||
			row[i - 1]->key.data >> LINE_BITS != data >> LINE_BITS;
	}
	return used;
}

static const struct table_column page_columns[] = {
	{"samples", "samples", CELL_NUMBER, 10, 0},
	{"share", "share", CELL_SHARE, 6, 0},
	{"stores", "stores", CELL_NUMBER, 9, 0},
	{"lines", "lines", CELL_NUMBER, 6, 0},
	{"local", "local", CELL_NUMBER, 7, 0},
	{"remote", "remote", CELL_NUMBER, 7, 0},
	{"page", "page", CELL_ADDRESS, 18, 0},
};

static void print_pages(const struct view_of *v, const struct page *pages, size_t count)
{
	const struct table table = {v->form, v->separator, COLUMNS_OF(page_columns)};
	struct page sum = {0};

	for (size_t i = 0; i < count; i++) {
		sum.samples += pages[i].samples;
		sum.lines += pages[i].lines;
	}
	print_remark(v, "%zu pages of %u bytes: %" PRIu64 " bytes; in them %" PRIu64
		     " lines of %u bytes: %" PRIu64
		   " bytes", count, 1u << PAGE_BITS, (uint64_t)count << PAGE_BITS, sum.lines,
		   1u << LINE_BITS, sum.lines << LINE_BITS);
	if (v->form == TABLE_TEXT)
		table_heading(&table);
	for (size_t i = 0; i < count; i++) {
		const struct page *p = &pages[i];
		const struct cell cells[] = {
			{.value = p->samples}, {.value = p->samples, .of = sum.samples},
			{.value = p->stores}, {.value = p->lines}, {.value = p->local},
			{.value = p->remote}, {.value = p->number << PAGE_BITS},
		};

		if (is_shown(v, i, count))
			table_row(&table, cells);
	}
}

bool print_working_set(const struct view_of *v)
{
	struct page *pages = calloc(v->count + 1, sizeof *pages);
	struct row **row = calloc(v->count + 1, sizeof *row);
	size_t rows = 0;

	if (pages && row) {
		for (size_t i = 0; i < v->count; i++)
			if (v->row[i]->key.has_data)
				row[rows++] = v->row[i];
		qsort(row, rows, sizeof *row, by_data);
		rows = collect_pages(row, rows, pages);
		qsort(pages, rows, sizeof *pages, by_samples);
		print_pages(v, pages, rows);
		print_without_data(v);
	}
	free(row);
	free(pages);
	return row && pages;
}

//
// Executions of basic blocks: the guide, "Basic Block Execution Count = sum of the block's samples
// of retired instructions x Sample After Value / number of instructions in the block". The trip
// count of a loop is the ratio of its block's executions to those of the block before it.
//

const char *objection_to_average(const struct view_of *v)
{
	const char *text = "instructions";
	struct event_request retired;

	if (event_parse(v->event->driver->events, &text, &retired) ||
	    v->event->request.event->code != retired.event->code || v->event->request.cmask)
		return "executions follow from samples of retired instructions";
	return NULL;
}

static const struct table_column average_columns[] = {
	{"event", "", CELL_TEXT, 0, 0},
	{"count", "count", CELL_RATIO, 16, 2},
	{"ratio", "to the last", CELL_RATIO, 14, 2},
	{"samples", "samples", CELL_NUMBER, 10, 0},
	{"first", "first", CELL_ADDRESS, 18, 0},
	{"last", "last", CELL_ADDRESS, 18, 0},
};

static uint64_t samples_in(const struct view_of *v, const struct block *block)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < v->count; i++)
		if (v->row[i]->key.address >= block->first && v->row[i]->key.address <= block->last)
			samples += v->row[i]->samples;
	return samples;
}

bool print_average(const struct view_of *v)
{
	const struct table table = {v->form, v->separator, COLUMNS_OF(average_columns)};
	uint64_t before = 0;

	if (v->form == TABLE_TEXT)
		table_heading(&table);
	for (size_t i = 0; i < v->blocks; i++) {
		const struct block *b = &v->block[i];
		const uint64_t samples = samples_in(v, b);
		const struct cell cells[] = {
			{.text = v->event->name},
			{.value = samples * v->event->period, .of = b->instructions},
			{.value = i ? samples * b[-1].instructions : 0,
			 .of = before * b->instructions,
			 .absent = !before},
			{.value = samples}, {.value = b->first}, {.value = b->last},
		};

		table_row(&table, cells);
		before = samples;
	}
	return true;
}
