/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the blocks of JSON objects that an image prints (palmon-samples(5)) from a console log, and
 * detects damaged and lost lines. */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The beginnings of the blocks' first lines, by kind: measurements; facts about the board. */
#define LOG_RUN		"{\"palmon_samples\":"
#define LOG_BOARD	"{\"palmon_board\":"

/* The intact lines of a block, in order, without sign and checksum. */
struct log_block {
	char **line;
	size_t count, room;
	size_t damaged; /* number of the first damaged or lost line, from 1; 0: none */
	bool complete;			/* the last line was read */
};

/* The blocks of a log; all zero at first. */
struct log {
	struct log_block *block;
	size_t blocks;
	size_t before;			/* lines of blocks whose first line is damaged or lost */
	uint32_t checksum;		/* of the last line, as printed */
	char status[80];		/* the last line that names the run's status; "": none */
};

/* Takes a line of the log if it belongs to a block. `anything_before`: text before the block's line
 * is skipped; some programs that keep logs put the time there. 1: taken, into the last block. 0:
 * not a line of a block, or damaged. -1: no memory. */
int log_take(struct log *log, const char *text, bool anything_before);

/* Takes all lines of a file. False after a complaint. */
bool log_read(struct log *log, FILE *file, const char *name);

bool log_is(const struct log_block *block, const char *kind);

/* The number of blocks of a kind. */
size_t log_count(const struct log *log, const char *kind);

/* Block `wanted` of a kind, from 1; 0: the last one. NULL after a complaint: there is none. */
const struct log_block *log_choose(const struct log *log, const char *kind, uint64_t wanted,
				   const char *name);

/* False after complaints: lines are damaged or lost. */
bool log_is_whole(const struct log_block *block, const char *name);

void log_free(struct log *log);

#endif
