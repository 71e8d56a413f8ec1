/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of a trace reader, shared by trace.c, trace_text.c and trace_bytes.c. */
#ifndef TRACE_READ_H
#define TRACE_READ_H

#include <sys/types.h>

#include "trace.h"

#define TRACE_BUFFER	(256 * 1024)	/* bytes of a file in memory */

/* The limits that the lines read so far have reached. */
struct reached {
	uint64_t start, end;		// of the last line
	uint64_t events;		// sum over all lines
};

struct trace {
	const char *name;		// file name for messages
	unsigned threads;
	const struct target_meanings *meanings;	// of the trace's target; NULL: unknown
	char error[512];
	const char *expected;		// target; NULL: any
	char target[TRACE_TARGET_SIZE];

	// The part of the file in memory. Bytes from `from` up to `to` are unread.
	int fd;				// -1: the whole trace is in memory
	off_t first;			// offset of the trace in the file
	uint64_t size;			// of the file; 0: unknown
	const unsigned char *data;
	unsigned char *buffer;
	size_t from, to;
	uint64_t offset;		// offset of data[0] in the trace
	bool ended;			// the file ends at `to`

	uint64_t line;			// number of the last line
	bool begun;			// the first occurrence was read
	struct reached reached;

	// Segments: next line is `next` of batch[current]; `active`: the lines that cover cycle
	// `now`.
	struct trace_batch batch[2];
	unsigned current;
	size_t next;
	bool last;			// this batch ends the trace
	uint64_t now;
	size_t active_count;
	uint64_t active_end[TRACE_OVERLAP_MAX];
	struct occurrence active[TRACE_OVERLAP_MAX];
	struct occurrence signals[2][TRACE_OVERLAP_MAX];
	unsigned signals_current;
};

/* Formats an error. Returns -1. */
__attribute__((format(printf, 2, 3))) int trace_fail(struct trace *t, const char *format, ...);

/* Reads until `bytes` bytes are in memory or the file ends. False: it cannot be read. */
bool trace_need(struct trace *t, size_t bytes);

#endif
