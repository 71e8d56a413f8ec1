// SPDX-License-Identifier: BSD-2-Clause
// Numbered lines with a checksum.

#include "lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

static char line[LINES_TEXT];
static unsigned length, number;

// CRC-32 of ISO 3309, as zlib's crc32.
static uint32_t checksum(const char *text, unsigned size)
{
	uint32_t crc = ~0u;

	for (unsigned i = 0; i < size; i++) {
		crc ^= (uint8_t)text[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
	}
	return ~crc;
}

void lines_add(const char *format, ...)
{
	va_list arguments;
	int more;

	if (!length)
		length = (unsigned)snprintf(line, sizeof line, "@%u ", number++);
	va_start(arguments, format);
	more = vsnprintf(line + length, sizeof line - length, format, arguments);
	va_end(arguments);
	length = length + (unsigned)more < sizeof line ? length + (unsigned)more : sizeof line - 1;
}

void lines_end(void)
{
	printf("%s %08" PRIx32 "\n", line, checksum(line, length));
	length = 0;
}
