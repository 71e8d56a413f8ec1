/* SPDX-License-Identifier: BSD-2-Clause */
/* The caches of a package: each core's L1 and L2 caches, and optionally an L3 cache that the cores
 * share. Caches write back and stay coherent by the states I, S, E and M. DECISIONS.md has the
 * choices. */
#ifndef MODEL_PACKAGE_H
#define MODEL_PACKAGE_H

#include "cpu_event.h"
#include "prefetch.h"

#define PACKAGE_CORES 8

struct traffic;

struct package {
	const struct processor *processor;
	unsigned cores, first;				/* number of cores; the machine's number
							 * of the first core, for `raise` */
	struct package *all;				/* all packages of the machine; NULL:
							 * this is the only one */
	unsigned packages;				/* number of packages in `all` */
	uint64_t memory;				/* bytes of memory per package; each has
							 * one range, in the order of `all` */
	struct cache core[PACKAGE_CORES][CACHE_L3];	/* by enum processor_cache, up to the L2
							 * cache */
	struct cache l3;
	struct prefetchers prefetchers[PACKAGE_CORES];
	bool follows_loads;				/* this core type has prefetchers that
							 * observe loads */
	struct traffic *traffic;			/* queues, with the timed clock; else
							 * NULL */
	uint64_t now;					/* current cycle of the timed clock */
	bool clears;					/* the last package_access wrote a line
							 * of its L1 instruction cache */
	/* units that the last package_read asked */
	enum asked { ASKED_NOBODY, ASKED_HOME, ASKED_MEMORY } asked;
	void (*raise)(void *context, unsigned core, enum cpu_event what, uint64_t address);
	void *context;
	const bool *wanted;				/* by cpu event: `raise` receives it;
							 * NULL: all */
};

/* Returns the number of cache lines that a package of `cores` cores needs. */
size_t package_lines(const struct processor *processor, unsigned cores);

/* `lines`: package_lines() lines, all zero. `raise` receives all cpu events. */
void package_begin(struct package *p, const struct processor *processor, unsigned cores,
		   struct cache_line *lines,
		   void (*raise)(void *context, unsigned core, enum cpu_event what,
				 uint64_t address), void *context);

/* Joins initialized packages, which must have L3 caches, into one machine. `memory`: bytes of
 * memory of each package. */
void package_join(struct package *all, unsigned packages, uint64_t memory);

enum access {
	ACCESS_LOAD, ACCESS_STORE, ACCESS_LOCK, ACCESS_FETCH, ACCESS_WALK,

	/* Software prefetches: into all caches; all but the L1 cache; the L1 cache only. */
	ACCESS_PREFETCH, ACCESS_PREFETCH_L2, ACCESS_PREFETCH_ONCE,
	ACCESS_VPREFETCH0, ACCESS_VPREFETCH1,	/* Knights Corner's; like the two before, but not
						 * counted as loads */

	ACCESS_STREAM,	/* a non-temporal store (combine.h), which bypasses the caches */
};

static inline bool access_is_prefetch(enum access access)
{
	return access >= ACCESS_PREFETCH && access <= ACCESS_VPREFETCH1;
}

static inline bool access_is_write(enum access access)
{
	return access == ACCESS_STORE || access == ACCESS_LOCK;
}

/* The source of a line, in the order of CPU_EVENTS_BY_SOURCE and CPU_EVENTS_BY_REMOTE_ANSWER
 * (cpu_event.h). SHARED, MODIFIED: another core's clean or modified line. REMOTE_HITM: another
 * package asked one of its cores, or its line was modified. */
enum supplier {
	SUPPLIER_L1, SUPPLIER_L2, SUPPLIER_L3, SUPPLIER_SHARED, SUPPLIER_MODIFIED, SUPPLIER_MEMORY,
	SUPPLIER_REMOTE_HIT, SUPPLIER_REMOTE_HITM, SUPPLIER_REMOTE_MEMORY
};

/* A core's reference to the line at a physical address; any but ACCESS_STREAM. */
enum supplier package_access(struct package *p, unsigned core, enum access access,
			     uint64_t address);

/* Reports a load or software prefetch of the instruction at `ip` to the prefetchers of the core's
 * L1 data cache. Call it after package_access, which returned `supplier`. */
void package_follow_load(struct package *p, unsigned core, uint64_t ip, uint64_t address,
			 enum supplier supplier);

/* Invalidates a line in all caches of all packages, on behalf of a core. A modified line is written
 * to memory. */
void package_flush(struct package *p, unsigned core, uint64_t address);

/* WBINVD of a core: writes the package's modified lines to memory, then empties its caches and
 * prefetchers. */
void package_empty(struct package *p, unsigned core);

/* Returns the load-to-use latency of a source, in cycles. */
unsigned package_latency(const struct package *p, enum supplier supplier);

/* The rest is for cache_hierarchy.c (within a package), home_agent.c (between packages) and
 * traffic.c only. `core` is the requesting core of the package. */

/* Raises a cpu event of a core; package_raise_by raises number `which` of consecutive ones. */
static inline void package_raise(struct package *p, unsigned core, enum cpu_event what,
				 uint64_t address)
{
	if (!p->wanted || p->wanted[what])
		p->raise(p->context, p->first + core, what, address);
}

static inline void package_raise_by(struct package *p, unsigned core, enum cpu_event first,
				    unsigned which, uint64_t address)
{
	package_raise(p, core, (enum cpu_event)(first + which), address);
}

/* By kind of access: the first of the consecutive cpu events for the states that the line may have
 * in the L1 data cache. */
extern const enum cpu_event package_references[];

/* A reference that hits in this way of the core's L1 cache. For a write, the line must not be
 * shared. */
static inline void package_hit(struct package *p, unsigned core, enum access access,
			       uint64_t address, const struct cache_way *way)
{
	struct cache *caches = p->core[core];

	if (access == ACCESS_FETCH) {
		package_raise(p, core, CPU_EVENT_L1I_HIT, address);
		cache_touch_way(&caches[CACHE_L1I], way);
		return;
	}
	package_raise_by(p, core, package_references[access], cache_state_of(way->line), address);
	cache_touch_way(&caches[CACHE_L1D], way);
	if (access_is_write(access))
		way->line->state = LINE_MODIFIED;
}

/* Invalidates a line in all of a core's caches. Returns its strongest state there. */
enum line_state package_give_up(struct package *p, unsigned core, uint64_t address);

/* Snoops these cores (bit mask): `write` invalidates the line in their caches, else it becomes
 * shared. Returns its strongest state. */
enum line_state package_snoop(struct package *p, uint32_t cores, bool write, uint64_t address);

/* Returns the home package of an address. */
struct package *package_home_agent(struct package *p, uint64_t address);

/* Reads a line that the L3 cache lacks (`write`: for ownership) from another package or memory.
 * *state: the line's state on arrival. */
enum supplier package_read(struct package *p, unsigned core, bool write, uint64_t address,
			   enum line_state *state);

/* Invalidates a line in all other packages: for ownership of a line that this L3 cache shares
 * (`write`), or because the line will be written to memory directly. */
void package_own(struct package *p, unsigned core, bool write, uint64_t address);

/* Writes a line to memory. */
void package_write(struct package *p, unsigned core, uint64_t address);

#endif
