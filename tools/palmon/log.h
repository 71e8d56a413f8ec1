/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines in a console's log by which an image hands over what it has measured (palmon-samples(5)), or what it has
 * found out about the board (palmon-board(5)): found among others, checked, and what is missing. */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <stddef.h>

/* How lines begin. */
#define LOG_RUN		'@'
#define LOG_BOARD	'%'

/* A run's lines: those that are whole, in their order. */
struct log_run {
	char **line;			/* without number and checksum */
	unsigned *number;
	size_t count, room;
	size_t expected;		/* number of the next line, if none is lost */
	bool complete;			/* the last line is there */
};

/* The runs of a log. All but the sign zero at first. */
struct log {
	char sign;
	struct log_run *run;
	size_t runs;
	size_t before;			/* lines of a run whose first line is not there */
};

/* Whether `text`, a line of the log, is one of a run; if so, takes it. What stands in front of its sign, as some
 * programs that keep logs put the time there, does not matter if it may be there. 1: taken. 0: it is none, or has been
 * changed on its way. -1: no memory. */
int log_take(struct log *log, const char *text, bool anything_before);

/* Says which lines of a run are missing: "40-44, 60". At most so many ranges, then "...". Returns how many lines. */
size_t log_missing(const struct log_run *run, char *text, size_t size);

void log_free(struct log *log);

#endif
