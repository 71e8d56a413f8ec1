/* SPDX-License-Identifier: BSD-2-Clause */
/* A set-associative cache of an emulated machine: line addresses and states, no data. Also used for
 * TLBs, whose lines are pages. */
#ifndef MODEL_CACHES_H
#define MODEL_CACHES_H

#include <stdbool.h>
#include <stdint.h>

/* The line of a full set that a new line replaces. */
enum cache_policy {
	CACHE_LRU,	/* the least recently used line */
	CACHE_PLRU,	/* tree-PLRU: the line that the tree bits select; a use turns them away
			 * from the used line */
	CACHE_MRU,	/* the first line without a mark; a use marks its line and, if then all
			 * are marked, clears the others */
};

/* The geometry of a cache. */
struct cache_geometry {
	unsigned ways;		/* 0: this cache does not exist */
	unsigned sets;		/* power of two; with CACHE_PLRU `ways` is one, too, and at most
				 * CACHE_TREE_WAYS */
	unsigned line_shift;	/* log2 of the line size in bytes */
	enum cache_policy policy;
};

static inline unsigned cache_lines(const struct cache_geometry *g)
{
	return g->ways * g->sets;
}

/* LINE_FORWARD: a line of an L3 cache that other packages share; this cache answers requests for
 * it. */
enum line_state { LINE_INVALID, LINE_SHARED, LINE_EXCLUSIVE, LINE_MODIFIED, LINE_FORWARD,
		 LINE_STATES };

struct cache_line {
	uint64_t number;	/* 1 + address / line size; 0: empty way */
	uint64_t used;		/* LRU: time of the last use. MRU: mark. PLRU: tree bits, in the
				 * first way of the set only */
	uint8_t state;		/* enum line_state */
	bool code;		/* L1 data cache: the L1 instruction cache has had the line, too */
	uint32_t owners;	/* shared cache: bit mask of the cores that may hold the line */
};

/* The state of a line; LINE_INVALID for NULL, i.e. for a line that the cache lacks. */
static inline enum line_state cache_state_of(const struct cache_line *line)
{
	return line ? (enum line_state)line->state : LINE_INVALID;
}

#define CACHE_TREE_WAYS	64	/* largest associativity with CACHE_PLRU */

struct cache {
	struct cache_geometry geometry;
	uint64_t path[CACHE_TREE_WAYS];	/* PLRU, by way: bit mask of the tree nodes on the path
					 * to the way */
	uint64_t away[CACHE_TREE_WAYS];	/* PLRU, by way: those nodes' values that point away from
					 * the way */
	uint64_t uses;
	struct cache_line *line;	/* sets * ways lines, initially all zero; owned by the
					 * caller */
};

void cache_begin(struct cache *c, const struct cache_geometry *geometry, struct cache_line *lines);

/* Returns the line with this address, or NULL. */
struct cache_line *cache_find(const struct cache *c, uint64_t address);

/* The position of a line: the line, the first line of its set, and its way. */
struct cache_way {
	struct cache_line *line, *set;
	unsigned way;
};
struct cache_way cache_way_of(const struct cache *c, struct cache_line *line);

/* MRU: marks the line in `way` as used. */
void cache_mark(struct cache_line *set, unsigned ways, unsigned way);

/* Updates the replacement state for a use of a line. */
static inline void cache_touch_way(struct cache *c, const struct cache_way *w)
{
	if (c->geometry.policy == CACHE_LRU)
		w->line->used = ++c->uses;
	else if (c->geometry.policy == CACHE_PLRU)
		w->set->used = (w->set->used & ~c->path[w->way]) | c->away[w->way];
	else
		cache_mark(w->set, c->geometry.ways, w->way);
}
void cache_touch(struct cache *c, struct cache_line *line);

/* An evicted line; `valid` is false if no line was evicted. */
struct cache_victim {
	bool valid, dirty;
	uint8_t state;
	uint32_t owners;
	uint64_t address;
};

/* Inserts the line with this address, which the cache must lack, and counts as a use of it. *gone:
 * the evicted line. */
struct cache_line *cache_place(struct cache *c, uint64_t address, enum line_state state,
			       struct cache_victim *gone);

/* Invalidates a line. Returns it; not `valid` if the cache lacks it. */
struct cache_victim cache_flush(struct cache *c, uint64_t address);

/* For a cache that is not kept coherent with others. cache_use touches the line with this address
 * and returns false if the cache lacks it; cache_fill inserts it. `dirty`: the access is a write,
 * after which the line differs from memory. */
bool cache_use(struct cache *c, uint64_t address, bool dirty);
struct cache_victim cache_fill(struct cache *c, uint64_t address, bool dirty);

#endif
