/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of JSON objects on the console, for tools. A tool that reads a console log detects damaged
 * and lost lines by the running checksum. Format: palmon-samples(5). */
#ifndef BOOT_BLOCK_H
#define BOOT_BLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Begins a block. `out` outputs its text; NULL: standard output. The first `room` bytes are also
 * stored at `keep`, unless it is NULL. */
void block_begin(void (*out)(const char *text, size_t size), char *keep, size_t room);

/* Appends text to the line; arguments as for printf, at most 255 characters. */
__attribute__((format(printf, 1, 2))) void block_add(const char *format, ...);

/* Appends a JSON string. */
void block_add_string(const char *text);

/* Ends the line with the checksum. */
void block_end_line(void);

/* Appends text and ends the line. */
#define block_print(...) (block_add(__VA_ARGS__), block_end_line())

/* Returns the number of stored characters. */
size_t block_kept(void);

/* Continues a CRC-32 of ISO 3309, as zlib's crc32 does; of no text: 0. */
static inline uint32_t block_checksum(uint32_t crc, const char *text, size_t size)
{
	crc = ~crc;
	for (size_t i = 0; i < size; i++) {
		crc ^= (uint8_t)text[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
	}
	return ~crc;
}

#endif
