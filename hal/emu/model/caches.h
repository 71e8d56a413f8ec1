/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches of an emulated machine: which lines they hold, in which state, not what is in them. A TLB is one, too: its
 * lines are pages. */
#ifndef MODEL_CACHES_H
#define MODEL_CACHES_H

#include <stdbool.h>
#include <stdint.h>

/* Which line of a full set goes. */
enum cache_policy {
	CACHE_LRU,	/* the one that was used longest ago */
	CACHE_PLRU,	/* the one that a binary tree finds, whose nodes point away from what was used last */
	CACHE_MRU,	/* the first one without a mark: use marks it; if all are marked, the others lose theirs */
};

/* What a cache looks like. */
struct cache_geometry {
	unsigned ways;		/* 0: there is no such cache */
	unsigned sets;		/* a power of two; with CACHE_PLRU `ways` is one, too, and CACHE_TREE_WAYS at most */
	unsigned line_shift;	/* a line has 2^line_shift bytes */
	enum cache_policy policy;
};

/* Lines that a cache of this geometry has. */
static inline unsigned cache_lines(const struct cache_geometry *g)
{
	return g->ways * g->sets;
}

/* LINE_FORWARD: of an L3 cache, shared with other packages, and who asks for the line is to get it from here. */
enum line_state { LINE_INVALID, LINE_SHARED, LINE_EXCLUSIVE, LINE_MODIFIED, LINE_FORWARD, LINE_STATES };

struct cache_line {
	uint64_t number;	/* address / line size, counted from 1; 0: there is none */
	uint64_t used;		/* LRU: when. MRU: its mark. PLRU: the first way has the tree */
	uint8_t state;		/* enum line_state */
	uint32_t owners;	/* of a cache that cores share: those that may have the line, by bits */
};

/* The state of a line that a cache has, or, of NULL, has not. */
static inline enum line_state cache_state_of(const struct cache_line *line)
{
	return line ? (enum line_state)line->state : LINE_INVALID;
}

#define CACHE_TREE_WAYS	64	/* of a cache with CACHE_PLRU, at most */

struct cache {
	struct cache_geometry geometry;
	uint64_t path[CACHE_TREE_WAYS];	/* PLRU: the tree's nodes above a way, */
	uint64_t away[CACHE_TREE_WAYS];	/* and those of them that must be 1 to point away from it */
	uint64_t uses;
	struct cache_line *line;	/* sets * ways of them, all zero at first: the caller's */
};

void cache_begin(struct cache *c, const struct cache_geometry *geometry, struct cache_line *lines);

/* The line that has this address; NULL: it is not there. */
struct cache_line *cache_find(const struct cache *c, uint64_t address);

/* Where it has one of its lines: that, the first one of its set, and its number there. */
struct cache_way {
	struct cache_line *line, *set;
	unsigned way;
};
struct cache_way cache_way_of(const struct cache *c, struct cache_line *line);

/* MRU: marks one of a set. */
void cache_mark(struct cache_line *set, unsigned ways, unsigned way);

/* One of its lines has been used. */
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

/* What had to go: nothing (`valid` is false), or a line. */
struct cache_victim {
	bool valid, dirty;
	uint8_t state;
	uint32_t owners;
	uint64_t address;
};

/* Brings in the line that has this address, which is not there, and uses it. *gone is what it replaces. */
struct cache_line *cache_place(struct cache *c, uint64_t address, enum line_state state, struct cache_victim *gone);

/* Takes a line out, if it is there. */
struct cache_victim cache_flush(struct cache *c, uint64_t address);

/* All that a cache has to know whose lines nobody else has: uses the line that has this address; false: it is not
 * there. `dirty`: it is written and differs from memory. And brings it in. */
bool cache_use(struct cache *c, uint64_t address, bool dirty);
struct cache_victim cache_fill(struct cache *c, uint64_t address, bool dirty);

#endif
