/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches of an emulated machine: which lines they hold, not what is in them. Sets, ways, replacement of the line that
 * was used longest ago. */
#ifndef MODEL_CACHES_H
#define MODEL_CACHES_H

#include <stdbool.h>
#include <stdint.h>

struct cache_line {
	uint64_t number;	/* address / line size, counted from 1; 0: there is none */
	uint64_t used;		/* when; a larger number is later */
	bool dirty;
};

struct cache {
	unsigned ways, sets, line_bytes;	/* sets and line_bytes are powers of two */
	uint64_t uses;
	struct cache_line *line;		/* sets * ways of them, all zero at first: the caller's */
};

/* What a cache looks like. */
struct cache_geometry {
	unsigned bytes, ways, line_bytes;
};

/* Lines that a cache of this geometry has. */
static inline unsigned cache_lines(const struct cache_geometry *g)
{
	return g->bytes / g->line_bytes;
}

void cache_begin(struct cache *c, const struct cache_geometry *geometry, struct cache_line *lines);

/* Uses the line that has this address; false: it is not there. `dirty`: it is written and differs from memory. */
bool cache_use(struct cache *c, uint64_t address, bool dirty);

/* What had to go: nothing (`valid` is false), or a line. */
struct cache_victim {
	bool valid, dirty;
	uint64_t address;
};

/* Brings in the line that has this address, which is not there. */
struct cache_victim cache_fill(struct cache *c, uint64_t address, bool dirty);

/* Takes a line out, if it is there. */
struct cache_victim cache_flush(struct cache *c, uint64_t address);

#endif
