// SPDX-License-Identifier: BSD-2-Clause
// The console in memory. Old contents are not trusted.

#include "log.h"

#include <string.h>

void log_write(struct log *log, const char *text, uint32_t size)
{
	uint32_t flags = log->cursor & ~LOG_CURSOR, cursor = log->cursor & LOG_CURSOR;

	if (!log->size || log->size > LOG_CURSOR)
		return;
	while (size) {
		uint32_t part = size;

		if (cursor >= log->size) {
			cursor = 0;
			flags |= LOG_OVERFLOW;
		}
		if (part > log->size - cursor)
			part = log->size - cursor;
		memcpy(&log->body[cursor], text, part);
		cursor += part;
		text += part;
		size -= part;
	}
	log->cursor = flags | cursor;
}
