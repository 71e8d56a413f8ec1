/* SPDX-License-Identifier: BSD-2-Clause */
/* What an image has found out about a board (palmon-board(5)), out of a console's log. */
#ifndef BOARD_H
#define BOARD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct board {
	const char *name;		/* of the log */
	json_t *found;			/* all parts that are there, as one object; "failures" and "counts" are lists */
	bool whole;			/* nothing is lost */
};

/* Reads the `wanted`th run of a log, from 1; 0: the last one. What is lost is said, by its part. False: there is
 * nothing. */
bool board_read(struct board *board, const char *path, uint64_t wanted);

void board_free(struct board *board);

#endif
