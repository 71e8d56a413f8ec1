/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the lines of traces in memory. */
#ifndef TRACE_LINES_H
#define TRACE_LINES_H

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

#define THREADS 2

static inline struct trace *open_text(const char *text)
{
	struct trace *t = trace_open_memory("file", text, strlen(text), THREADS);

	assert_non_null(t);
	return t;
}

/* The lines of a text. */
static inline const struct trace_batch *lines_of(const char *text)
{
	static struct trace_batch batch;
	struct trace *t = open_text(text);
	int got = trace_lines(t, &batch);

	if (got < 0)
		fail_msg("%s", trace_error(t));
	trace_close(t);
	return &batch;
}

static inline const struct occurrence *line_of(const char *text)
{
	const struct trace_batch *batch = lines_of(text);

	assert_int_equal(batch->count, 1);
	return batch->occurrence;
}

static inline void assert_wrong(const char *text, const char *message)
{
	struct trace *t = open_text(text);
	struct trace_segment s;
	int got;

	while ((got = trace_next(t, &s)) > 0)
		;
	assert_int_equal(got, -1);
	assert_string_equal(trace_error(t), message);
	trace_close(t);
}

struct mistake {
	const char *text, *message;
};

#endif
