/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's prefetchers: the lines that they request after a reference. They do not know the caches' contents. All of
 * them stay within a page of 4 KB. */
#ifndef MODEL_PREFETCH_H
#define MODEL_PREFETCH_H

#include "processor.h"

#define PREFETCH_LINE	64	/* bytes */
#define PREFETCH_PAGE	4096

/* A line that was recently brought into the L1 data cache. */
struct prefetch_recent {
	uint64_t line;		/* address / line size, counted from 1; 0: none, or its next line was requested */
	int offset;		/* of the last load in it, bytes; -1: none yet */
};

/* The last loads of instructions whose addresses are the same in their low bits. */
struct prefetch_history {
	int16_t last, stride;	/* offset in a page, counted from 1; its distance from the one before, bytes */
	uint8_t asked;		/* the last requested line of the page, counted from 1 */
};

/* A stream of requests in a page. */
struct prefetch_stream {
	uint64_t page;		/* address / page size, counted from 1; 0: no stream */
	uint64_t used;
	int last, front;	/* lines in the page: of the last request; the farthest prefetched one */
	bool confirmed;		/* there was a second request */
};

/* All zero at first. */
struct prefetchers {
	struct prefetch_recent recent[PROCESSOR_NEXT_LINES];
	unsigned oldest;
	uint64_t recent_lines;		/* filter, by the lowest bits of their numbers: most loads match none */
	struct prefetch_history history[PROCESSOR_STRIDES];
	struct prefetch_stream stream[2][PROCESSOR_STREAMS];	/* forward, backward */
	uint64_t uses;
};

/* The L1 data cache's prefetchers, which follow each load. `ip`: the instruction's address. False: no request. *line:
 * the requested line. L1D_NEXT requests the next line after a second load, at a higher address, of a recent line. */
bool prefetch_next(struct prefetchers *p, const struct processor_prefetchers *of, uint64_t address, uint64_t *line);
bool prefetch_stride(struct prefetchers *p, const struct processor_prefetchers *of, uint64_t ip, uint64_t address,
		     uint64_t *line);

/* A load at this offset, or (-1) one of these prefetchers, has brought a line into the L1 data cache. */
void prefetch_remember(struct prefetchers *p, const struct processor_prefetchers *of, uint64_t address, int offset);

/* The L2 cache's prefetcher, which follows the requests of the L1 caches. Returns the number of requested lines. */
unsigned prefetch_follow(struct prefetchers *p, const struct processor_prefetchers *of, uint64_t address,
			 uint64_t lines[PROCESSOR_EACH + 1]);

#endif
