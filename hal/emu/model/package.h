/* SPDX-License-Identifier: BSD-2-Clause */
/* The caches of a package: each core's L1 and L2 caches, and an L3 cache that the cores share, if there is one. They
 * write back, and keep lines coherent by four states, I, S, E, M. README.md has the decisions. */
#ifndef MODEL_PACKAGE_H
#define MODEL_PACKAGE_H

#include "happening.h"
#include "prefetch.h"

#define PACKAGE_CORES 8

struct traffic;

struct package {
	const struct processor *processor;
	unsigned cores, first;				/* their number, and the first one's number for `raise` */
	struct package *all;				/* all packages of a machine of several; NULL: one package */
	unsigned packages;				/* in `all` */
	uint64_t memory;				/* bytes of each package, in the order of packages */
	struct cache core[PACKAGE_CORES][CACHE_L3];	/* by enum processor_cache, up to the L2 cache */
	struct cache l3;
	struct prefetchers prefetchers[PACKAGE_CORES];
	bool follows_loads;				/* some prefetchers follow loads */
	struct traffic *traffic;			/* its queues, with the timed clock; else NULL */
	uint64_t now;					/* the cycle of the timed clock */
	enum asked { ASKED_NOBODY, ASKED_HOME, ASKED_MEMORY } asked;	/* by the last read */
	void (*raise)(void *context, unsigned core, enum happening what, uint64_t address);
	void *context;
	const bool *wanted;				/* by happening: whether `raise` gets it; NULL: all */
};

/* The number of lines that a package of `cores` needs. */
size_t package_lines(const struct processor *processor, unsigned cores);

/* `lines`: package_lines() of them, all zero. `raise` gets all happenings. */
void package_begin(struct package *p, const struct processor *processor, unsigned cores, struct cache_line *lines,
		   void (*raise)(void *context, unsigned core, enum happening what, uint64_t address), void *context);

/* Joins packages that have begun into one machine, with `memory` bytes each. They must have L3 caches. */
void package_join(struct package *all, unsigned packages, uint64_t memory);

enum access {
	ACCESS_LOAD, ACCESS_STORE, ACCESS_LOCK, ACCESS_FETCH, ACCESS_WALK,

	/* Prefetches of programs: into all caches; not into the L1 cache; into the L1 cache only. */
	ACCESS_PREFETCH, ACCESS_PREFETCH_L2, ACCESS_PREFETCH_ONCE,
	ACCESS_VPREFETCH0, ACCESS_VPREFETCH1,	/* as the first two, of Knights Corner: no loads */

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

/* A line's source, in the order of HAPPENINGS_BY_SOURCE and HAPPENINGS_BY_REMOTE_ANSWER (happening.h). SHARED,
 * MODIFIED: another core's clean or modified line. REMOTE_HITM: another package asked a core, or the line was modified.
 * */
enum supplier {
	SUPPLIER_L1, SUPPLIER_L2, SUPPLIER_L3, SUPPLIER_SHARED, SUPPLIER_MODIFIED, SUPPLIER_MEMORY,
	SUPPLIER_REMOTE_HIT, SUPPLIER_REMOTE_HITM, SUPPLIER_REMOTE_MEMORY
};

/* A reference of a core to the line at a physical address; not ACCESS_STREAM. */
enum supplier package_reach(struct package *p, unsigned core, enum access access, uint64_t address);

/* Reports a load, or a program's prefetch, of the instruction at `ip` to the prefetchers of a core's L1 data cache.
 * After package_reach, which returned `supplier`. */
void package_follow_load(struct package *p, unsigned core, uint64_t ip, uint64_t address, enum supplier supplier);

/* For a core, invalidates a line in all caches, of other packages, too; a modified line goes to memory. */
void package_flush(struct package *p, unsigned core, uint64_t address);

/* WBINVD of a core: writes the modified lines of the package's caches to memory, and empties them and the prefetchers.
 * */
void package_empty(struct package *p, unsigned core);

/* The latency of a source. */
unsigned package_latency(const struct package *p, enum supplier supplier);

/* For reach.c (in a package), home.c (between packages) and traffic.c only. `core` is the requesting core of the
 * package.
 */

/* Raises a happening of a core; and the `which`-th of consecutive ones. */
static inline void package_raise(struct package *p, unsigned core, enum happening what, uint64_t address)
{
	if (!p->wanted || p->wanted[what])
		p->raise(p->context, p->first + core, what, address);
}

static inline void package_raise_by(struct package *p, unsigned core, enum happening first, unsigned which,
				    uint64_t address)
{
	package_raise(p, core, (enum happening)(first + which), address);
}

/* References of the L1 data cache, by kind of access: the first happening of those by the line's state. */
extern const enum happening package_references[];

/* A reference that hits the core's L1 cache, in this way. For a write, the line must not be shared. */
static inline void package_hit(struct package *p, unsigned core, enum access access, uint64_t address,
			       const struct cache_way *way)
{
	struct cache *caches = p->core[core];

	if (access == ACCESS_FETCH) {
		package_raise(p, core, HAPPENING_L1I_HIT, address);
		cache_touch_way(&caches[CACHE_L1I], way);
		return;
	}
	package_raise_by(p, core, package_references[access], cache_state_of(way->line), address);
	cache_touch_way(&caches[CACHE_L1D], way);
	if (access_is_write(access))
		way->line->state = LINE_MODIFIED;
}

/* A core gives a line up, in all its caches. Its strongest state there. */
enum line_state package_give_up(struct package *p, unsigned core, uint64_t address);

/* These cores, by bits, keep the line shared, or give it up. The strongest state that one had. */
enum line_state package_snoop(struct package *p, uint32_t cores, bool write, uint64_t address);

/* The package whose memory it is. */
struct package *package_home(struct package *p, uint64_t address);

/* A line that the L3 cache has not is read, for ownership or not, and comes in the state *state. */
enum supplier package_read(struct package *p, unsigned core, bool write, uint64_t address, enum line_state *state);

/* A line that it has shared is to be its own: `write`. Or nobody is to have it, as it will be written to memory. */
void package_own(struct package *p, unsigned core, bool write, uint64_t address);

/* A line is written to memory. */
void package_write(struct package *p, unsigned core, uint64_t address);

#endif
