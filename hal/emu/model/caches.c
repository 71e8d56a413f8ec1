// SPDX-License-Identifier: BSD-2-Clause

#include <stddef.h>

#include "caches.h"

// The root is node 1; the children of node n are 2n and 2n + 1. A node's bit selects the half that
// is replaced next.
static void plant_tree(struct cache *c)
{
	for (unsigned way = 0; way < c->geometry.ways; way++)
		for (unsigned half = c->geometry.ways / 2, node = 1; half; half /= 2) {
			const unsigned upper = (way & half) != 0;

			c->path[way] |= 1ULL << node;
			c->away[way] |= (uint64_t)!upper << node;
			node = 2 * node + upper;
		}
}

void cache_begin(struct cache *c, const struct cache_geometry *geometry, struct cache_line *lines)
{
	*c = (struct cache){.geometry = *geometry, .line = lines};
	if (geometry->policy == CACHE_PLRU)
		plant_tree(c);
}

static uint64_t number(const struct cache *c, uint64_t address)
{
	return (address >> c->geometry.line_shift) + 1;
}

static struct cache_line *set_of(const struct cache *c, uint64_t number)
{
	return &c->line[((number - 1) & (c->geometry.sets - 1)) * c->geometry.ways];
}

struct cache_line *cache_find(const struct cache *c, uint64_t address)
{
	const uint64_t wanted = number(c, address);
	struct cache_line *line = set_of(c, wanted);

	for (unsigned i = 0; i < c->geometry.ways; i++)
		if (line[i].number == wanted)
			return &line[i];
	return NULL;
}

//
// Replacement
//

static unsigned tree_victim(const struct cache_line *set, unsigned ways)
{
	unsigned way = 0;

	for (unsigned half = ways / 2, node = 1; half; half /= 2) {
		const unsigned upper = set->used >> node & 1;

		way |= upper ? half : 0;
		node = 2 * node + upper;
	}
	return way;
}

void cache_mark(struct cache_line *set, unsigned ways, unsigned way)
{
	bool all = true;

	set[way].used = 1;
	for (unsigned i = 0; i < ways; i++)
		all &= set[i].used;
	for (unsigned i = 0; all && i < ways; i++)
		set[i].used = i == way;
}

// LRU and MRU: the line with the smallest `used`.
static unsigned least_used(const struct cache_line *set, unsigned ways)
{
	unsigned least = 0;

	for (unsigned i = 1; i < ways; i++)
		if (set[i].used < set[least].used)
			least = i;
	return least;
}

struct cache_way cache_way_of(const struct cache *c, struct cache_line *line)
{
	struct cache_line *set = set_of(c, line->number);

	return (struct cache_way){line, set, (unsigned)(line - set)};
}

void cache_touch(struct cache *c, struct cache_line *line)
{
	const struct cache_way way = cache_way_of(c, line);

	cache_touch_way(c, &way);
}

// An empty way is chosen first.
static struct cache_line *choose(const struct cache *c, struct cache_line *set)
{
	const unsigned ways = c->geometry.ways;

	for (unsigned i = 0; i < ways; i++)
		if (!set[i].number)
			return &set[i];
	return &set[c->geometry.policy == CACHE_PLRU ?
		    tree_victim(set, ways) : least_used(set, ways)];
}

//
// Insertion and eviction
//

static struct cache_victim victim(const struct cache *c, const struct cache_line *line)
{
	return (struct cache_victim){
		.valid = line->number, .dirty = line->state == LINE_MODIFIED, .state = line->state,
		.owners = line->owners,
		.address = line->number ? (line->number - 1) << c->geometry.line_shift : 0,
	};
}

struct cache_line *cache_place(struct cache *c, uint64_t address, enum line_state state,
			       struct cache_victim *gone)
{
	struct cache_line *line = choose(c, set_of(c, number(c, address)));

	*gone = victim(c, line);
	line->number = number(c, address);
	line->state = (uint8_t)state;
	line->code = false;
	line->owners = 0;
	cache_touch(c, line);
	return line;
}

struct cache_victim cache_flush(struct cache *c, uint64_t address)
{
	struct cache_line *line = cache_find(c, address);
	struct cache_victim gone = {0};

	if (line) {
		gone = victim(c, line);
		line->number = line->state = 0;
	}
	return gone;
}

bool cache_use(struct cache *c, uint64_t address, bool dirty)
{
	struct cache_line *line = cache_find(c, address);

	if (!line)
		return false;
	cache_touch(c, line);
	if (dirty)
		line->state = LINE_MODIFIED;
	return true;
}

struct cache_victim cache_fill(struct cache *c, uint64_t address, bool dirty)
{
	struct cache_victim gone;

	cache_place(c, address, dirty ? LINE_MODIFIED : LINE_EXCLUSIVE, &gone);
	return gone;
}
