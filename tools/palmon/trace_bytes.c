// SPDX-License-Identifier: BSD-2-Clause
// The bytes of a trace file, and errors of its reader.

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "trace_read.h"

int trace_fail(struct trace *t, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(t->error, sizeof t->error, format, arguments);
	va_end(arguments);
	return -1;
}

bool trace_need(struct trace *t, size_t bytes)
{
	if (t->to - t->from >= bytes || t->ended)
		return true;
	memmove(t->buffer, t->buffer + t->from, t->to - t->from);
	t->offset += t->from;
	t->to -= t->from;
	t->from = 0;
	while (t->to < bytes && !t->ended) {
		ssize_t got = read(t->fd, t->buffer + t->to, TRACE_BUFFER - t->to);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			trace_fail(t, "%s: %s", t->name, strerror(errno));
			return false;
		}
		t->ended = got == 0;
		t->to += (size_t)got;
	}
	return true;
}
