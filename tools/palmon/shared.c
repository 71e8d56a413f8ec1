// SPDX-License-Identifier: BSD-2-Clause
// palmon report --shared: cache lines that several threads use, as perf c2c finds them. Different
// offsets of the threads in a line are false sharing.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "report.h"

#define LINE_BYTES	64

const char *objection_to_shared(const struct view_of *v)
{
	const char *objection = objection_to_data(v);
	bool several = false;

	for (size_t i = 0; i < v->count; i++)
		several |= v->row[i]->key.cpu != v->row[0]->key.cpu;
	return objection ? objection : several ? NULL : "its samples are of one thread";
}

// A row with a data address, and the sums over all rows of its line.
struct access {
	const struct row *row;
	uint64_t line, samples, stores;
	uint64_t modified;		// in another cache when the load read it
	bool shared;				// by several threads
};

static bool is_modified(const struct row *row)
{
	return row->served == SERVED_L3_MODIFIED || row->served == SERVED_REMOTE_MODIFIED;
}

static uint64_t stores_of(const struct row *row)
{
	return row->access == PAYLOAD_STORE ? row->samples : 0;
}

static int by_data(const void *a, const void *b)
{
	const struct sample_key *x = &((const struct access *)a)->row->key,
		*y = &((const struct access *)b)->row->key;

	return compare_numbers(x->data, y->data);
}

// Lines with modified copies first, then written lines, then lines with most samples; in a line by
// offset.
static int by_line(const void *a, const void *b)
{
	const struct access *x = a, *y = b;
	const struct sample_key *k = &x->row->key, *l = &y->row->key;
	const int orders[] = {
		compare_numbers(y->modified, x->modified),
		compare_numbers(y->stores > 0, x->stores > 0),
		compare_numbers(y->samples, x->samples),
		compare_numbers(x->line, y->line),
		compare_numbers(k->data, l->data), compare_numbers(k->cpu, l->cpu),
		compare_numbers(y->row->samples, x->row->samples),
		compare_numbers(k->address, l->address), compare_numbers(k->source, l->source),
		compare_numbers(k->event, l->event),
	};

	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
		if (orders[i])
			return orders[i];
	return 0;
}

// Sums up the accesses of one line.
static void sum_line(struct access *access, size_t count)
{
	uint64_t samples = 0, stores = 0, modified = 0;
	bool shared = false;

	for (size_t i = 0; i < count; i++) {
		samples += access[i].row->samples;
		stores += stores_of(access[i].row);
		modified += is_modified(access[i].row) ? access[i].row->samples : 0;
		shared |= access[i].row->key.cpu != access->row->key.cpu;
	}
	for (size_t i = 0; i < count; i++) {
		access[i].samples = samples;
		access[i].stores = stores;
		access[i].modified = modified;
		access[i].shared = shared;
	}
}

// Keeps the accesses to shared lines. Returns their number.
static size_t find_shared(struct access *access, size_t count)
{
	size_t end, kept = 0;

	qsort(access, count, sizeof *access, by_data);
	for (size_t first = 0; first < count; first = end) {
		for (end = first; end < count && access[end].line == access[first].line; end++)
			;
		sum_line(&access[first], end - first);
	}
	for (size_t i = 0; i < count; i++)
		if (access[i].shared)
			access[kept++] = access[i];
	qsort(access, kept, sizeof *access, by_line);
	return kept;
}

static const struct table_column columns[] = {
	{"event", "", CELL_TEXT, 0, 0},
	{"line", "line", CELL_ADDRESS, 18, 0},
	{"line_samples", "", CELL_NUMBER, 0, 0},
	{"line_modified", "modified", CELL_NUMBER, 8, 0},
	{"offset", "offset", CELL_NUMBER, 6, 0},
	{"thread", "thread", CELL_NUMBER, 6, 0},
	{"loads", "loads", CELL_NUMBER, 7, 0},
	{"stores", "stores", CELL_NUMBER, 7, 0},
	{"source", "", CELL_TEXT, 0, 0},
	{"function", "function: source", CELL_TEXT, -1, 0},
};

// The function; in a table with the source, because only the last column can be text.
static const char *function_of(const struct view_of *v, const struct row *row,
			       char text[2 * NAMES_PLACE])
{
	const char *source = v->form == TABLE_TEXT ? row->source_name : NULL;
	char place[NAMES_PLACE];

	snprintf(text, 2 * NAMES_PLACE, "%.*s%s%s", NAMES_PLACE - 1,
		 names_or_address(&v->samples->names, row->key.address, place),
		 source ? ": " : "", source ? source : "");
	return text;
}

static void print_accesses(const struct view_of *v, const struct access *access, size_t count)
{
	const struct table table = {v->form, v->separator, columns,
				    sizeof columns / sizeof *columns};
	uint64_t lines = 0, written = 0, samples = 0, modified = 0;
	char text[2 * NAMES_PLACE];

	if (v->form == TABLE_TEXT)
		table_heading(&table);
	for (size_t i = 0; i < count; i++) {
		const struct row *row = access[i].row;
		const struct cell cells[] = {
			{.text = v->samples->event[row->key.event].name},
			{.value = access[i].line},
			{.value = access[i].samples},
			{.value = access[i].modified}, {.value = row->key.data % LINE_BYTES},
			{.value = row->key.cpu},
			{.value = row->samples - stores_of(row)}, {.value = stores_of(row)},
			{.text = row->source_name ? row->source_name : ""},
			{.text = function_of(v, row, text)},
		};

		if (is_shown(v, i, count))
			table_row(&table, cells);
		if (!i || access[i - 1].line != access[i].line) {
			lines++;
			written += access[i].stores > 0;
		}
		samples += row->samples;
		modified += is_modified(row) ? row->samples : 0;
	}
	print_remark(v, "%" PRIu64 " lines of %d bytes are used by several threads, %" PRIu64
		     " of them in samples of stores: %" PRIu64 " samples, of which %" PRIu64
		     " read another cache's modified copy", lines, LINE_BYTES, written, samples,
		     modified);
	print_without_data(v);
}

bool print_shared(const struct view_of *v)
{
	struct access *access = calloc(v->count + 1, sizeof *access);
	size_t count = 0;

	if (!access)
		return false;
	for (size_t i = 0; i < v->count; i++)
		if (v->row[i]->key.has_data)
			access[count++] = (struct access){
				.row = v->row[i],
				.line = v->row[i]->key.data / LINE_BYTES * LINE_BYTES,
			};
	print_accesses(v, access, find_shared(access, count));
	free(access);
	return true;
}
