/* SPDX-License-Identifier: BSD-2-Clause */
/* The caches of a single core whose L1 caches write through. Each line of an L1 cache is also in the L2 cache, and each
 * line of that in the L3 cache. README.md has the decisions. */
#ifndef MODEL_THROUGH_H
#define MODEL_THROUGH_H

#include "happening.h"
#include "processor.h"

struct through {
	struct cache cache[CACHES];
	void (*raise)(void *context, enum happening what, uint64_t address);
	void *context;
	struct cache_line lines[];
};

/* Allocates empty caches, which the caller frees; NULL: no memory. The processor has all four. `raise` gets all
 * happenings. */
struct through *through_make(const struct processor *processor,
			     void (*raise)(void *context, enum happening what, uint64_t address), void *context);

enum through_access {
	THROUGH_FETCH,
	THROUGH_LOAD,
	THROUGH_WIDE_LOAD,	/* of more than a register: not counted by its data's source */
	THROUGH_STORE,
	THROUGH_ATOMIC,		/* done in the L2 cache */
	THROUGH_PREFETCH,	/* into the L1 data cache */
	THROUGH_PREFETCH_L2,
};

/* A reference to the line at a physical address. */
void through_refer(struct through *t, enum through_access access, uint64_t address);

/* The line at this address is written to memory, and invalidated in all caches. */
void through_give_up(struct through *t, uint64_t address);

#endif
