/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory references of x86 cores: their effects on TLBs and caches, and the cpu events
 * (cpu_event.h) that they raise. */
#ifndef MODEL_MEMORY_H
#define MODEL_MEMORY_H

#include "combine.h"
#include "flights.h"
#include "package.h"
#include "tlbs.h"
#include "traffic.h"

struct reference {
	unsigned core;		/* number in the machine; cores of a package have consecutive
				 * numbers */
	enum access access;	/* any but ACCESS_WALK */
	uint64_t ip;		/* address of the instruction, by which prefetchers distinguish
				 * loads */
	uint64_t linear, physical;
	unsigned size;		/* bytes, 1 to the page size */
	bool device;		/* the address is a device's, hence uncached */
	bool internal;		/* the device is a part of the core, so that the reference does
				 * not leave the core */
	bool paged;		/* four-level page tables at cr3 translate `linear` */
	uint64_t cr3;
	uint64_t now;		/* cycle; used if the machine is `timed`, or `flies` */
};

/* The result of a reference. For a reference to several lines: that of the slowest one. */
struct reached {
	enum supplier supplier;
	enum tlbs_result translation;
	unsigned latency;		/* cycles from load to use, with translation; on a timed
					 * machine also with the waits for a fill buffer and for
					 * a line in flight */
	bool clears;			/* it wrote a line of the L1 instruction cache */
	bool in_flight;			/* timed machine: a hit in the L1 data cache of a line
					 * still in flight */
	unsigned waits;			/* timed machine: cycles of `latency` before it gets a
					 * fill buffer */
	enum cpu_event source;		/* a load's source: CPU_EVENTS_BY_SOURCE of LOAD, or
					 * LOAD_REMOTE_CACHE and following */
};

#define MEMORY_PACKAGES	2
#define MEMORY_CORES	(MEMORY_PACKAGES * PACKAGE_CORES)

struct memory {
	const struct processor *processor;
	struct package package[MEMORY_PACKAGES];
	struct memory_core {
		struct package *package;
		unsigned core;		/* number in the package */
		struct tlbs tlbs;
		struct combining combining;
		struct flights flights;		/* of VPREFETCH0 and VPREFETCH1; on a timed
						 * machine, of all misses */
	} core[MEMORY_CORES];
	bool timed;			/* misses of the L1 data cache take time; see memory_time */
	struct traffic traffic[MEMORY_PACKAGES];	/* used on a timed machine */
	bool flies;			/* a core has executed VPREFETCH0 or VPREFETCH1 */
	walk_read *read;
	void *context;			/* argument of `read` and `raise` */
	struct cache_line lines[];
};

/* Allocates `packages` packages of `cores` cores with empty caches; the caller frees them. NULL:
 * out of memory. Several packages also need package_join, with the memory size of each. */
struct memory *memory_make(const struct processor *processor, unsigned packages, unsigned cores,
			   void (*raise)(void *context, unsigned core, enum cpu_event what,
					 uint64_t address),
			   walk_read *read, void *context);

/* Enables the timed clock. Call it before any reference. `at` receives the cpu events of the
 * packages' queues (traffic.h); NULL: packages have no queues. */
void memory_time(struct memory *m,
		 void (*at)(void *context, unsigned package, enum cpu_event what, uint64_t address,
			    uint64_t cycle));

struct reached memory_refer(struct memory *m, const struct reference *r);

/* A fence or a locked access in cycle `now`: writes the core's buffered non-temporal stores to
 * memory. Returns the first cycle in which no line is in flight to the core (timed clock). */
uint64_t memory_fence(struct memory *m, unsigned core, uint64_t now);

/* WBINVD of a core in cycle `now`: empties its buffers and the caches of its package
 * (package_empty). Returns the first cycle in which no line is in flight to the core. */
uint64_t memory_empty(struct memory *m, unsigned core, uint64_t now);

/* A bus lock in cycle `now`. Returns the first cycle in which no request is in flight in the core's
 * package. */
uint64_t memory_lock_bus(struct memory *m, unsigned core, uint64_t now);

#endif
