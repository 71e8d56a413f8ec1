/* SPDX-License-Identifier: BSD-2-Clause */
/* The console in memory: a ring in coreboot's format
 * (src/commonlib/bsd/include/commonlib/bsd/cbmem_id.h, CBMEM_ID_CONSOLE; src/lib/cbmem_console.c).
 * The next boot stage, or a host, reads it. */
#ifndef LOG_H
#define LOG_H

#include <stdint.h>

#define LOG_CURSOR	0x0FFFFFFFu	/* position of the next character */
#define LOG_OVERFLOW	0x80000000u	/* wrapped: the oldest character is at the cursor */

struct log {
	uint32_t size;			/* of the body, bytes */
	uint32_t cursor;
	char body[];
};

void log_write(struct log *log, const char *text, uint32_t size);

#endif
