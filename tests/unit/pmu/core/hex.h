/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes as text: two hexadecimal digits per byte; '#' begins a comment. */
#ifndef HEX_H
#define HEX_H

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>

/* Reads a file. Returns the number of bytes, at most `most`; 0: the file is empty or has another
 * format. */
static inline size_t hex_read(const char *path, uint8_t *bytes, size_t most)
{
	FILE *file = fopen(path, "r");
	size_t count = 0;
	unsigned byte;
	int c;

	while (file && count < most && (c = getc(file)) != EOF) {
		if (c == '#')
			while (c != '\n' && c != EOF)
				c = getc(file);
		else if (!isspace(c) && (ungetc(c, file) == EOF || fscanf(file, "%2x", &byte) != 1))
			count = most;
		else if (!isspace(c))
			bytes[count++] = (uint8_t)byte;
	}
	if (file)
		fclose(file);
	return count < most ? count : 0;
}

#endif
