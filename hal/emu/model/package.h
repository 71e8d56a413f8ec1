/* SPDX-License-Identifier: BSD-2-Clause */
/* The caches of a package: each core's L1 and L2 caches, and an L3 cache that the cores share, if there is one. They
 * write back, and keep lines coherent by four states, I, S, E, M. README.md says what is chosen. */
#ifndef MODEL_PACKAGE_H
#define MODEL_PACKAGE_H

#include "happening.h"
#include "prefetch.h"

#define PACKAGE_CORES 8

struct traffic;

struct package {
	const struct processor *processor;
	unsigned cores, first;				/* so many, of which the first has this number for `raise` */
	struct package *all;				/* of a machine of several: they, and how many; NULL: one */
	unsigned packages;
	uint64_t memory;				/* bytes that each has, this one's behind those before it */
	struct cache core[PACKAGE_CORES][CACHE_L3];	/* by enum processor_cache, up to the L2 cache */
	struct cache l3;
	struct prefetchers prefetchers[PACKAGE_CORES];
	bool follows_loads;				/* there are some that see loads */
	struct traffic *traffic;			/* its queues, by the timed clock; NULL: it is not used */
	uint64_t now;					/* the cycle, by that clock */
	enum asked { ASKED_NOBODY, ASKED_HOME, ASKED_MEMORY } asked;	/* for what has been read last */
	void (*raise)(void *context, unsigned core, enum happening what, uint64_t address);
	void *context;
	const bool *wanted;				/* of what happens `raise` is told this; NULL: all */
};

/* Lines that a package of so many cores needs. */
size_t package_lines(const struct processor *processor, unsigned cores);

/* `lines` are as many, all zero. `raise` is told all that happens. */
void package_begin(struct package *p, const struct processor *processor, unsigned cores, struct cache_line *lines,
		   void (*raise)(void *context, unsigned core, enum happening what, uint64_t address), void *context);

/* Makes one machine of packages that have begun, with so many bytes of memory each. They have L3 caches. */
void package_join(struct package *all, unsigned packages, uint64_t memory);

enum access {
	ACCESS_LOAD, ACCESS_STORE, ACCESS_LOCK, ACCESS_FETCH, ACCESS_WALK,

	/* What programs prefetch: into all caches; not into the L1 cache; into it, and not into the L2 cache. */
	ACCESS_PREFETCH, ACCESS_PREFETCH_L2, ACCESS_PREFETCH_ONCE,
	ACCESS_VPREFETCH0, ACCESS_VPREFETCH1,	/* as the first two, of Knights Corner: no loads */

	ACCESS_STREAM,	/* a non-temporal store (combine.h), of which the caches are none */
};

static inline bool access_is_prefetch(enum access access)
{
	return access >= ACCESS_PREFETCH && access <= ACCESS_VPREFETCH1;
}

static inline bool access_is_write(enum access access)
{
	return access == ACCESS_STORE || access == ACCESS_LOCK;
}

/* Who had the line: in the order of HAPPENINGS_BY_SOURCE and HAPPENINGS_BY_REMOTE_ANSWER (happening.h). Of other cores'
 * lines: clean, and modified. Of other packages' caches: no core was asked, or some was, or the line was modified. */
enum supplier {
	SUPPLIER_L1, SUPPLIER_L2, SUPPLIER_L3, SUPPLIER_SHARED, SUPPLIER_MODIFIED, SUPPLIER_MEMORY,
	SUPPLIER_REMOTE_HIT, SUPPLIER_REMOTE_HITM, SUPPLIER_REMOTE_MEMORY
};

/* A reference of a core to the line at a physical address; not ACCESS_STREAM. */
enum supplier package_reach(struct package *p, unsigned core, enum access access, uint64_t address);

/* The prefetchers of a core's L1 data cache see a load, or a program's prefetch, of the instruction at `ip`, behind
 * package_reach, which has returned `supplier`. */
void package_follow_load(struct package *p, unsigned core, uint64_t ip, uint64_t address, enum supplier supplier);

/* For a core, a line leaves all caches, of other packages, too; if one has modified it, to memory. */
void package_flush(struct package *p, unsigned core, uint64_t address);

/* WBINVD of a core: what the package's caches have modified is written to memory, and they and the prefetchers are as
 * empty as at the beginning. */
void package_empty(struct package *p, unsigned core);

/* The latency of what has it. */
unsigned package_latency(const struct package *p, enum supplier supplier);

/*
 * What is for those who do this: reach.c in a package; home.c between packages; traffic.c. `core` is the one of the
 * package that asks.
 */

/* It happens to a core; and one of several that stand together does. */
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

/* References of the L1 data cache: the first one of those by the state that the line has there. */
extern const enum happening package_references[];

/* A reference to a line that the core's L1 cache has, in this way: not shared, if it is to be written. */
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
