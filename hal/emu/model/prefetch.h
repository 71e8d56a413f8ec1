/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's prefetchers: which lines they ask for when they see a reference. What caches have is not known here. All of
 * them stay within a page of 4 KB. */
#ifndef MODEL_PREFETCH_H
#define MODEL_PREFETCH_H

#include "processor.h"

#define PREFETCH_LINE	64	/* bytes */
#define PREFETCH_PAGE	4096

/* A line that has been brought into the L1 data cache of late. */
struct prefetch_recent {
	uint64_t line;		/* address / line size, counted from 1; 0: none, or its next line was asked for */
	int offset;		/* where in it was loaded last; -1: nowhere yet */
};

/* The last loads of instructions whose addresses are the same in their low bits. */
struct prefetch_history {
	int16_t last, stride;	/* offset in a page, counted from 1; bytes from the one before to it */
	uint8_t asked;		/* for this line of a page, counted from 1 */
};

/* Requests that follow each other in a page. */
struct prefetch_stream {
	uint64_t page;		/* address / page size, counted from 1; 0: there is none */
	uint64_t used;
	int last, front;	/* the last request's line in the page; up to which one has been asked for */
	bool confirmed;		/* a second request has come */
};

/* All zero at first. */
struct prefetchers {
	struct prefetch_recent recent[PROCESSOR_NEXT_LINES];
	unsigned oldest;
	uint64_t recent_lines;		/* by the lowest bits of their numbers: most loads are of none of them */
	struct prefetch_history history[PROCESSOR_STRIDES];
	struct prefetch_stream stream[2][PROCESSOR_STREAMS];	/* forward, backward */
	uint64_t uses;
};

/* The L1 data cache's, which see each load. `ip`: the instruction's address. False: they ask for nothing. *line: what
 * they ask for. L1D_NEXT: a line that was brought in of late is loaded from again, further up: the next one. */
bool prefetch_next(struct prefetchers *p, const struct processor_prefetchers *of, uint64_t address, uint64_t *line);
bool prefetch_stride(struct prefetchers *p, const struct processor_prefetchers *of, uint64_t ip, uint64_t address,
		     uint64_t *line);

/* A line has been brought into the L1 data cache: by a load at this offset of it, or, -1, by one of these two. */
void prefetch_remember(struct prefetchers *p, const struct processor_prefetchers *of, uint64_t address, int offset);

/* The L2 cache's, which sees the requests of the L1 caches: how many lines it asks for. */
unsigned prefetch_follow(struct prefetchers *p, const struct processor_prefetchers *of, uint64_t address,
			 uint64_t lines[PROCESSOR_EACH + 1]);

#endif
