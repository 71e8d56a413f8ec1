/* SPDX-License-Identifier: BSD-2-Clause */
/* Source lines by address, from a program's debugging information (DWARF). */
#ifndef SOURCE_LINES_H
#define SOURCE_LINES_H

#include "names.h"

/* Adds the lines of an ELF file as names "file:line". A file without lines is no error. False after
 * a complaint: it cannot be read, or no memory. */
bool source_lines_read(struct names *lines, const char *elf);

#endif
