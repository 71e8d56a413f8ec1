// SPDX-License-Identifier: BSD-2-Clause
// Blocks of JSON objects with a running checksum.

#include "block.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define PIECE 256

static struct {
	void (*out)(const char *text, size_t size);
	uint32_t checksum;		// of the text of all lines so far
	bool in_line;
	char *kept;
	size_t room, used;
} block;

static void write_to_output(const char *text, size_t size)
{
	fwrite(text, 1, size, stdout);
}

static void put(const char *text, size_t size)
{
	const size_t room = block.room - block.used, kept = size < room ? size : room;

	block.out(text, size);
	if (kept)
		memcpy(block.kept + block.used, text, kept);
	block.used += kept;
}

static void add(const char *text, size_t size)
{
	if (!block.in_line)
		put("@", 1);
	block.in_line = true;
	block.checksum = block_checksum(block.checksum, text, size);
	put(text, size);
}

void block_begin(void (*out)(const char *text, size_t size), char *keep, size_t room)
{
	block.out = out ? out : write_to_output;
	block.checksum = 0;
	block.in_line = false;
	block.kept = keep;
	block.room = keep ? room : 0;
	block.used = 0;
}

void block_add(const char *format, ...)
{
	char piece[PIECE];
	va_list arguments;
	int size;

	va_start(arguments, format);
	size = vsnprintf(piece, sizeof piece, format, arguments);
	va_end(arguments);
	add(piece, size < PIECE ? (size_t)size : PIECE - 1);
}

void block_add_string(const char *text)
{
	add("\"", 1);
	for (; *text; text++) {
		const bool quoted = *text == '"' || *text == '\\';
		const char piece[] = {'\\', *text < ' ' || *text > '~' ? '?' : *text};

		add(piece + !quoted, 1 + quoted);
	}
	add("\"", 1);
}

void block_end_line(void)
{
	char end[16];

	put(end, (size_t)snprintf(end, sizeof end, " %08" PRIx32 "\n", block.checksum));
	block.in_line = false;
}

size_t block_kept(void)
{
	return block.used;
}
