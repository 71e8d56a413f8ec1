// SPDX-License-Identifier: BSD-2-Clause
// palmon report --functions and --source: samples by function or source line.

#include <stdlib.h>
#include <string.h>

#include "report.h"

const char *objection_to_functions(const struct view_of *v)
{
	return v->samples->names.count ? NULL :
	       "its file has no names of functions; traces never have";
}

const char *objection_to_lines(const struct view_of *v)
{
	return v->lines->count ? NULL :
				 "there are no source lines: no ELF file with debugging "
				 "information (--elf=IMAGE)";
}

// A function or a source line. A line can have several addresses; its `address` is 0.
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

static int by_address_and_name(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->name, y->name);
}

// Merges equal entries. Returns the number of different ones.
static size_t merge(struct function *f, size_t count)
{
	size_t kept = 0;

	qsort(f, count, sizeof *f, by_address_and_name);
	for (size_t i = 0; i < count; i++)
		if (kept && !by_address_and_name(&f[kept - 1], &f[i]))
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
}, line_columns[] = {
	{"event", "", CELL_TEXT, 0, 0},
	{"samples", "samples", CELL_NUMBER, 10, 0},
	{"share", "share", CELL_SHARE, 6, 0},
	{"line", "line", CELL_TEXT, -1, 0},
};

static bool print_groups(const struct view_of *v, const struct names *names,
			 const struct table_column *column)
{
	const struct table table = {v->form, v->separator, column,
				    sizeof columns / sizeof *columns};
	struct function *f = calloc(v->count + 1, sizeof *f);
	size_t count;

	if (!f)
		return false;
	for (size_t i = 0; i < v->count; i++) {
		const struct named *in = names_find(names, v->row[i]->key.address);
		const uint64_t address = in ? column == columns ? in->address : 0 : UINT64_MAX;

		f[i] = (struct function){in ? in->name : "(elsewhere)", address,
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

bool print_functions(const struct view_of *v)
{
	return print_groups(v, &v->samples->names, columns);
}

bool print_lines(const struct view_of *v)
{
	return print_groups(v, v->lines, line_columns);
}
