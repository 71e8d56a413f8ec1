// SPDX-License-Identifier: BSD-2-Clause
// palmon report --functions: samples by the function that they lie in.

#include <stdlib.h>
#include <string.h>

#include "report.h"

const char *objection_to_functions(const struct view_of *v)
{
	return v->samples->names.count ? NULL : "its file has no names of functions, as traces have none";
}

struct function {
	const char *name;
	uint64_t address, samples;
};

static int by_samples(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int by_address(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

// Puts the same ones together. Returns how many differ.
static size_t merge(struct function *f, size_t count)
{
	size_t kept = 0;

	qsort(f, count, sizeof *f, by_address);
	for (size_t i = 0; i < count; i++)
		if (kept && f[kept - 1].address == f[i].address)
			f[kept - 1].samples += f[i].samples;
		else
			f[kept++] = f[i];
	qsort(f, kept, sizeof *f, by_samples);
	return kept;
}

static const struct table_column columns[] = {
	{"event", "", CELL_TEXT, 0, 0},
	{"samples", "samples", CELL_NUMBER, 10, 0},
	{"share", "share", CELL_SHARE, 6, 0},
	{"function", "function", CELL_TEXT, -1, 0},
};

bool print_functions(const struct view_of *v)
{
	const struct table table = {v->form, v->separator, columns, sizeof columns / sizeof *columns};
	struct function *f = calloc(v->count + 1, sizeof *f);
	size_t count;

	if (!f)
		return false;
	for (size_t i = 0; i < v->count; i++) {
		const struct named *in = names_find(&v->samples->names, v->row[i]->key.address);

		f[i] = (struct function){in ? in->name : "(elsewhere)", in ? in->address : UINT64_MAX,
					 v->row[i]->samples};
	}
	count = merge(f, v->count);
	if (v->form == TABLE_TEXT)
		table_heading(&table);
	for (size_t i = 0; i < count; i++) {
		const struct cell cells[] = {
			{.text = v->event->name}, {.value = f[i].samples},
			{.value = f[i].samples, .of = v->event->samples}, {.text = f[i].name},
		};

		if (is_shown(v, i, count))
			table_row(&table, cells);
	}
	free(f);
	return true;
}
