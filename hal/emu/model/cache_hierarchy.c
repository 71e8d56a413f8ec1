// SPDX-License-Identifier: BSD-2-Clause
// Effects of references on the caches of their package (package.h), from the L3 cache inward: L3
// cache, a core's L2 cache, its L1 caches. A reference enters at the bottom of this file.

#include "package.h"

#include <string.h>

#include "traffic.h"

static bool has_l3(const struct package *p)
{
	return p->l3.geometry.ways;
}

//
// The L3 cache; without one, the other cores and memory
//

// An eviction. An inclusive L3 cache also evicts the line from the cores' caches.
static void evict_l3(struct package *p, unsigned core, const struct cache_victim *gone)
{
	static const enum cpu_event of[LINE_STATES] = {
		[LINE_SHARED] = CPU_EVENT_L3_EVICTION_SHARED,
		[LINE_EXCLUSIVE] = CPU_EVENT_L3_EVICTION_EXCLUSIVE,
		[LINE_MODIFIED] = CPU_EVENT_L3_EVICTION_MODIFIED,
		[LINE_FORWARD] = CPU_EVENT_L3_EVICTION_FORWARD,
	};
	bool dirty = gone->dirty;

	if (!gone->valid)
		return;
	if (p->processor->inclusive[CACHE_L3])
		dirty |= package_snoop(p, gone->owners, true, gone->address) == LINE_MODIFIED;
	package_raise(p, core, of[dirty ? LINE_MODIFIED : gone->state], gone->address);
	if (dirty)
		package_write(p, core, gone->address);
}

static void write_back_to_l3(struct package *p, unsigned core, uint64_t address)
{
	struct cache_line *line = has_l3(p) ? cache_find(&p->l3, address) : NULL;
	struct cache_victim gone;

	if (!has_l3(p)) {
		package_raise(p, core, CPU_EVENT_MEMORY_WRITE, address);
		return;
	}
	package_raise(p, core, line ? CPU_EVENT_L3_WRITEBACK_HIT : CPU_EVENT_L3_WRITEBACK_MISS,
		      address);
	traffic_write_back(p, address);
	if (!line) {
		cache_place(&p->l3, address, LINE_MODIFIED, &gone);
		evict_l3(p, core, &gone);
		return;
	}
	line->state = LINE_MODIFIED;
	cache_touch(&p->l3, line);
	if (!cache_find(&p->core[core][CACHE_L1D], address) &&
	    !cache_find(&p->core[core][CACHE_L1I], address))
		line->owners &= ~(1u << core);
}

// Snoops other cores. *granted: a read shares the line with them, a write gets it exclusive.
static enum supplier ask_others(struct package *p, uint32_t others, bool write, uint64_t address,
				enum line_state *granted)
{
	const enum line_state had = package_snoop(p, others, write, address);

	*granted = write ? LINE_EXCLUSIVE : LINE_SHARED;
	return had == LINE_MODIFIED ? SUPPLIER_MODIFIED : SUPPLIER_SHARED;
}

static uint32_t others_with(const struct package *p, unsigned core, uint64_t address)
{
	uint32_t others = 0;

	for (unsigned other = 0; other < p->cores; other++)
		for (unsigned i = 0; i < CACHE_L3 && other != core; i++)
			if (cache_find(&p->core[other][i], address))
				others |= 1u << other;
	return others;
}

static enum supplier access_without_l3(struct package *p, unsigned core, bool write,
				       uint64_t address,
				      enum line_state *granted)
{
	const uint32_t others = others_with(p, core, address);
	enum supplier supplier;

	if (!others) {
		package_raise(p, core, CPU_EVENT_MEMORY_READ, address);
		return SUPPLIER_MEMORY;
	}
	supplier = ask_others(p, others, write, address, granted);
	if (supplier == SUPPLIER_MODIFIED && !write)
		package_raise(p, core, CPU_EVENT_MEMORY_WRITE, address);
	return supplier;
}

// Whether other packages may hold the line, too.
static bool is_of_several(const struct cache_line *line)
{
	return line->state == LINE_SHARED || line->state == LINE_FORWARD;
}

static enum supplier fill_l3(struct package *p, unsigned core, bool write, uint64_t address,
			     enum line_state *granted)
{
	static const enum cpu_event of[LINE_STATES] = {
		[LINE_EXCLUSIVE] = CPU_EVENT_L3_FILL, [LINE_MODIFIED] = CPU_EVENT_L3_FILL_MODIFIED,
		[LINE_FORWARD] = CPU_EVENT_L3_FILL_FORWARD,
	};
	enum line_state state;
	const enum supplier supplier = package_read(p, core, write, address, &state);
	struct cache_victim gone;

	cache_place(&p->l3, address, state, &gone)->owners = 1u << core;
	package_raise(p, core, of[state], address);
	evict_l3(p, core, &gone);
	*granted = state == LINE_FORWARD ? LINE_SHARED : LINE_EXCLUSIVE;
	return supplier;
}

// The performance analysis guide, "Uncore Memory Subsystem" and "Precise Memory Access Events": if
// one other core may hold the line, the L3 cache asks that core, which may have modified it. A line
// that several cores hold is clean.
static enum supplier access_l3(struct package *p, unsigned core, bool write, uint64_t address,
			       enum line_state *granted)
{
	struct cache_line *line = cache_find(&p->l3, address);
	enum supplier supplier = SUPPLIER_L3;
	uint32_t others;

	package_raise(p, core, line ? CPU_EVENT_L3_READ_HIT : CPU_EVENT_L3_READ_MISS, address);
	if (!line)
		return fill_l3(p, core, write, address, granted);
	cache_touch(&p->l3, line);
	if (is_of_several(line)) {
		if (write) {
			package_own(p, core, true, address);
			line->state = LINE_EXCLUSIVE;
		} else {
			*granted = LINE_SHARED;
		}
	}
	others = line->owners & ~(1u << core);
	if (others && (write || (!is_of_several(line) && !(others & (others - 1))))) {
		supplier = ask_others(p, others, write, address, granted);
		if (supplier == SUPPLIER_MODIFIED)
			line->state = LINE_MODIFIED;
	} else if (others) {
		*granted = LINE_SHARED;
	}
	line->owners = (write ? 0 : line->owners) | 1u << core;
	return supplier;
}

//
// A core's L2 cache
//

// Kinds of requests to the L2 cache
enum request {
	REQUEST_LOAD, REQUEST_STORE, REQUEST_LOCK, REQUEST_FETCH, REQUEST_VPREFETCH0,
	REQUEST_VPREFETCH1,
	// from its prefetcher
	REQUEST_PREFETCH_LOAD, REQUEST_PREFETCH_STORE, REQUEST_PREFETCH_FETCH
};

#define REQUEST_ROW(name, offcore, eviction, write) \
	{CPU_EVENT_L2_##name##_I, CPU_EVENT_OFFCORE_##offcore##_L3,	\
	 CPU_EVENT_OFFCORE_##offcore##_REMOTE_HIT,	\
	 CPU_EVENT_L2_EVICTION_##eviction##CLEAN, CPU_EVENT_L2_EVICTION_##eviction##MODIFIED, write}

static const struct {
	enum cpu_event l2, offcore, remote, evicts, evicts_modified;
	bool write;
} requests[] = {
	[REQUEST_LOAD] = REQUEST_ROW(LOAD, LOAD,, false),
	[REQUEST_STORE] = REQUEST_ROW(STORE, STORE,, true),
	[REQUEST_LOCK] = REQUEST_ROW(LOCK, STORE,, true),
	[REQUEST_FETCH] = REQUEST_ROW(FETCH, FETCH,, false),
	[REQUEST_VPREFETCH0] = REQUEST_ROW(VPREFETCH0, LOAD,, false),
	[REQUEST_VPREFETCH1] = REQUEST_ROW(VPREFETCH1, LOAD,, false),
	[REQUEST_PREFETCH_LOAD] = REQUEST_ROW(PREFETCH_LOAD, PREFETCH_LOAD, PREFETCH_, false),
	[REQUEST_PREFETCH_STORE] = REQUEST_ROW(PREFETCH_STORE, PREFETCH_STORE, PREFETCH_, true),
	[REQUEST_PREFETCH_FETCH] = REQUEST_ROW(PREFETCH_FETCH, PREFETCH_FETCH, PREFETCH_, false),
};

// An eviction from the L2 cache. An inclusive one also evicts the line from the L1 caches.
static void evict_l2(struct package *p, unsigned core, enum request request,
		     const struct cache_victim *gone)
{
	bool dirty = gone->dirty;

	if (!gone->valid)
		return;
	if (p->processor->inclusive[CACHE_L2])
		dirty |= package_give_up(p, core, gone->address) == LINE_MODIFIED;
	package_raise(p, core, dirty ? requests[request].evicts_modified : requests[request].evicts,
		      gone->address);
	if (dirty)
		write_back_to_l3(p, core, gone->address);
}

static void write_back_to_l2(struct package *p, unsigned core, uint64_t address)
{
	struct cache *l2 = &p->core[core][CACHE_L2];
	struct cache_line *line = cache_find(l2, address);
	struct cache_victim gone;

	package_raise_by(p, core, CPU_EVENT_L1D_WRITEBACK_I, cache_state_of(line), address);
	if (line) {
		line->state = LINE_MODIFIED;
		cache_touch(l2, line);
		return;
	}
	cache_place(l2, address, LINE_MODIFIED, &gone);
	evict_l2(p, core, REQUEST_STORE, &gone);
}

// `keep`: a miss fills the L2 cache.
static enum supplier access_l2(struct package *p, unsigned core, enum request request,
			       uint64_t address, bool keep,
			      enum line_state *granted)
{
	struct cache *l2 = &p->core[core][CACHE_L2];
	struct cache_line *line = cache_find(l2, address);
	const bool write = requests[request].write;
	struct cache_victim gone;
	enum supplier supplier;

	package_raise_by(p, core, requests[request].l2, cache_state_of(line), address);
	if (line && (!write || line->state != LINE_SHARED)) {
		cache_touch(l2, line);
		*granted = cache_state_of(line);
		return SUPPLIER_L2;
	}
	*granted = LINE_EXCLUSIVE;
	p->asked = ASKED_NOBODY;
	supplier = has_l3(p) ? access_l3(p, core, write, address, granted) :
		   access_without_l3(p, core, write, address, granted);
	traffic_read(p, address, supplier, p->asked);
	if (supplier < SUPPLIER_REMOTE_HIT)
		package_raise_by(p, core, requests[request].offcore, supplier - SUPPLIER_L3,
				 address);
	else
		package_raise_by(p, core, requests[request].remote, supplier - SUPPLIER_REMOTE_HIT,
				 address);
	if (line) {
		line->state = LINE_EXCLUSIVE;
		cache_touch(l2, line);
		return supplier;
	}
	if (!keep)
		return supplier;
	cache_place(l2, address, *granted, &gone);
	package_raise(p, core, *granted == LINE_SHARED ? CPU_EVENT_L2_FILL_SHARED :
		      CPU_EVENT_L2_FILL_EXCLUSIVE, address);
	evict_l2(p, core, request, &gone);
	return supplier;
}

// Reports a request of the L1 caches to the L2 cache's prefetcher, and carries out its requests.
__attribute__((noinline)) static void follow_request(struct package *p, unsigned core,
						     enum request request, uint64_t address)
{
	static const enum request of[] = {
		[REQUEST_LOAD] = REQUEST_PREFETCH_LOAD, [REQUEST_STORE] = REQUEST_PREFETCH_STORE,
		[REQUEST_LOCK] = REQUEST_PREFETCH_STORE, [REQUEST_FETCH] = REQUEST_PREFETCH_FETCH,
		[REQUEST_VPREFETCH0] = REQUEST_PREFETCH_LOAD,
		[REQUEST_VPREFETCH1] = REQUEST_PREFETCH_LOAD,
	};
	uint64_t lines[PROCESSOR_EACH + 1];
	const unsigned count = prefetch_follow(&p->prefetchers[core], &p->processor->prefetchers,
					       address, lines);
	enum line_state granted;

	for (unsigned i = 0; i < count && !traffic_is_full(p); i++)
		access_l2(p, core, of[request], lines[i], true, &granted);
}

static enum supplier request_l2(struct package *p, unsigned core, enum access access,
				uint64_t address, enum line_state *granted)
{
	static const enum request of[] = {
		[ACCESS_LOAD] = REQUEST_LOAD, [ACCESS_STORE] = REQUEST_STORE,
		[ACCESS_LOCK] = REQUEST_LOCK,
		[ACCESS_FETCH] = REQUEST_FETCH, [ACCESS_WALK] = REQUEST_LOAD,
		[ACCESS_PREFETCH] = REQUEST_LOAD,
		[ACCESS_PREFETCH_L2] = REQUEST_LOAD, [ACCESS_PREFETCH_ONCE] = REQUEST_LOAD,
		[ACCESS_VPREFETCH0] = REQUEST_VPREFETCH0, [ACCESS_VPREFETCH1] = REQUEST_VPREFETCH1,
	};
	const bool keep = access != ACCESS_PREFETCH_ONCE || p->processor->inclusive[CACHE_L2];
	const enum supplier supplier = access_l2(p, core, of[access], address, keep, granted);

	if (p->processor->prefetchers.forward && access != ACCESS_WALK)
		follow_request(p, core, of[access], address);
	return supplier;
}

//
// A core's L1 caches
//

const enum cpu_event package_references[] = {
	[ACCESS_LOAD] = CPU_EVENT_L1D_LOAD_I, [ACCESS_STORE] = CPU_EVENT_L1D_STORE_I,
	[ACCESS_LOCK] = CPU_EVENT_L1D_LOCK_I, [ACCESS_WALK] = CPU_EVENT_L1D_WALK_I,
};

static enum supplier hit(struct package *p, unsigned core, enum access access, uint64_t address,
			 struct cache_line *line)
{
	const struct cache *cache = &p->core[core][access == ACCESS_FETCH ? CACHE_L1I : CACHE_L1D];
	const struct cache_way way = cache_way_of(cache, line);

	package_hit(p, core, access, address, &way);
	return SUPPLIER_L1;
}

static enum supplier fetch(struct package *p, unsigned core, uint64_t address)
{
	struct cache *l1i = &p->core[core][CACHE_L1I];
	struct cache_line *line = cache_find(l1i, address);
	enum line_state granted;
	struct cache_victim gone;
	enum supplier supplier;

	if (line)
		return hit(p, core, ACCESS_FETCH, address, line);
	package_raise(p, core, CPU_EVENT_L1I_MISS, address);
	supplier = request_l2(p, core, ACCESS_FETCH, address, &granted);
	cache_place(l1i, address, LINE_SHARED, &gone);
	line = cache_find(&p->core[core][CACHE_L1D], address);
	if (line)
		line->code = true;
	if (gone.valid)
		package_raise(p, core, CPU_EVENT_L1I_EVICTION, gone.address);
	return supplier;
}

// The line has been written. If the L1 instruction cache holds it, the program modifies its code.
static void write_code(struct package *p, unsigned core, uint64_t address, struct cache_line *line)
{
	line->code = false;
	if (!cache_flush(&p->core[core][CACHE_L1I], address).valid)
		return;
	p->clears = true;
	package_raise(p, core, CPU_EVENT_SELF_MODIFIED, address);
}

// A miss of the L1 data cache, or a write to a line that it shares.
static enum supplier bring(struct package *p, unsigned core, enum access access, uint64_t address,
			   struct cache_line *line)
{
	struct cache *l1d = &p->core[core][CACHE_L1D];
	const bool write = access_is_write(access);
	enum line_state granted;
	struct cache_victim gone;
	const enum supplier supplier = request_l2(p, core, access, address, &granted);

	if (line) {	// a write to a shared line
		line->state = LINE_MODIFIED;
		cache_touch(l1d, line);
		if (line->code)
			write_code(p, core, address, line);
		return supplier;
	}
	line = cache_place(l1d, address, write ? LINE_MODIFIED : granted, &gone);
	line->code = cache_find(&p->core[core][CACHE_L1I], address);
	if (write && line->code)
		write_code(p, core, address, line);
	package_raise(p, core, CPU_EVENT_L1D_FILL, address);
	if (granted == LINE_MODIFIED)
		package_raise(p, core, CPU_EVENT_L1D_FILL_MODIFIED, address);
	if (gone.dirty) {
		package_raise(p, core, CPU_EVENT_L1D_EVICTION_MODIFIED, gone.address);
		write_back_to_l2(p, core, gone.address);
	}
	return supplier;
}

// A prefetch of a line that a nearer cache already holds has no effect. VPREFETCH1 always goes to
// the L2 cache (Knights Corner's guide, Table 1-6, 37H).
static enum supplier prefetch(struct package *p, unsigned core, enum access access,
			      uint64_t address)
{
	const bool hits = cache_find(&p->core[core][CACHE_L1D], address);
	enum line_state granted;

	if (access == ACCESS_VPREFETCH1)
		return request_l2(p, core, access, address, &granted);
	if (access == ACCESS_VPREFETCH0)
		package_raise(p, core, hits ? CPU_EVENT_VPREFETCH0_HIT : CPU_EVENT_VPREFETCH0_MISS,
			      address);
	if (hits)
		return SUPPLIER_L1;
	if (access == ACCESS_PREFETCH_L2)
		return request_l2(p, core, access, address, &granted);
	return bring(p, core, access, address, NULL);
}

enum supplier package_access(struct package *p, unsigned core, enum access access, uint64_t address)
{
	struct cache_line *line;

	p->clears = false;
	if (access == ACCESS_FETCH)
		return fetch(p, core, address);
	if (access_is_prefetch(access))
		return prefetch(p, core, access, address);
	line = cache_find(&p->core[core][CACHE_L1D], address);
	if (line && (!access_is_write(access) || line->state != LINE_SHARED)) {
		if (access_is_write(access) && line->code)
			write_code(p, core, address, line);
		return hit(p, core, access, address, line);
	}
	package_raise_by(p, core, package_references[access], cache_state_of(line), address);
	return bring(p, core, access, address, line);
}

// Carries out a request of an L1 prefetcher. If the L1 data cache already holds the line, L1D_NEXT
// does not continue from it (SDM volume 3B, events of Nehalem, 4EH).
static void request_l1d(struct package *p, unsigned core, uint64_t line)
{
	if (traffic_is_full(p))
		return;
	package_raise(p, core, CPU_EVENT_L1D_PREFETCH_REQUEST, line);
	if (prefetch(p, core, ACCESS_PREFETCH, line) == SUPPLIER_L1)
		return;
	package_raise(p, core, CPU_EVENT_L1D_PREFETCH_MISS, line);
	prefetch_remember(&p->prefetchers[core], &p->processor->prefetchers, line, -1);
}

__attribute__((noinline)) static void request_asked(struct package *p, unsigned core,
						    bool asks_stride, uint64_t stride,
						    bool asks_next, uint64_t next)
{
	if (asks_stride)
		package_raise(p, core, CPU_EVENT_L1D_PREFETCH_TRIGGER, stride);
	if (asks_next)
		package_raise(p, core, CPU_EVENT_L1D_PREFETCH_TRIGGER, next);
	if (asks_stride)
		request_l1d(p, core, stride);
	if (asks_next && !(asks_stride && next == stride))
		request_l1d(p, core, next);
}

// Most loads cause no request.
void package_follow_load(struct package *p, unsigned core, uint64_t ip, uint64_t address,
			 enum supplier supplier)
{
	const struct processor_prefetchers *of = &p->processor->prefetchers;
	struct prefetchers *prefetchers = &p->prefetchers[core];
	uint64_t next = 0, stride = 0;
	const bool asks_stride = of->stride_entries &&
		prefetch_stride(prefetchers, of, ip, address, &stride);
	const bool asks_next = supplier == SUPPLIER_L1 &&
		prefetch_next(prefetchers, of, address, &next);

	if (supplier != SUPPLIER_L1)
		prefetch_remember(prefetchers, of, address, (int)(address % PREFETCH_LINE));
	if (asks_stride || asks_next)
		request_asked(p, core, asks_stride, stride, asks_next, next);
}

//
// Invalidation of lines in all caches
//

void package_flush(struct package *p, unsigned core, uint64_t address)
{
	const bool inclusive = has_l3(p) && p->processor->inclusive[CACHE_L3];
	const struct cache_line *line = has_l3(p) ? cache_find(&p->l3, address) : NULL;
	struct cache_victim gone = {0};
	bool dirty = false;

	if (!line || is_of_several(line))
		package_own(p, core, false, address);
	if (!inclusive)
		dirty = package_snoop(p, others_with(p, p->cores, address), true,
				      address) == LINE_MODIFIED;
	if (has_l3(p))
		gone = cache_flush(&p->l3, address);
	gone.dirty |= dirty;
	if (gone.valid)
		evict_l3(p, core, &gone);
	else if (dirty)
		package_write(p, core, address);
}

// Writes each modified line once, also if several caches hold it modified.
static void write_back(struct package *p, unsigned core, const struct cache *c)
{
	for (const struct cache_line *line = c->line, *end = line + cache_lines(&c->geometry);
	     line < end; line++) {
		const uint64_t address = (line->number - 1) << c->geometry.line_shift;

		if (!line->number || line->state != LINE_MODIFIED)
			continue;
		package_write(p, core, address);
		for (unsigned i = 0; i < p->cores * CACHE_L3; i++)
			cache_flush(&p->core[i / CACHE_L3][i % CACHE_L3], address);
		if (p->l3.geometry.ways)
			cache_flush(&p->l3, address);
	}
}

static void clear(struct cache *c)
{
	memset(c->line, 0, cache_lines(&c->geometry) * sizeof *c->line);
	c->uses = 0;
}

void package_empty(struct package *p, unsigned core)
{
	for (unsigned i = 0; i < p->cores; i++) {
		write_back(p, core, &p->core[i][CACHE_L1D]);
		write_back(p, core, &p->core[i][CACHE_L2]);
	}
	write_back(p, core, &p->l3);
	for (unsigned i = 0; i < p->cores; i++)
		for (unsigned cache = 0; cache < CACHE_L3; cache++)
			clear(&p->core[i][cache]);
	clear(&p->l3);
	memset(p->prefetchers, 0, sizeof p->prefetchers);
}
