/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the lines in which an image prints its measurements (palmon-samples(5)) or its facts about
 * the board (palmon-board(5)) from a console log, checks them, and finds out which are missing. */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <stddef.h>

/* First characters of the lines. */
#define LOG_RUN		'@'
#define LOG_BOARD	'%'

/* The intact lines of a run, in order. */
struct log_run {
	char **line;			/* without number and checksum */
	unsigned *number;
	size_t count, room;
	size_t expected;		/* number of the next line if none is lost */
	bool complete;			/* the last line was read */
};

/* The runs of a log. The caller sets `sign`; the rest is zero at first. */
struct log {
	char sign;
	struct log_run *run;
	size_t runs;
	size_t before;			/* lines before the first line of any run */
};

/* Takes `text`, a line of the log, if it belongs to a run. `anything_before`: text before the sign
 * is skipped; some programs that keep logs put the time there. 1: taken. 0: not a line of a run, or
 * damaged. -1: no memory. */
int log_take(struct log *log, const char *text, bool anything_before);

/* Formats the numbers of a run's missing lines: "40-44, 60", at most five ranges, then
 * "...". Returns the number of missing lines. */
size_t log_missing(const struct log_run *run, char *text, size_t size);

void log_free(struct log *log);

#endif
