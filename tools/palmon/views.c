// SPDX-License-Identifier: BSD-2-Clause
// palmon report --sources, --latencies and --calls.

#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "palmon.h"
#include "report.h"

//
// Latencies by the level that served the load: the guide's text at Table 5
//

const char *objection_to_sources(const struct view_of *v)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->row[i]->key.has_source)
			return NULL;
	return "none of its samples has the level that served a load";
}

static const struct table_column source_columns[] = {
	{"event", "", CELL_TEXT, 0, 0},
	{"samples", "samples", CELL_NUMBER, 10, 0},
	{"share", "share", CELL_SHARE, 6, 0},
	{"latency", "latency", CELL_RATIO, 9, 1},
	{"latency_least", "least", CELL_NUMBER, 7, 0},
	{"latency_most", "most", CELL_NUMBER, 7, 0},
	{"code", "code", CELL_NUMBER, 4, 0},
	{"source", "source", CELL_TEXT, -1, 0},
};

#define COLUMNS_OF(columns) (columns), sizeof (columns) / sizeof *(columns)

// The guide, "General Exploration": loads are sampled at random. The sampled fraction of the loads
// that missed the L3 cache is the number of samples with such a source, times the period, divided
// by the count of all such loads.
void print_fraction(const struct view_of *v)
{
	const struct sampled_event *all = NULL;
	uint64_t missed = 0, permille;

	for (unsigned i = 0; i < v->samples->event_count && !all; i++)
		if (!strcmp(v->samples->event[i].request.event->name, SERVED_MISSED_EVENT))
			all = &v->samples->event[i];
	for (size_t i = 0; i < v->count; i++)
		missed += served_missed(v->row[i]->served) ? v->row[i]->samples : 0;
	if (!all || !all->count)
		return;
	permille = (uint64_t)(((unsigned __int128)2000 * missed * v->event->period + all->count) /
			      2 / all->count);
	print_remark(v, "sampling fraction: %" PRIu64 " samples x %" PRIu64
		     " missed the L3 cache, of %" PRIu64
		   " loads that did (%s): %" PRIu64 ".%" PRIu64 "%%", missed, v->event->period,
		   all->count, all->name, permille / 10, permille % 10);
}

bool print_sources(const struct view_of *v)
{
	const struct table table = {v->form, v->separator, COLUMNS_OF(source_columns)};
	uint64_t without = 0;

	if (v->form == TABLE_TEXT)
		table_heading(&table);
	for (size_t i = 0; i < v->count; i++) {
		const struct row *row = v->row[i];
		const struct cell cells[] = {
			{.text = v->event->name}, {.value = row->samples},
			{.value = row->samples, .of = v->event->samples},
			{.value = (uint64_t)row->latency.sum, .of = row->latency.count,
			 .absent = !row->latency.count},
			{.value = (uint64_t)row->latency.least, .absent = !row->latency.count},
			{.value = (uint64_t)row->latency.most, .absent = !row->latency.count},
			{.value = row->key.source},
			{.text = row->source_name ? row->source_name : ""},
		};

		if (!row->key.has_source)
			without += row->samples;
		else if (is_shown(v, i, v->count))
			table_row(&table, cells);
	}
	if (without)
		print_remark(v, "%" PRIu64 " samples do not have the level that served the load",
			     without);
	print_fraction(v);
	return true;
}

//
// The distribution of the latencies from each source: averages hide its shape
//

#define BAR_WIDTH	40

const char *objection_to_latencies(const struct view_of *v)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->row[i]->latency.count)
			return NULL;
	return "its samples have no latencies";
}

static const struct table_column latency_columns[] = {
	{"event", "", CELL_TEXT, 0, 0},
	{"code", "", CELL_NUMBER, 0, 0},
	{"source", "", CELL_TEXT, 0, 0},
	{"samples", "samples", CELL_NUMBER, 8, 0},
	{"share", "share", CELL_SHARE, 6, 0},
	{"from", "from", CELL_NUMBER, 7, 0},
	{"to", "to", CELL_NUMBER, 7, 0},
	{"bar", "cycles", CELL_TEXT, -1, 0},	// in tables only
};

// By source, then by latency.
static int by_latency(const void *a, const void *b)
{
	const struct sample_key *k = &(*(struct row *const *)a)->key,
		*l = &(*(struct row *const *)b)->key;

	return k->source != l->source ? compare_numbers(k->source, l->source) :
		compare_numbers(k->index, l->index);
}

// Prints a range of latencies. Its bounds are powers of two: 0, 1, 2 to 3, 4 to 7.
static void print_range(const struct view_of *v, const struct table *table, const struct row *row)
{
	const unsigned bits = row->key.index - 1u;
	const uint64_t least = bits ? 1ULL << (bits - 1) : 0;
	const struct cell cells[] = {
		{.text = v->event->name}, {.value = row->key.source},
		{.text = row->source_name ? row->source_name : ""}, {.value = row->samples},
		{.value = row->samples, .of = v->event->samples}, {.value = least},
		{.value = least ? 2 * least - 1 : 0},
		{.text = "########################################" + BAR_WIDTH -
			 row->samples * BAR_WIDTH / v->event->samples},
	};

	table_row(table, cells);
}

bool print_latencies(const struct view_of *v)
{
	struct table table = {v->form, v->separator, COLUMNS_OF(latency_columns)};
	struct row **row = calloc(v->count + 1, sizeof *row);

	if (!row)
		return false;
	table.columns -= v->form != TABLE_TEXT;
	memcpy(row, v->row, v->count * sizeof *row);
	qsort(row, v->count, sizeof *row, by_latency);
	for (size_t i = 0; i < v->count; i++) {
		const bool new = !i || row[i]->key.source != row[i - 1]->key.source;

		if (!row[i]->key.index)
			continue;
		if (new && v->form == TABLE_TEXT) {
			printf("%s%s", row[i]->source_name ? row[i]->source_name : "",
			       row[i]->source_name ? "\n" : "");
			table_heading(&table);
		}
		print_range(v, &table, row[i]);
	}
	print_fraction(v);
	free(row);
	return true;
}

//
// Calls: the guide, "Call Counts and Function Arguments". The youngest branch record is the call.
//

const char *objection_to_calls(const struct view_of *v)
{
	const struct event_request *r = &v->event->request;

	if (!strstr(r->event->name, "NEAR_CALL") || r->umask != r->event->umask)
		return "samples of other events are biased: calls need an event NEAR_CALL";
	for (size_t i = 0; i < v->count; i++)
		if (v->row[i]->key.steps)
			return NULL;
	return "its samples have no branch records; with lbr they have";
}

struct call {
	uint64_t caller, callee, samples;
};

// The call of a row. False: its records do not end with a call. The address in the record of a
// precise sample is the callee's first instruction.
static bool call_of(const struct view_of *v, const struct row *row, struct call *call)
{
	const struct sample_key *key = &row->key;
	const struct sample_step *last;

	if (key->steps < 2)
		return false;
	last = &key->step[key->steps - 1];
	if (last->kind != STEP_TARGET || last[-1].kind != STEP_BRANCH)
		return false;
	*call = (struct call){last[-1].address, last->address, row->samples};
	return !(v->event->request.modifiers & EVENT_PRECISE) || key->ip == last->address;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_places(const void *a, const void *b)
{
	const struct call *x = a, *y = b;
	int order = compare(x->caller, y->caller);

	return order ? order : compare(x->callee, y->callee);
}

static int compare_calls(const void *a, const void *b)
{
	const struct call *x = a, *y = b;
	int order = compare(y->samples, x->samples);

	return order ? order : compare_places(x, y);
}

// Merges equal calls. Returns the number of different ones.
static size_t merge_calls(struct call *calls, size_t count)
{
	size_t kept = 0;

	qsort(calls, count, sizeof *calls, compare_places);
	for (size_t i = 0; i < count; i++)
		if (kept && !compare_places(&calls[kept - 1], &calls[i]))
			calls[kept - 1].samples += calls[i].samples;
		else
			calls[kept++] = calls[i];
	qsort(calls, kept, sizeof *calls, compare_calls);
	return kept;
}

static const struct table_column call_columns[] = {
	{"event", "", CELL_TEXT, 0, 0},
	{"calls", "calls", CELL_NUMBER, 16, 0},
	{"samples", "samples", CELL_NUMBER, 10, 0},
	{"share", "share", CELL_SHARE, 6, 0},
	{"caller", "caller", CELL_ADDRESS, 18, 0},
	{"callee", "callee", CELL_ADDRESS, 18, 0},
};

bool print_calls(const struct view_of *v)
{
	const struct table table = {v->form, v->separator, COLUMNS_OF(call_columns)};
	struct call *calls = calloc(v->count + 1, sizeof *calls);
	uint64_t without = 0;
	size_t count = 0;

	if (!calls)
		return false;
	for (size_t i = 0; i < v->count; i++)
		if (call_of(v, v->row[i], &calls[count]))
			count++;
		else
			without += v->row[i]->samples;
	count = merge_calls(calls, count);
	if (v->form == TABLE_TEXT)
		table_heading(&table);
	for (size_t i = 0; i < count; i++) {
		const struct cell cells[] = {
			{.text = v->event->name}, {.value = calls[i].samples * v->event->period},
			{.value = calls[i].samples},
			{.value = calls[i].samples, .of = v->event->samples},
			{.value = calls[i].caller}, {.value = calls[i].callee},
		};

		if (is_shown(v, i, count))
			table_row(&table, cells);
	}
	free(calls);
	if (without)
		print_remark(v, "%" PRIu64 " samples have no record of their call", without);
	return true;
}
