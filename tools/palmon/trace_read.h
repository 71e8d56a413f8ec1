/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace while it is read: what trace.c, and the readers of its two forms, share. */
#ifndef TRACE_READ_H
#define TRACE_READ_H

#include <sys/types.h>

#include "trace.h"

#define TRACE_FIRST_BYTE	0x89		/* of a binary trace; no text begins with it */
#define RECORD_MAX	80		/* no record is longer */

#define LEVEL_MAX	3
#define ISA_MAX		1
#define SLOT_MAX	2
#define KIND_MAX	(OCCURRENCE_KIND / KIND_UNIT)
#define KIND_UNIT	OCCURRENCE_KIND_CONDITIONAL	/* kinds are numbered in these */

#define ENGINE_BITS (OCCURRENCE_TYPE_RSE | OCCURRENCE_TYPE_WALKER)

enum form {
	FORM_UNKNOWN,
	FORM_TEXT,
	FORM_BINARY,
};

/* How far the lines have come. */
struct reached {
	uint64_t start, end;		// of the last line
	uint64_t events;		// of all lines
};

struct trace {
	const char *name;		// of the file, for messages
	unsigned threads;
	const struct target_meanings *meanings;	// of whose trace it is; NULL: not known
	enum form form;
	char error[512];
	const char *expected;		// target; NULL: any
	char target[TRACE_TARGET_SIZE];

	// The part of the file that is in memory: bytes from `from` to `to` are not read yet.
	int fd;				// -1: all of it is
	off_t first;			// where in the file the trace starts
	uint64_t size;			// of the file, 0: not known
	const unsigned char *data;
	unsigned char *buffer;
	size_t from, to;
	uint64_t offset;		// of data[0] in the trace
	bool ended;			// nothing follows behind `to`

	uint64_t line;			// number of the last one
	bool begun;			// there was one that is an occurrence
	struct reached reached;
	uint64_t records;		// binary: still to come
	uint64_t record_bytes;

	// Segments: lines of batch[current] from `next`; those that happen in cycle `now`.
	struct trace_batch batch[2];
	unsigned current;
	size_t next;
	bool last;			// no line follows this batch's
	uint64_t now;
	size_t active_count;
	uint64_t active_end[TRACE_OVERLAP_MAX];
	struct occurrence active[TRACE_OVERLAP_MAX];
	struct occurrence signals[2][TRACE_OVERLAP_MAX];
	unsigned signals_current;
};

/* Says what is wrong. Returns -1. */
__attribute__((format(printf, 2, 3))) int trace_fail(struct trace *t, const char *format, ...);

/* Reads until so many bytes are there, or the file has ended. False: it cannot be read. */
bool trace_need(struct trace *t, size_t bytes);

/* Takes over a line's cycles. False: they are wrong. */
static inline bool take_cycles(struct reached *r, uint64_t start, uint64_t cycles, uint32_t n)
{
	uint64_t end, events;

	if (start < r->start || __builtin_add_overflow(start, cycles, &end) || end > TRACE_END_MAX ||
	    __builtin_mul_overflow(cycles, n, &events) || __builtin_add_overflow(r->events, events, &events) ||
	    events > TRACE_EVENTS_MAX)
		return false;
	*r = (struct reached){start, end, events};
	return true;
}

/* Whose trace it is. What is wrong with that; NULL: nothing. The text is there until the next call. */
const char *trace_take_target(struct trace *t, const char *name);

/* The forms: fill the batch. -1: something is wrong. */
int trace_read_text(struct trace *t, struct trace_batch *batch);
int trace_read_header(struct trace *t);
int trace_read_records(struct trace *t, struct trace_batch *batch);

#endif
