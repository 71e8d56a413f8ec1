/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads an image's self test from its console output: TAP version 13 (testanything.org). A file
 * receives all of it. The console can show a summary instead: failed and skipped checks, and the
 * number of passed ones. */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stdio.h>

enum tap_state { TAP_AWAITED, TAP_RUNNING, TAP_ENDED };

struct tap {
	/* Set by the caller. */
	const char *path;		/* path of the file; NULL: none */
	bool summarizes;		/* false: the console shows everything */

	/* Initially zero. */
	FILE *file;
	enum tap_state state;
	unsigned planned, passed, failed, skipped;
	bool shows_comments;		/* comments belong to a failed check */
	bool shows_progress;		/* the terminal's last line shows progress */
};

/* Opens the file. False after a complaint. */
bool tap_begin(struct tap *t);

/* Whether a line that begins with this character may belong to the self test. tap_take then needs
 * the whole line. */
bool tap_awaits(const struct tap *t, char first);

/* Takes a console line with its newline. True: do not print the line. May print the summary. */
bool tap_take(struct tap *t, const char *line);

/* Prints the summary of an unfinished self test. Closes the file, or removes it if there was no
 * self test. False after a complaint. */
bool tap_end(struct tap *t);

#endif
