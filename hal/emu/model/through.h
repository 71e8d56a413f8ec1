/* SPDX-License-Identifier: BSD-2-Clause */
/* The caches of a single core with write-through L1 caches. The L2 cache includes the L1 caches,
 * and the L3 cache includes the L2 cache. DECISIONS.md has the choices. */
#ifndef MODEL_THROUGH_H
#define MODEL_THROUGH_H

#include "cpu_event.h"
#include "processor.h"

struct through {
	struct cache cache[CACHES];
	void (*raise)(void *context, enum cpu_event what, uint64_t address);
	void *context;
	struct cache_line lines[];
};

/* Allocates empty caches, which the caller frees. NULL: out of memory. The processor must have all
 * four caches. `raise` receives all cpu events. */
struct through *through_make(const struct processor *processor,
			     void (*raise)(void *context, enum cpu_event what, uint64_t address),
			     void *context);

enum through_access {
	THROUGH_FETCH,
	THROUGH_LOAD,
	THROUGH_WIDE_LOAD,	/* wider than a register; the events by data source exclude it */
	THROUGH_STORE,
	THROUGH_ATOMIC,		/* executed in the L2 cache */
	THROUGH_PREFETCH,	/* into the L1 data cache */
	THROUGH_PREFETCH_L2,
};

/* A reference to the line at a physical address. */
void through_refer(struct through *t, enum through_access access, uint64_t address);

/* Invalidates the line in all caches, without cpu events: the caller reports its write to
 * memory. */
void through_give_up(struct through *t, uint64_t address);

#endif
