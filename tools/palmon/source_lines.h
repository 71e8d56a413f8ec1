/* SPDX-License-Identifier: BSD-2-Clause */
/* Source lines by address, as a program's debugging information (DWARF) has them. */
#ifndef SOURCE_LINES_H
#define SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of addresses from `address` up to, not including, `end`. */
struct source_line {
	uint64_t address, end;
	const char *file;
	int line;
};

struct source_lines {
	struct source_line *of;
	size_t count, room;
	void *dwarf;			/* keeps the names, */
	int file;			/* of this open file, if there is one */
	bool open;
};

/* Reads them, of an ELF file. That it has none is no failure. False after a complaint: the file cannot be read. */
bool source_lines_read(struct source_lines *lines, const char *elf);

/* The one that an address is of; NULL: it is not known. */
const struct source_line *source_lines_find(const struct source_lines *lines, uint64_t address);

void source_lines_free(struct source_lines *lines);

#endif
