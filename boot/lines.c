// SPDX-License-Identifier: BSD-2-Clause
// Numbered lines with a checksum.

#include "lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static char line[LINES_TEXT + 16];	// with its checksum
static unsigned length, number;
static char sign;
static void (*write_line)(const char *text, size_t size);

static struct {
	char *text;
	size_t room, used;
} keep;

static void write_to_output(const char *text, size_t size)
{
	fwrite(text, 1, size, stdout);
}

void lines_begin(char with, void (*write)(const char *text, size_t size), char *text, size_t room)
{
	sign = with;
	write_line = write ? write : write_to_output;
	number = length = 0;
	keep.text = text;
	keep.room = text ? room : 0;
	keep.used = 0;
}

void lines_add(const char *format, ...)
{
	va_list arguments;
	int more;

	if (!length)
		length = (unsigned)snprintf(line, LINES_TEXT, "%c%u ", sign, number++);
	va_start(arguments, format);
	more = vsnprintf(line + length, LINES_TEXT - length, format, arguments);
	va_end(arguments);
	length = length + (unsigned)more < LINES_TEXT ? length + (unsigned)more : LINES_TEXT - 1;
}

void lines_end(void)
{
	length += (unsigned)snprintf(line + length, sizeof line - length, " %08" PRIx32 "\n",
				     lines_checksum(line, length));
	write_line(line, length);
	if (keep.room - keep.used >= length) {
		memcpy(keep.text + keep.used, line, length);
		keep.used += length;
	}
	length = 0;
}

size_t lines_kept(void)
{
	return keep.used;
}
