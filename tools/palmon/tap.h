/* SPDX-License-Identifier: BSD-2-Clause */
/* The self test of an image, in its console's output: TAP version 13 (testanything.org). The whole of it goes to a
 * file; on the console a summary can take its place: checks that failed or were skipped, and how many passed. */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stdio.h>

enum tap_state { TAP_AWAITED, TAP_RUNNING, TAP_ENDED };

struct tap {
	/* The caller's. */
	const char *path;		/* of the file; NULL: none */
	bool summarizes;		/* else the console shows everything */

	/* All zero at first. */
	FILE *file;
	enum tap_state state;
	unsigned planned, passed, failed, skipped;
	bool shows_comments;		/* comments belong to a check that failed */
	bool shows_progress;		/* the terminal's last line says how far the self test is */
};

/* Opens the file. False after a complaint. */
bool tap_begin(struct tap *t);

/* Whether a line that begins with this character may be one of the self test: then tap_take needs all of it. */
bool tap_awaits(const struct tap *t, char first);

/* Takes a line of the console, with its end. True: the console is not to show it. May print the summary. */
bool tap_take(struct tap *t, const char *line);

/* Prints the summary of a self test that has not come to its end. Closes the file, or removes it if there was no self
 * test. False after a complaint. */
bool tap_end(struct tap *t);

#endif
