/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace files: what happens on a PMU's event signals, cycle by cycle. Two forms, distinguished by their first bytes.
 *
 * Text. One occurrence a line, as `key=value` words; '#' starts a comment. Numbers are decimal or 0x. Before them there
 * can be a line `target=NAME`, which says whose trace it is.
 *
 *	t		cycle it starts in, counted from 0; default: when the last line's ended. Never before the last
 *			line's. Lines whose cycles overlap happen together, their numbers add up.
 *	cycles		how long, from 1; default 1
 *	n		how many in each cycle; default 1
 *	code		event code; must be given
 *	sub		unit-mask bits it raises; default 0
 *	cpl isa ip slot op lat thread
 *			privilege level, instruction set, address of instruction or bundle, slot, encoding, latency,
 *			hardware thread; default 0
 *	itype		type of the instruction: m, i, f, b; c (SPARC: next-to-commit); or its OCCURRENCE_TYPE number
 *	by		rse, vhpt: it is a reference of the register stack engine, of the hardware page walker
 *	addr		data address; its presence makes it a memory reference
 *	level		who served it (struct occurrence, served)
 *	taken		0, 1; its presence makes it a branch
 *	kind		of the branch: cond, call, icall, ret, ijmp, jmp, far, or the number of its OCCURRENCE_KIND;
 *			its presence makes it a branch, which is taken unless taken=0
 *	target		of the branch
 *	mp		mispredicted: 0 no, 1 its path, 2 its target, 3 both
 *
 * Where it is known whose trace it is, and its sub-events say what taken, mp, slot and level say too, what a line does
 * not say of these and of sub follows from the others: slot, level and mp of 0 say nothing, but that a branch without
 * sub is in slot 0, and predicted; nor does a sub of 0. A line in which they contradict each other, or leave sub open,
 * is wrong.
 *
 * Binary. All numbers are little endian. A header of TRACE_HEADER_BYTES:
 *
 *	8 bytes		89 'P' 'M' 'T' 0D 0A 1A 0A
 *	4 bytes		version, 2
 *	4 bytes		0
 *	8 bytes		number of records
 *	8 bytes		bytes of records: the file ends behind them
 *	24 bytes	the target's name, filled with 0; all 0: not known. Version 1 is without them
 *
 * and records, one for each line: 2 bytes that say which fields follow (bit n: row n of TRACE_FIELDS), 2 bytes of
 * event code, and those fields in that order. A field that is left out has the value it has when left out of a line. */
#ifndef TRACE_H
#define TRACE_H

#include <stdio.h>

#include "meaning.h"
#include "model.h"

#define TRACE_LINE_MAX		4095		/* characters in a line, without its newline */
#define TRACE_BATCH		1024		/* lines read at once */
#define TRACE_OVERLAP_MAX	512		/* lines that happen in one cycle, at most */
#define TRACE_END_MAX		(1ULL << 56)	/* no line ends behind this cycle */
#define TRACE_EVENTS_MAX	(1ULL << 56)	/* nor do all lines raise more events: no count wraps, or takes hours */
#define TRACE_HEADER_BYTES	56
#define TRACE_VERSION		2
#define TRACE_TARGET_SIZE	24		/* of a target's name, with its end */

/* Fields of a binary record. F(NAME, type) */
#define TRACE_FIELDS(F)		\
	F(START, uint64_t)	\
	F(CYCLES, uint64_t)	\
	F(N, uint32_t)		\
	F(SUB, uint16_t)	\
	F(LEVEL, uint8_t)	\
	F(IP, uint64_t)		\
	F(ISA, uint8_t)		\
	F(SLOT, uint8_t)	\
	F(OPCODE, uint64_t)	\
	F(TYPE, uint8_t)	\
	F(ADDRESS, uint64_t)	\
	F(LATENCY, uint32_t)	\
	F(SERVED, uint8_t)	\
	F(BRANCH, uint8_t)	/* OCCURRENCE_BRANCH and the like: taken, kind and mp */ \
	F(TARGET, uint64_t)	\
	F(THREAD, uint8_t)

#define TRACE_FIELD_NUMBER(name, type) TRACE_##name,
enum { TRACE_FIELDS(TRACE_FIELD_NUMBER) TRACE_FIELD_COUNT };

/* Lines, in the order of their starts. */
struct trace_batch {
	size_t count;
	uint64_t start[TRACE_BATCH], end[TRACE_BATCH];	/* cycles from start, before end */
	struct occurrence occurrence[TRACE_BATCH];
	uint64_t line[TRACE_BATCH];			/* where in the file: number of the line, of the record */
};

/* Cycles in which the same happens. */
struct trace_segment {
	const struct occurrence *signals;
	size_t count;
	uint64_t cycles;
};

/* A trace that is being read. */
struct trace;

/* Opens the trace in file `path`, "-" for standard input, for a machine with so many hardware threads. A line's mistake
 * is reported with `path`. NULL: no memory, or the file cannot be read; errno says why. */
struct trace *trace_open(const char *path, unsigned threads);

/* The same for a trace in memory, which must stay. */
struct trace *trace_open_memory(const char *name, const void *data, size_t size, unsigned threads);

/* Has a trace of another target be wrong, and reads it as one of this target. Before anything has been read. */
void trace_expect(struct trace *trace, const char *target);

/* Whose it is, as it says itself: when something has been read. "": it does not. */
const char *trace_target(const struct trace *trace);

/* Completes an occurrence by what is known of its target's sub-events. What is expected instead of it; NULL: it is
 * right. */
const char *trace_agree(const struct target_meanings *meanings, struct occurrence *occurrence);

/* Makes it possible to read the trace more than once: one that does not come from a file is copied to a temporary one.
 * Before anything has been read. False: it cannot be; trace_error says why. */
bool trace_keep(struct trace *trace);

/* Starts again from the beginning of a trace that is kept. */
void trace_rewind(struct trace *trace);

void trace_close(struct trace *trace);

/* Both readers: 1, or 0 at the end, or -1: the trace is wrong or cannot be read (trace_error). Use one of them. */

/* The next segment. Its signals stay until the second call from now. */
int trace_next(struct trace *trace, struct trace_segment *segment);

/* The next lines, as they are. */
int trace_lines(struct trace *trace, struct trace_batch *batch);

/* What is wrong: "FILE:LINE:COLUMN: expected ..." of a text, "FILE: offset N: expected ..." of a binary trace, or
 * "FILE: record N: ...". */
const char *trace_error(const struct trace *trace);

/* How far reading has come: lines, bytes; and of how many bytes, 0 if that is not known. */
struct trace_progress {
	uint64_t lines, bytes, size;
};

struct trace_progress trace_progress(const struct trace *trace);

/* Writes a binary trace to a file that can be positioned. */
struct trace_writer {
	FILE *file;
	char target[TRACE_TARGET_SIZE];
	uint64_t records, bytes, end;	/* end: of the last line */
};

/* `target`: whose trace it is; "": not known. */
bool trace_write_start(struct trace_writer *writer, FILE *file, const char *target);
bool trace_write(struct trace_writer *writer, const struct trace_batch *batch);
bool trace_write_end(struct trace_writer *writer);

/* Writes lines as text; *end is the end of the line before, at first 0. */
bool trace_print(FILE *file, const struct trace_batch *batch, uint64_t *end);

#endif
