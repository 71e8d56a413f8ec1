/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches of an emulated machine: addresses and states of their lines, without data. A TLB is one, too: its lines are
 * pages. */
#ifndef MODEL_CACHES_H
#define MODEL_CACHES_H

#include <stdbool.h>
#include <stdint.h>

/* Which line of a full set a new line replaces. */
enum cache_policy {
	CACHE_LRU,	/* the least recently used one */
	CACHE_PLRU,	/* the one at which a binary tree points; a use turns the nodes away from the used line */
	CACHE_MRU,	/* the first one without a mark: a use marks a line; if all are marked, others lose theirs */
};

/* The geometry of a cache. */
struct cache_geometry {
	unsigned ways;		/* 0: there is no such cache */
	unsigned sets;		/* a power of two; with CACHE_PLRU `ways` is one, too, and CACHE_TREE_WAYS at most */
	unsigned line_shift;	/* a line has 2^line_shift bytes */
	enum cache_policy policy;
};

/* The number of lines. */
static inline unsigned cache_lines(const struct cache_geometry *g)
{
	return g->ways * g->sets;
}

/* LINE_FORWARD: a line of an L3 cache, shared with other packages; this cache answers requests for it. */
enum line_state { LINE_INVALID, LINE_SHARED, LINE_EXCLUSIVE, LINE_MODIFIED, LINE_FORWARD, LINE_STATES };

struct cache_line {
	uint64_t number;	/* address / line size, counted from 1; 0: no line */
	uint64_t used;		/* LRU: time of the last use. MRU: its mark. PLRU: the first way has the tree */
	uint8_t state;		/* enum line_state */
	uint32_t owners;	/* in a cache that cores share: bit mask of cores that may have the line */
};

/* The state of a line, or of one that the cache lacks (NULL). */
static inline enum line_state cache_state_of(const struct cache_line *line)
{
	return line ? (enum line_state)line->state : LINE_INVALID;
}

#define CACHE_TREE_WAYS	64	/* most ways of a cache with CACHE_PLRU */

struct cache {
	struct cache_geometry geometry;
	uint64_t path[CACHE_TREE_WAYS];	/* PLRU: the tree's nodes above a way, */
	uint64_t away[CACHE_TREE_WAYS];	/* and those of them that must be 1 to point away from it */
	uint64_t uses;
	struct cache_line *line;	/* sets * ways lines, all zero at first; owned by the caller */
};

void cache_begin(struct cache *c, const struct cache_geometry *geometry, struct cache_line *lines);

/* Returns the line with this address, or NULL. */
struct cache_line *cache_find(const struct cache *c, uint64_t address);

/* A line's place: the line, the first line of its set, and its way. */
struct cache_way {
	struct cache_line *line, *set;
	unsigned way;
};
struct cache_way cache_way_of(const struct cache *c, struct cache_line *line);

/* MRU: marks a line of a set. */
void cache_mark(struct cache_line *set, unsigned ways, unsigned way);

/* Notes a use of a line. */
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

/* An evicted line; `valid` is false if there was none. */
struct cache_victim {
	bool valid, dirty;
	uint8_t state;
	uint32_t owners;
	uint64_t address;
};

/* Fills the line with this address, which the cache must lack, and uses it. *gone: the line that it replaces. */
struct cache_line *cache_place(struct cache *c, uint64_t address, enum line_state state, struct cache_victim *gone);

/* Invalidates a line, if the cache has it. */
struct cache_victim cache_flush(struct cache *c, uint64_t address);

/* For a cache whose lines no other cache has. cache_use uses the line with this address, and returns false if the cache
 * lacks it; cache_fill fills it. `dirty`: a write, so that the line differs from memory. */
bool cache_use(struct cache *c, uint64_t address, bool dirty);
struct cache_victim cache_fill(struct cache *c, uint64_t address, bool dirty);

#endif
