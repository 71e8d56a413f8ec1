// SPDX-License-Identifier: BSD-2-Clause
// Caches: caches.h.

#include <stddef.h>

#include "caches.h"

void cache_begin(struct cache *c, const struct cache_geometry *geometry, struct cache_line *lines)
{
	*c = (struct cache){
		.ways = geometry->ways, .sets = cache_lines(geometry) / geometry->ways,
		.line_bytes = geometry->line_bytes, .line = lines,
	};
}

static uint64_t number(const struct cache *c, uint64_t address)
{
	return address / c->line_bytes + 1;
}

static struct cache_line *set(const struct cache *c, uint64_t address)
{
	return &c->line[(address / c->line_bytes & (c->sets - 1)) * c->ways];
}

static struct cache_line *find(const struct cache *c, uint64_t address)
{
	struct cache_line *line = set(c, address);

	for (unsigned i = 0; i < c->ways; i++)
		if (line[i].number == number(c, address))
			return &line[i];
	return NULL;
}

bool cache_use(struct cache *c, uint64_t address, bool dirty)
{
	struct cache_line *line = find(c, address);

	if (!line)
		return false;
	line->used = ++c->uses;
	line->dirty |= dirty;
	return true;
}

static struct cache_victim victim(const struct cache *c, const struct cache_line *line)
{
	return (struct cache_victim){!!line->number, line->dirty, (line->number - 1) * c->line_bytes};
}

struct cache_victim cache_fill(struct cache *c, uint64_t address, bool dirty)
{
	struct cache_line *line = set(c, address), *oldest = line;

	for (unsigned i = 1; i < c->ways; i++)
		if (line[i].used < oldest->used)
			oldest = &line[i];

	const struct cache_victim gone = victim(c, oldest);

	*oldest = (struct cache_line){number(c, address), ++c->uses, dirty};
	return gone;
}

struct cache_victim cache_flush(struct cache *c, uint64_t address)
{
	struct cache_line *line = find(c, address);
	struct cache_victim gone = {0};

	if (line) {
		gone = victim(c, line);
		*line = (struct cache_line){0};
	}
	return gone;
}
