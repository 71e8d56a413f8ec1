/* SPDX-License-Identifier: BSD-2-Clause */
/* What references of x86 cores do to TLBs and caches, and what happens in them (happening.h). */
#ifndef MODEL_MEMORY_H
#define MODEL_MEMORY_H

#include "combine.h"
#include "flights.h"
#include "package.h"
#include "tlbs.h"
#include "traffic.h"

struct reference {
	unsigned core;		/* of the machine: those of a package stand together */
	enum access access;	/* not ACCESS_WALK */
	uint64_t ip;		/* the instruction's address; prefetchers know loads by it */
	uint64_t linear, physical;
	unsigned size;		/* bytes, at least 1; at most those of a page */
	bool device;		/* no memory: it is not cached */
	bool internal;		/* a device that is a part of the core, which it does not leave */
	bool paged;		/* page tables of four levels translate it, from cr3 on */
	uint64_t cr3;
	uint64_t now;		/* the cycle; if the machine is `timed`, or some line `flies` */
};

/* What became of one. Of several lines, by the one that was farthest away. */
struct reached {
	enum supplier supplier;
	enum tlbs_result translation;
	unsigned latency;		/* until what is loaded can be used, translation included; of a timed machine
					 * also waiting for a fill buffer, or for a line that is on its way */
	bool in_flight;			/* of a timed machine: the L1 data cache has the line, which is on its way */
	unsigned waits;			/* of that, of a timed machine: until it has a fill buffer */
	enum happening source;		/* where that was: HAPPENINGS_BY_SOURCE of LOAD, or LOAD_REMOTE_CACHE and on */
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
		struct flights flights;		/* for VPREFETCH0 and VPREFETCH1; of a timed machine for all */
	} core[MEMORY_CORES];
	bool timed;			/* what misses the L1 data cache is on its way for some time: memory_time */
	struct traffic traffic[MEMORY_PACKAGES];	/* if so */
	bool flies;			/* a core has asked for lines by VPREFETCH0 or VPREFETCH1 */
	walk_read *read;
	void *context;			/* of it */
	struct cache_line lines[];
};

/* Empty caches of so many packages with so many cores each, to be freed; NULL: no memory. Several packages are to be
 * joined (package_join), by the memory that each has. */
struct memory *memory_make(const struct processor *processor, unsigned packages, unsigned cores,
			   void (*raise)(void *context, unsigned core, enum happening what, uint64_t address),
			   walk_read *read, void *context);

/* Gives them the timed clock, at first. `at` is told of the packages' queues (traffic.h). */
void memory_time(struct memory *m,
		 void (*at)(void *context, unsigned package, enum happening what, uint64_t address, uint64_t cycle));

struct reached memory_refer(struct memory *m, const struct reference *r);

/* What a core's non-temporal stores have left in buffers is written: at a fence, or a locked access, in cycle `now`.
 * Returns the cycle from which on no line is on its way to the core, by the timed clock. */
uint64_t memory_fence(struct memory *m, unsigned core, uint64_t now);

/* WBINVD of a core, in cycle `now`: buffers and caches of its package become empty (package_empty). Returns the cycle
 * from which on no line is on its way to the core. */
uint64_t memory_empty(struct memory *m, unsigned core, uint64_t now);

/* A bus lock in that cycle: from which one on no request is on its way in the core's package. */
uint64_t memory_lock_bus(struct memory *m, unsigned core, uint64_t now);

#endif
