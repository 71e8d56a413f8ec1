// SPDX-License-Identifier: BSD-2-Clause

#include "through.h"

#include <stdlib.h>

struct through *through_make(const struct processor *processor,
			     void (*raise)(void *context, enum cpu_event what, uint64_t address),
			     void *context)
{
	struct cache_line *lines;
	struct through *t;
	size_t count = 0;

	for (unsigned i = 0; i < CACHES; i++)
		count += cache_lines(&processor->cache[i]);
	t = calloc(1, sizeof *t + count * sizeof *lines);
	if (!t)
		return NULL;
	t->raise = raise;
	t->context = context;
	lines = t->lines;
	for (unsigned i = 0; i < CACHES; i++) {
		cache_begin(&t->cache[i], &processor->cache[i], lines);
		lines += cache_lines(&processor->cache[i]);
	}
	return t;
}

static void raise(struct through *t, enum cpu_event what, uint64_t address)
{
	t->raise(t->context, what, address);
}

//
// Evictions
//

static uint64_t line_bytes(const struct through *t, enum processor_cache cache)
{
	return 1ULL << t->cache[cache].geometry.line_shift;
}

// Invalidates the L1 lines of an evicted L2 line.
static void invalidate(struct through *t, enum processor_cache l1, uint64_t address,
		       enum cpu_event what)
{
	for (uint64_t at = address; at < address + line_bytes(t, CACHE_L2); at += line_bytes(t, l1))
		if (cache_flush(&t->cache[l1], at).valid)
			raise(t, what, at);
}

// Handles a line that the L2 cache has evicted. Returns whether it was modified.
static bool leave_l2(struct through *t, const struct cache_victim *gone)
{
	invalidate(t, CACHE_L1I, gone->address, CPU_EVENT_L1I_INVALIDATION);
	invalidate(t, CACHE_L1D, gone->address, CPU_EVENT_L1D_INVALIDATION);
	raise(t, gone->dirty ? CPU_EVENT_L2_EVICTION_MODIFIED : CPU_EVENT_L2_EVICTION_CLEAN,
	      gone->address);
	return gone->dirty;
}

static void evict_l2(struct through *t, const struct cache_victim *gone)
{
	if (gone->valid && leave_l2(t, gone))
		cache_find(&t->cache[CACHE_L3], gone->address)->state = LINE_MODIFIED;
}

static void evict_l3(struct through *t, const struct cache_victim *gone)
{
	bool dirty = gone->dirty;

	if (!gone->valid)
		return;
	for (uint64_t at = gone->address; at < gone->address + line_bytes(t, CACHE_L3);
	     at += line_bytes(t, CACHE_L2)) {
		const struct cache_victim inner = cache_flush(&t->cache[CACHE_L2], at);

		if (inner.valid)
			dirty |= leave_l2(t, &inner);
	}
	if (dirty)
		raise(t, CPU_EVENT_MEMORY_WRITE, gone->address);
}

void through_give_up(struct through *t, uint64_t address)
{
	for (unsigned i = 0; i < CACHES; i++)
		for (uint64_t at = address; at < address + line_bytes(t, CACHE_L3);
		     at += line_bytes(t, i))
			cache_flush(&t->cache[i], at);
}

//
// References
//

enum where { IN_L1, IN_L2, IN_L3, IN_MEMORY };

static enum where access_l3(struct through *t, uint64_t address)
{
	struct cache *l3 = &t->cache[CACHE_L3];
	struct cache_line *line = cache_find(l3, address);
	struct cache_victim gone;

	if (line) {
		cache_touch(l3, line);
		return IN_L3;
	}
	raise(t, CPU_EVENT_MEMORY_READ, address);
	cache_place(l3, address, LINE_EXCLUSIVE, &gone);
	evict_l3(t, &gone);
	return IN_MEMORY;
}

static enum where access_l2(struct through *t, uint64_t address, bool write)
{
	struct cache *l2 = &t->cache[CACHE_L2];
	struct cache_line *line = cache_find(l2, address);
	enum where where = IN_L2;
	struct cache_victim gone;

	if (line) {
		cache_touch(l2, line);
	} else {
		where = access_l3(t, address);
		line = cache_place(l2, address, LINE_EXCLUSIVE, &gone);
		evict_l2(t, &gone);
	}
	if (write)
		line->state = LINE_MODIFIED;
	return where;
}

static enum where access_l1(struct through *t, enum processor_cache cache, uint64_t address)
{
	struct cache *l1 = &t->cache[cache];
	struct cache_line *line = cache_find(l1, address);
	struct cache_victim gone;
	enum where where;

	if (line) {
		cache_touch(l1, line);
		return IN_L1;
	}
	where = access_l2(t, address, false);
	cache_place(l1, address, LINE_SHARED, &gone);
	return where;
}

void through_refer(struct through *t, enum through_access access, uint64_t address)
{
	static const enum cpu_event of[] = {
		[THROUGH_FETCH] = CPU_EVENT_FETCHED_L1, [THROUGH_LOAD] = CPU_EVENT_LOADED_L1,
		[THROUGH_STORE] = CPU_EVENT_STORED_L1, [THROUGH_PREFETCH] = CPU_EVENT_PREFETCHED_L1,
		[THROUGH_PREFETCH_L2] = CPU_EVENT_PREFETCHED_L2_L1,
	};
	const bool write = access == THROUGH_STORE || access == THROUGH_ATOMIC;
	const enum where where = write ||
		access == THROUGH_PREFETCH_L2 ? access_l2(t, address, write) :
				 access_l1(t, access == THROUGH_FETCH ? CACHE_L1I : CACHE_L1D,
					   address);

	if (access != THROUGH_WIDE_LOAD && access != THROUGH_ATOMIC)
		raise(t, (enum cpu_event)(of[access] + where), address);
}
