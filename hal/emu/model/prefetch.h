/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's prefetchers: the lines that they request after a reference. They know nothing of the
 * caches' contents and never cross a page of 4 KB. */
#ifndef MODEL_PREFETCH_H
#define MODEL_PREFETCH_H

#include "processor.h"

#define PREFETCH_LINE	64	/* bytes */
#define PREFETCH_PAGE	4096

/* A line that was recently brought into the L1 data cache. */
struct prefetch_recent {
	uint64_t line;		/* 1 + address / line size; 0: none, or its next line has been
				 * requested */
	int offset;		/* of the last load in the line, in bytes; -1: none yet */
};

/* The last load among the instructions whose addresses have the same low bits. */
struct prefetch_history {
	int16_t last, stride;	/* 1 + offset in the page; distance from the load before, in
				 * bytes */
	uint8_t asked;		/* 1 + number of the last requested line of the page */
};

/* A stream of requests within a page. */
struct prefetch_stream {
	uint64_t page;		/* 1 + address / page size; 0: no stream */
	uint64_t used;
	int last, front;	/* line numbers in the page: last request; farthest prefetched
				 * line */
	bool confirmed;		/* a second request has determined the direction */
};

/* Initialize to zero. */
struct prefetchers {
	struct prefetch_recent recent[PROCESSOR_NEXT_LINES];
	unsigned oldest;
	uint64_t recent_lines;		/* bit n: a recent line's number is n modulo 64; rules
					 * out most loads */
	struct prefetch_history history[PROCESSOR_STRIDES];
	struct prefetch_stream stream[2][PROCESSOR_STREAMS];	/* forward, backward */
	uint64_t uses;
};

/* The L1 data cache's prefetchers; call both for each load. `ip`: the instruction's address. They
 * return false if they request no line, else *line. L1D_NEXT requests the next line after a second
 * load, at a higher address, of a recent line. */
bool prefetch_next(struct prefetchers *p, const struct processor_prefetchers *of, uint64_t address,
		   uint64_t *line);
bool prefetch_stride(struct prefetchers *p, const struct processor_prefetchers *of, uint64_t ip,
		     uint64_t address, uint64_t *line);

/* A line was brought into the L1 data cache: by a load at this offset in bytes, or by a prefetcher
 * (-1). */
void prefetch_remember(struct prefetchers *p, const struct processor_prefetchers *of,
		       uint64_t address, int offset);

/* The L2 cache's prefetcher; call it for each request of the L1 caches. Returns the number of
 * requested lines. */
unsigned prefetch_follow(struct prefetchers *p, const struct processor_prefetchers *of,
			 uint64_t address, uint64_t lines[PROCESSOR_EACH + 1]);

#endif
