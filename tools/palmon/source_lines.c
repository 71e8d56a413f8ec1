// SPDX-License-Identifier: BSD-2-Clause
// Source lines by address: source_lines.h.

#define _GNU_SOURCE
#include "source_lines.h"

#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "palmon.h"

// Adds a row of the line table, which is valid up to the next row's address. Skips invalid rows.
static bool add_row(struct names *lines, Dwarf_Line *row, Dwarf_Line *next)
{
	const char *file = dwarf_linesrc(row, NULL, NULL);
	char text[PATH_MAX + 16];
	Dwarf_Addr address, end;
	bool last;
	int line;

	if (!file || dwarf_lineaddr(row, &address) || dwarf_lineaddr(next, &end) ||
	    dwarf_lineno(row, &line) ||
	    dwarf_lineendsequence(row, &last) || last || line <= 0 || end <= address)
		return true;
	snprintf(text, sizeof text, "%.*s:%d", PATH_MAX, file, line);
	return names_add(lines, address, end, text);
}

static bool add_unit(struct names *lines, Dwarf_Die *unit)
{
	Dwarf_Lines *rows;
	size_t count;
	bool ok = true;

	if (dwarf_getsrclines(unit, &rows, &count))
		return true;
	for (size_t i = 0; ok && i + 1 < count; i++)
		ok = add_row(lines, dwarf_onesrcline(rows, i), dwarf_onesrcline(rows, i + 1));
	return ok;
}

bool source_lines_read(struct names *lines, const char *elf)
{
	const int file = open(elf, O_RDONLY);
	Dwarf_CU *unit = NULL;
	bool ok = file >= 0;
	Dwarf *dwarf;
	Dwarf_Die die;

	if (!ok) {
		complain("%s: %s", elf, strerror(errno));
		return false;
	}
	dwarf = dwarf_begin(file, DWARF_C_READ);
	while (ok && dwarf && !dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL))
		ok = add_unit(lines, &die);
	dwarf_end(dwarf);
	close(file);
	if (!ok)
		complain("%s", strerror(ENOMEM));
	names_sort(lines);
	return ok;
}
