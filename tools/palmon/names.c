// SPDX-License-Identifier: BSD-2-Clause
// Function names by address: names.h.

#define _GNU_SOURCE
#include "names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"

bool names_add(struct names *n, uint64_t address, uint64_t end, const char *name)
{
	struct named *more = grow(n->of, n->count, &n->room, sizeof *more);

	if (!more)
		return false;
	n->of = more;
	n->of[n->count] = (struct named){address, end, strdup(name)};
	return n->of[n->count++].name;
}

static int compare(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->name, y->name);
}

void names_sort(struct names *n)
{
	if (n->count)
		qsort(n->of, n->count, sizeof *n->of, compare);
}

const struct named *names_find(const struct names *n, uint64_t address)
{
	size_t low = 0, high = n->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (n->of[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < n->of[low - 1].end ? &n->of[low - 1] : NULL;
}

void names_free(struct names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->of[i].name);
	free(n->of);
}

const char *names_place(const struct names *n, uint64_t address, char text[NAMES_PLACE])
{
	const struct named *f = names_find(n, address);

	if (f)
		snprintf(text, NAMES_PLACE, "%.*s+0x%" PRIx64, NAMES_PLACE - 24, f->name,
			 address - f->address);
	else
		snprintf(text, NAMES_PLACE, "0x%" PRIx64, address);
	return text;
}

const char *names_function(const struct names *n, uint64_t address)
{
	const struct named *f = names_find(n, address);

	return f ? f->name : "(elsewhere)";
}

const char *names_or_address(const struct names *n, uint64_t address, char text[NAMES_PLACE])
{
	const struct named *f = names_find(n, address);

	return f ? f->name : names_place(n, address, text);
}
