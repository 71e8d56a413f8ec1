/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's fill buffers, which combine non-temporal stores until a line is complete (SDM volume 3A,
 * "Buffering of Write Combining Memory Locations"). */
#ifndef MODEL_COMBINE_H
#define MODEL_COMBINE_H

#include <stdbool.h>
#include <stdint.h>

#include "processor.h"

#define COMBINE_LINE	64	/* bytes */
#define COMBINE_PART	8	/* bytes per write of an incomplete line */

/* Initialize to zero. */
struct combining {
	struct combining_buffer {
		uint64_t line;		/* 1 + address / line size; 0: free */
		uint64_t bytes;		/* bit n: byte n of the line has been stored */
		uint64_t begun;
	} buffer[PROCESSOR_QUEUE];
	uint64_t begun;
	unsigned held;			/* number of buffers in use */
};

/* The contents of a buffer that is written to memory. */
struct combined {
	uint64_t address;	/* of the line */
	bool whole;
	unsigned parts;		/* number of parts of COMBINE_PART bytes with at least one stored
				 * byte */
};

/* Stores `size` bytes within one line. Returns true if *out must be written to memory: this line,
 * if it is now complete, or the oldest one, if all `buffers` were in use. *begins: the line had no
 * buffer before. */
bool combine_store(struct combining *c, unsigned buffers, uint64_t address, unsigned size,
		   bool *begins, struct combined *out);

/* Empties the buffer of the line at this address, or the oldest buffer. Returns false if no such
 * buffer is in use. */
bool combine_take(struct combining *c, uint64_t address, struct combined *out);
bool combine_take_any(struct combining *c, struct combined *out);

#endif
