/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbered lines with a checksum. An image prints its results in this form, so that a tool can read
 * a console log and detect missing lines. Format: palmon-samples(5), palmon-board(5). */
#ifndef BOOT_LINES_H
#define BOOT_LINES_H

#include <stddef.h>
#include <stdint.h>

#define LINES_TEXT 2048		/* characters of a line, at most; the rest is cut off */

/* First character of a line, by kind. */
#define LINES_RUN	'@'
#define LINES_BOARD	'%'

/* Begins a sequence of lines that start with `sign`; the first one has number 0. `write` outputs
 * them; NULL: standard output. The first `room` bytes are also stored at `keep`, unless it is
 * NULL. */
void lines_begin(char sign, void (*write)(const char *text, size_t size), char *keep, size_t room);

/* Appends text to the line; arguments as for printf. */
__attribute__((format(printf, 1, 2))) void lines_add(const char *format, ...);

/* Outputs the line with its number and checksum. */
void lines_end(void);

/* Returns the number of stored characters. */
size_t lines_kept(void);

/* Appends text and ends the line. */
#define lines_print(...) (lines_add(__VA_ARGS__), lines_end())

/* CRC-32 of ISO 3309, as computed by zlib's crc32. */
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
