/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's fill buffers that combine non-temporal stores until a line is complete (SDM volume 3A, "Buffering of Write
 * Combining Memory Locations"). */
#ifndef MODEL_COMBINE_H
#define MODEL_COMBINE_H

#include <stdbool.h>
#include <stdint.h>

#include "processor.h"

#define COMBINE_LINE	64	/* bytes */
#define COMBINE_PART	8	/* bytes per write of an incomplete line */

/* All zero at first. */
struct combining {
	struct combining_buffer {
		uint64_t line;		/* address / line size, counted from 1; 0: free */
		uint64_t bytes;		/* bit mask of stored bytes */
		uint64_t begun;
	} buffer[PROCESSOR_QUEUE];
	uint64_t begun;
	unsigned held;			/* buffers in use */
};

/* The contents of a buffer, to be written. */
struct combined {
	uint64_t address;	/* the line's */
	bool whole;
	unsigned parts;		/* parts of COMBINE_PART bytes with a stored byte */
};

/* A store within one line. Returns whether a buffer is emptied into *out: that line, if it is complete now, or the
 * oldest one, if all `buffers` were in use. *begins: the line had no buffer yet. */
bool combine_store(struct combining *c, unsigned buffers, uint64_t address, unsigned size, bool *begins,
		   struct combined *out);

/* Empties the buffer of the line at this address, or the first buffer in use. False: there is none. */
bool combine_take(struct combining *c, uint64_t address, struct combined *out);
bool combine_take_any(struct combining *c, struct combined *out);

#endif
