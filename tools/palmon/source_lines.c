// SPDX-License-Identifier: BSD-2-Clause
// Source lines by address: source_lines.h.

#define _GNU_SOURCE
#include "source_lines.h"

#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "palmon.h"

static bool no_memory(void)
{
	complain("%s", strerror(ENOMEM));
	return false;
}

static bool add(struct source_lines *l, Dwarf_Addr address, Dwarf_Addr end, const char *file, int line)
{
	if (!file || line <= 0 || end <= address)
		return true;
	if (l->count == l->room) {
		const size_t room = l->room ? 2 * l->room : 4096;
		struct source_line *more = reallocarray(l->of, room, sizeof *more);

		if (!more)
			return no_memory();
		l->of = more;
		l->room = room;
	}
	l->of[l->count++] = (struct source_line){address, end, file, line};
	return true;
}

// A row is of what comes before the next one's address. What is wrong is left out.
static bool add_unit(struct source_lines *l, Dwarf_Die *unit)
{
	Dwarf_Lines *rows;
	size_t count;

	if (dwarf_getsrclines(unit, &rows, &count))
		return true;
	for (size_t i = 0; i + 1 < count; i++) {
		Dwarf_Line *row = dwarf_onesrcline(rows, i), *next = dwarf_onesrcline(rows, i + 1);
		Dwarf_Addr address, end;
		bool last;
		int line;

		if (!dwarf_lineaddr(row, &address) && !dwarf_lineaddr(next, &end) && !dwarf_lineno(row, &line) &&
		    !dwarf_lineendsequence(row, &last) && !last &&
		    !add(l, address, end, dwarf_linesrc(row, NULL, NULL), line))
			return false;
	}
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct source_line *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

bool source_lines_read(struct source_lines *l, const char *elf)
{
	Dwarf_CU *unit = NULL;
	bool ok = true;
	Dwarf_Die die;

	*l = (struct source_lines){.file = open(elf, O_RDONLY)};
	l->open = l->file >= 0;
	if (!l->open) {
		complain("%s: %s", elf, strerror(errno));
		return false;
	}
	l->dwarf = dwarf_begin(l->file, DWARF_C_READ);
	while (ok && l->dwarf && !dwarf_get_units(l->dwarf, unit, &unit, NULL, NULL, &die, NULL))
		ok = add_unit(l, &die);
	if (l->count)
		qsort(l->of, l->count, sizeof *l->of, compare);
	return ok;
}

const struct source_line *source_lines_find(const struct source_lines *l, uint64_t address)
{
	size_t low = 0, high = l->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (l->of[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < l->of[low - 1].end ? &l->of[low - 1] : NULL;
}

void source_lines_free(struct source_lines *l)
{
	free(l->of);
	dwarf_end(l->dwarf);
	if (l->open)
		close(l->file);
	*l = (struct source_lines){0};
}
