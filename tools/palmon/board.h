/* SPDX-License-Identifier: BSD-2-Clause */
/* The facts that an image has found out about a board (palmon-board(5)), read from a console
 * log. */
#ifndef BOARD_H
#define BOARD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct board {
	const char *name;		/* name of the log */
	json_t *found;			/* all parts; "left", "failures", "counts": lists */
	bool whole;			/* no line is lost */
};

/* Reads run `wanted` of a log, counted from 1; 0: the last one. Complains about each part with lost
 * lines. False: the log has no such lines. */
bool board_read(struct board *board, const char *path, uint64_t wanted);

void board_free(struct board *board);

#endif
