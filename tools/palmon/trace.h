/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace files: the events on a PMU's event signals, cycle by cycle.
 *
 * Each line is one occurrence, written as `key=value` words; '#' starts a comment. Numbers
 * are decimal or 0x. A line `target=NAME` before the first occurrence names the trace's target.
 *
 *	t		first cycle, counted from 0; at least the previous line's t; default: the
 *			cycle after the previous line. Lines that overlap happen together; their n
 *			add up.
 *	cycles		number of cycles, from 1; default 1
 *	n		number of events in each cycle; default 1
 *	code		event code; required
 *	sub		unit-mask bits; default 0
 *	cpl isa ip slot op lat thread
 *			privilege level, instruction set, address of instruction or bundle, slot,
 *			encoding, latency, hardware thread; default 0
 *	itype		type of the instruction: m, i, f, b; c (SPARC: next-to-commit); or its
 *			OCCURRENCE_TYPE number
 *	by		rse, vhpt: a reference of the register stack engine, of the page walker
 *	addr		data address; makes the occurrence a memory reference
 *	level		the level that served the reference (struct occurrence, served)
 *	taken		0, 1; makes the occurrence a branch
 *	kind		of the branch: cond, call, icall, ret, ijmp, jmp, far, or the number of its
 *			OCCURRENCE_KIND; makes the occurrence a branch, taken unless taken=0
 *	target		target of the branch
 *	mp		mispredicted: 0 no, 1 its path, 2 its target, 3 both
 *
 * Completion. On some targets a sub-event implies taken, mp, slot or level. If the target is known,
 * the reader derives the missing ones of these words and `sub` from each other. A slot, level, mp
 * or sub of 0 counts as missing, with one exception: a branch without sub is in slot 0 and
 * predicted. Words that contradict each other, or that leave sub open, are an error. */
#ifndef TRACE_H
#define TRACE_H

#include <stdio.h>

#include "meaning.h"
#include "model.h"

#define TRACE_LINE_MAX		4095		/* characters in a line, newline not included */
#define TRACE_BATCH		1024		/* lines read at once */
#define TRACE_OVERLAP_MAX	512		/* lines in one cycle, at most */
#define TRACE_END_MAX		(1ULL << 56)	/* no line ends after this cycle */
#define TRACE_EVENTS_MAX	(1ULL << 56)	/* of all lines: no count wraps */
#define TRACE_TARGET_SIZE	24		/* of a target's name, with its end */

/* Lines, ordered by start. */
struct trace_batch {
	size_t count;
	uint64_t start[TRACE_BATCH], end[TRACE_BATCH];	/* first cycle; after the last one */
	struct occurrence occurrence[TRACE_BATCH];
	uint64_t line[TRACE_BATCH];			/* its number */
};

/* Successive cycles with the same event signals. */
struct trace_segment {
	const struct occurrence *signals;
	size_t count;
	uint64_t cycles;
};

/* A trace open for reading. */
struct trace;

/* Opens the trace in file `path` ("-": standard input) for a machine with `threads` hardware
 * threads. Messages about errors contain `path`. NULL: no memory, or the file cannot be read; errno
 * says why. */
struct trace *trace_open(const char *path, unsigned threads);

/* The same for a trace in memory, which must stay valid. */
struct trace *trace_open_memory(const char *name, const void *data, size_t size, unsigned threads);

/* Makes a trace of any other target an error, and one without a target a trace of this one. Call
 * before reading. */
void trace_expect(struct trace *trace, const char *target);

/* The target that the trace names, known after the first read. "": it names none. */
const char *trace_target(const struct trace *trace);

/* Completes an occurrence from its target's sub-events. Returns the words expected instead of a
 * contradiction; NULL: none. */
const char *trace_agree(const struct target_meanings *meanings, struct occurrence *occurrence);

/* Makes the trace readable more than once: copies a trace that is not a file to a temporary file.
 * Call before reading. False: impossible; trace_error explains. */
bool trace_keep(struct trace *trace);

/* Restarts a kept trace from its beginning. */
void trace_rewind(struct trace *trace);

void trace_close(struct trace *trace);

/* Two ways to read; use only one of them. Both return 1; 0 at the end; or -1: the trace is wrong or
 * unreadable (trace_error). */

/* Reads the next segment. Its signals stay valid until the second call from now. */
int trace_next(struct trace *trace, struct trace_segment *segment);

/* Reads the next lines unchanged. */
int trace_lines(struct trace *trace, struct trace_batch *batch);

/* The error: "FILE:LINE:COLUMN: expected ...". */
const char *trace_error(const struct trace *trace);

/* Progress of reading: lines and bytes read; size in bytes, 0 if unknown. */
struct trace_progress {
	uint64_t lines, bytes, size;
};

struct trace_progress trace_progress(const struct trace *trace);

/* Writes lines as text. *end: the end of the previous line; initially 0. */
bool trace_print(FILE *file, const struct trace_batch *batch, uint64_t *end);

#endif
