/* SPDX-License-Identifier: BSD-2-Clause */
/* Source lines by address, as a program's debugging information (DWARF) has them. */
#ifndef SOURCE_LINES_H
#define SOURCE_LINES_H

#include "names.h"

/* Adds the lines of an ELF file, named "file:line". That it has none is no failure. False after a complaint: it cannot
 * be read, or there is no memory. */
bool source_lines_read(struct names *lines, const char *elf);

#endif
