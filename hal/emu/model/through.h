/* SPDX-License-Identifier: BSD-2-Clause */
/* The caches of a single core whose L1 caches write through: all that they have is in the L2 cache, too, and all that
 * that has is in the L3 cache. README.md says what is chosen. */
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

/* Empty caches, to be freed; NULL: no memory. The processor has all four. `raise` gets all that happens. */
struct through *through_make(const struct processor *processor,
			     void (*raise)(void *context, enum happening what, uint64_t address), void *context);

enum through_access {
	THROUGH_FETCH,
	THROUGH_LOAD,
	THROUGH_WIDE_LOAD,	/* of more than a register: it is not among those by who had the data */
	THROUGH_STORE,
	THROUGH_ATOMIC,		/* done in the L2 cache */
	THROUGH_PREFETCH,	/* into the L1 data cache */
	THROUGH_PREFETCH_L2,
};

/* A reference to the line at a physical address. */
void through_refer(struct through *t, enum through_access access, uint64_t address);

/* The line of memory at this address is written past all caches, and leaves them. */
void through_give_up(struct through *t, uint64_t address);

#endif
