/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory references of x86 cores: their effects on TLBs and caches, and the happenings that they raise (happening.h).
 * */
#ifndef MODEL_MEMORY_H
#define MODEL_MEMORY_H

#include "combine.h"
#include "flights.h"
#include "package.h"
#include "tlbs.h"
#include "traffic.h"

struct reference {
	unsigned core;		/* of the machine: cores of a package have consecutive numbers */
	enum access access;	/* not ACCESS_WALK */
	uint64_t ip;		/* the instruction's address, by which prefetchers distinguish loads */
	uint64_t linear, physical;
	unsigned size;		/* bytes, 1 to a page's */
	bool device;		/* not memory: uncached */
	bool internal;		/* a device inside the core: the reference does not leave the core */
	bool paged;		/* page tables of four levels, at cr3, translate it */
	uint64_t cr3;
	uint64_t now;		/* the cycle; if the machine is `timed`, or some line `flies` */
};

/* The result of a reference. If it had several lines, that of the farthest one. */
struct reached {
	enum supplier supplier;
	enum tlbs_result translation;
	unsigned latency;		/* load to use, in cycles, with translation; on a timed machine also with
					 * waits for a fill buffer, or for a line in flight */
	bool in_flight;			/* timed machine: the L1 data cache has the line, which is still in flight */
	unsigned waits;			/* timed machine: the part of `latency` until it gets a fill buffer */
	enum happening source;		/* its source: HAPPENINGS_BY_SOURCE of LOAD, or from LOAD_REMOTE_CACHE on */
};

#define MEMORY_PACKAGES	2
#define MEMORY_CORES	(MEMORY_PACKAGES * PACKAGE_CORES)

struct memory {
	const struct processor *processor;
	struct package package[MEMORY_PACKAGES];
	struct memory_core {
		struct package *package;
		unsigned core;		/* its number there */
		struct tlbs tlbs;
		struct combining combining;
		struct flights flights;		/* for VPREFETCH0 and VPREFETCH1; on a timed machine for all misses */
	} core[MEMORY_CORES];
	bool timed;			/* misses of the L1 data cache take time: memory_time */
	struct traffic traffic[MEMORY_PACKAGES];	/* of a timed machine */
	bool flies;			/* a core has requested lines by VPREFETCH0 or VPREFETCH1 */
	walk_read *read;
	void *context;			/* of `read` */
	struct cache_line lines[];
};

/* Allocates empty caches for `packages` with `cores` each. The caller frees them. NULL: no memory. Join several
 * packages (package_join) with the memory that each has. */
struct memory *memory_make(const struct processor *processor, unsigned packages, unsigned cores,
			   void (*raise)(void *context, unsigned core, enum happening what, uint64_t address),
			   walk_read *read, void *context);

/* Enables the timed clock; call it first. `at` gets happenings of the packages' queues (traffic.h). */
void memory_time(struct memory *m,
		 void (*at)(void *context, unsigned package, enum happening what, uint64_t address, uint64_t cycle));

struct reached memory_refer(struct memory *m, const struct reference *r);

/* Writes a core's buffers of non-temporal stores to memory: at a fence, or a locked access, in cycle `now`. Returns the
 * cycle from which on no line is in flight to the core, with the timed clock. */
uint64_t memory_fence(struct memory *m, unsigned core, uint64_t now);

/* WBINVD of a core, in cycle `now`: empties buffers and caches of its package (package_empty). Returns the cycle from
 * which on no line is in flight to the core. */
uint64_t memory_empty(struct memory *m, unsigned core, uint64_t now);

/* A bus lock in cycle `now`. Returns the cycle from which on no request is in flight in the core's package. */
uint64_t memory_lock_bus(struct memory *m, unsigned core, uint64_t now);

#endif
