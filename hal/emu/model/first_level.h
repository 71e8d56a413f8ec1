/* SPDX-License-Identifier: BSD-2-Clause */
/* References that find their line in the first caches and their page in the first TLBs, as most do, by a short way:
 * what was found for a linear address is remembered, and looked at again before anything else. All that such a
 * reference changes and raises is what memory_refer would. */
#ifndef MODEL_FIRST_LEVEL_H
#define MODEL_FIRST_LEVEL_H

#include "memory.h"

/* A line, which the cache has there, and its page, which the TLB has. */
struct first_level_line {
	uint64_t linear, bytes;		/* it begins there, and has so many; 0: there is none */
	uint64_t offset;		/* from there to its physical address */
	uint64_t number, page_number;	/* theirs, as the cache and the TLB count them */
	struct cache *tlb;		/* NULL: there are no pages */
	struct cache_way at, page;
	enum processor_page size;
};

#define FIRST_LEVEL_LINES 256
#define FIRST_LEVEL_LINE 64	/* bytes that most caches' lines have */

/* Of one who refers, by one set of tables. */
struct first_level {
	struct memory *memory;
	struct memory_core *core;
	struct first_level_line data[FIRST_LEVEL_LINES], code[FIRST_LEVEL_LINES];
};

/* Of this core. Nothing is remembered. */
void first_level_begin(struct first_level *f, struct memory *memory, unsigned core);

static inline struct first_level_line *first_level_line(struct first_level *f, enum access access, uint64_t linear)
{
	struct first_level_line *lines = access == ACCESS_FETCH ? f->code : f->data;

	return &lines[linear / FIRST_LEVEL_LINE % FIRST_LEVEL_LINES];
}

/* Whether a load, a store or a fetch is within this line, which is still where it was. Lines on their way, and stores
 * that wait in buffers, are memory_refer's. */
static inline bool first_level_has(const struct first_level *f, const struct first_level_line *l, enum access access,
				   uint64_t linear, unsigned size)
{
	const uint64_t at = linear - l->linear;

	return at < l->bytes && at + size <= l->bytes && l->at.line->number == l->number &&
	       (!l->tlb || l->page.line->number == l->page_number) &&
	       (access != ACCESS_STORE || l->at.line->state != LINE_SHARED) &&
	       (access == ACCESS_LOAD || access == ACCESS_STORE || access == ACCESS_FETCH) &&
	       !f->memory->flies && !f->core->combining.held;
}

/* Carries out a load, a store or a fetch that is no device's. False: nothing has been done, and it is memory_refer's.
 * `ip`: the instruction's address. */
__attribute__((always_inline)) static inline bool first_level_refer(struct first_level *f, enum access access,
								    uint64_t ip, uint64_t linear, unsigned size)
{
	const struct first_level_line *l = first_level_line(f, access, linear);
	const uint64_t physical = linear + l->offset;
	struct package *p = f->core->package;
	const unsigned core = f->core->core;

	if (!first_level_has(f, l, access, linear, size))
		return false;
	if (l->tlb)
		cache_touch_way(l->tlb, &l->page);
	if (access == ACCESS_FETCH && l->size != PAGE_4K)
		package_raise(p, core, HAPPENING_TLB_FETCH_LARGE_HIT, physical);
	package_hit(p, core, access, physical, &l->at);
	if (access == ACCESS_LOAD) {
		if (p->follows_loads)
			package_follow_load(p, core, ip, physical, SUPPLIER_L1);
		package_raise(p, core, HAPPENING_LOAD_L1D, physical);
	}
	return true;
}

/* What all of them have reached. */
struct reached first_level_reached(const struct first_level *f);

/* Behind memory_refer of such a reference. */
void first_level_remember(struct first_level *f, const struct reference *r);

/* Linear addresses lead elsewhere. */
void first_level_forget(struct first_level *f);

#endif
