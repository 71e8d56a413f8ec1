// SPDX-License-Identifier: BSD-2-Clause
// The short way of what hits in the first level: first_level.h.

#include "first_level.h"

#include <string.h>

static struct cache *cache_of(struct memory *m, const struct reference *r)
{
	struct memory_core *c = &m->core[r->core];

	return &c->package->core[c->core][r->access == ACCESS_FETCH ? CACHE_L1I : CACHE_L1D];
}

static struct first_level_line *place_of(struct first_level *f, const struct reference *r, unsigned shift)
{
	struct first_level_line *lines = r->access == ACCESS_FETCH ? f->code : f->data;

	return &lines[(r->linear >> shift) % FIRST_LEVEL_LINES];
}

// Lines on their way, and stores that wait in buffers, are memory_refer's.
static bool is_plain(const struct memory *m, const struct reference *r)
{
	return (r->access == ACCESS_LOAD || r->access == ACCESS_STORE || r->access == ACCESS_FETCH) && !m->timed &&
	       !m->flies && !m->core[r->core].combining.held;
}

bool first_level_refer(struct first_level *f, struct memory *m, struct reference *r, struct reached *reached)
{
	const struct cache *cache = cache_of(m, r);
	const unsigned shift = cache->geometry.line_shift;
	const struct first_level_line *at = place_of(f, r, shift);
	struct memory_core *c = &m->core[r->core];
	const bool is_fetch = r->access == ACCESS_FETCH;
	enum processor_page page = PAGE_4K;

	if (at->linear != (r->linear >> shift) + 1 || at->line->number != at->number || !is_plain(m, r) ||
	    (r->linear ^ (r->linear + r->size - 1)) >> shift ||
	    (r->access == ACCESS_STORE && at->line->state == LINE_SHARED) ||
	    (r->paged && !tlbs_hit(&c->tlbs, is_fetch ? TLB_ITLB : TLB_DTLB, r->linear, &page)))
		return false;
	r->physical = (at->number - 1) << shift | (r->linear & ((1ULL << shift) - 1));
	if (is_fetch && page != PAGE_4K)
		package_raise(c->package, c->core, HAPPENING_TLB_FETCH_LARGE_HIT, r->physical);
	package_hit(c->package, c->core, r->access, r->physical, at->line);
	*reached = (struct reached){
		.supplier = SUPPLIER_L1, .translation = TLBS_FIRST, .source = HAPPENING_LOAD_L1D,
		.latency = package_latency(c->package, SUPPLIER_L1),
	};
	if (r->access != ACCESS_LOAD)
		return true;
	if (c->package->follows_loads)
		package_follow_load(c->package, c->core, r->ip, r->physical, SUPPLIER_L1);
	package_raise(c->package, c->core, HAPPENING_LOAD_L1D, r->physical);
	return true;
}

void first_level_remember(struct first_level *f, struct memory *m, const struct reference *r)
{
	const struct cache *cache = cache_of(m, r);
	struct cache_line *line = cache_find(cache, r->physical);

	if (line && r->access <= ACCESS_FETCH && !r->device)
		*place_of(f, r, cache->geometry.line_shift) = (struct first_level_line){
			(r->linear >> cache->geometry.line_shift) + 1, line->number, line,
		};
}

void first_level_forget(struct first_level *f)
{
	memset(f, 0, sizeof *f);
}
