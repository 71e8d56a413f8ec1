/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's buffers that combine non-temporal stores until a line is whole (SDM volume 3A, "Buffering of Write Combining
 * Memory Locations"). They are fill buffers. */
#ifndef MODEL_COMBINE_H
#define MODEL_COMBINE_H

#include <stdbool.h>
#include <stdint.h>

#include "processor.h"

#define COMBINE_LINE	64	/* bytes */
#define COMBINE_PART	8	/* in such a line that is not whole is written */

/* All zero at first. */
struct combining {
	struct combining_buffer {
		uint64_t line;		/* address / line size, counted from 1; 0: it is free */
		uint64_t bytes;		/* that have been stored to, by bits */
		uint64_t begun;
	} buffer[PROCESSOR_QUEUE];
	uint64_t begun;
	unsigned held;			/* buffers that are not free */
};

/* What leaves a buffer, to be written. */
struct combined {
	uint64_t address;	/* the line's */
	bool whole;
	unsigned parts;		/* of COMBINE_PART bytes that have one that was stored to */
};

/* A store within one line. Whether something leaves: that line, which is whole now, or, as all
 * `buffers` were in use, the one whose first store came first. Of a line that has no buffer yet, *begins. */
bool combine_store(struct combining *c, unsigned buffers, uint64_t address, unsigned size, bool *begins,
		   struct combined *out);

/* Empties the buffer of the line at this address, or the first one in use. False: there is none. */
bool combine_take(struct combining *c, uint64_t address, struct combined *out);
bool combine_take_any(struct combining *c, struct combined *out);

#endif
