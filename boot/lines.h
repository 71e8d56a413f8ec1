/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbered lines with a checksum: an image prints its results in them, so that a tool can read the console's log and
 * detect missing lines. palmon-samples(5) and palmon-board(5) have the format. */
#ifndef BOOT_LINES_H
#define BOOT_LINES_H

#include <stddef.h>
#include <stdint.h>

#define LINES_TEXT 2048		/* most characters of a line; the rest is cut off */

/* First characters of lines, by kind. */
#define LINES_RUN	'@'
#define LINES_BOARD	'%'

/* The following lines begin with `sign`, the first one with number 0. `write` writes them; NULL: standard output. They
 * are also kept in the `room` bytes at `keep`, as many as fit; NULL: not kept. */
void lines_begin(char sign, void (*write)(const char *text, size_t size), char *keep, size_t room);

/* Adds text to the line, as printf. */
__attribute__((format(printf, 1, 2))) void lines_add(const char *format, ...);

/* Prints it with its number and checksum. */
void lines_end(void);

/* The number of kept characters. */
size_t lines_kept(void);

/* Adds, and ends the line. */
#define lines_print(...) (lines_add(__VA_ARGS__), lines_end())

/* CRC-32 of ISO 3309, as zlib's crc32. */
static inline uint32_t lines_checksum(const char *text, unsigned size)
{
	uint32_t crc = ~0u;

	for (unsigned i = 0; i < size; i++) {
		crc ^= (uint8_t)text[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
	}
	return ~crc;
}

#endif
