/* SPDX-License-Identifier: BSD-2-Clause */
/* Fast path for references that hit in the first-level cache and TLB, as most do. The path
 * remembers the line and the TLB entry of recent linear addresses and checks that both are still
 * valid. For such a reference the path changes the same state and raises the same cpu events as
 * memory_refer. */
#ifndef MODEL_FIRST_LEVEL_H
#define MODEL_FIRST_LEVEL_H

#include "memory.h"

/* A remembered line of the first-level cache, with its page in the first TLB. */
struct first_level_line {
	uint64_t linear, bytes;		/* the line's first linear address and size in bytes; 0
					 * bytes: no entry */
	uint64_t offset;		/* physical minus linear address */
	uint64_t number, page_number;	/* cache_line.number of the line and of the page when
					 * remembered */
	struct cache *tlb;		/* NULL without paging */
	struct cache_way at, page;
	enum processor_page size;
};

#define FIRST_LEVEL_LINES 256
#define FIRST_LEVEL_LINE 64	/* bytes; the line size of most caches */

/* One requester's remembered lines, valid for one set of page tables. */
struct first_level {
	struct memory *memory;
	struct memory_core *core;
	uint64_t now;		/* timed machine: cycle of the next reference; set by the caller */
	struct first_level_line data[FIRST_LEVEL_LINES], code[FIRST_LEVEL_LINES];
};

/* Initializes for this core, with nothing remembered. */
void first_level_begin(struct first_level *f, struct memory *memory, unsigned core);

static inline struct first_level_line *first_level_line(struct first_level *f, enum access access,
							uint64_t linear)
{
	struct first_level_line *lines = access == ACCESS_FETCH ? f->code : f->data;

	return &lines[linear / FIRST_LEVEL_LINE % FIRST_LEVEL_LINES];
}

/* Whether a line may be in flight in the cycle of the next reference. */
static inline bool first_level_waits(const struct first_level *f)
{
	const struct traffic *queues = f->core->package->traffic;	/* NULL: it has none */

	return f->memory->flies ||
	       (f->memory->timed && (f->now < f->core->flights.last ||
				     (queues && f->now < queues->read.last)));
}

/* Returns true if the load, store or fetch lies within this line, and the cache and the TLB still
 * hold it. False while any line is in flight or non-temporal stores are buffered: memory_refer
 * handles those. */
static inline bool first_level_has(const struct first_level *f, const struct first_level_line *l,
				   enum access access, uint64_t linear, unsigned size)
{
	const uint64_t at = linear - l->linear;

	return at < l->bytes && at + size <= l->bytes && l->at.line->number == l->number &&
	       (!l->tlb || l->page.line->number == l->page_number) &&
	       (access != ACCESS_STORE ||
		(l->at.line->state != LINE_SHARED && !l->at.line->code)) &&
	       (access == ACCESS_LOAD || access == ACCESS_STORE || access == ACCESS_FETCH) &&
	       !first_level_waits(f) && !f->core->combining.held;
}

/* Carries out a load, store or fetch of memory (no device). Returns false, with no effect, if
 * memory_refer must do it. `ip`: the instruction's address. */
__attribute__((always_inline)) static inline bool first_level_refer(struct first_level *f,
								    enum access access,
								    uint64_t ip, uint64_t linear,
								    unsigned size)
{
	const struct first_level_line *l = first_level_line(f, access, linear);
	const uint64_t physical = linear + l->offset;
	struct package *p = f->core->package;
	const unsigned core = f->core->core;

	if (!first_level_has(f, l, access, linear, size))
		return false;
	p->now = f->now;
	if (l->tlb)
		cache_touch_way(l->tlb, &l->page);
	if (access == ACCESS_FETCH && l->size != PAGE_4K)
		package_raise(p, core, CPU_EVENT_TLB_FETCH_LARGE_HIT, physical);
	package_hit(p, core, access, physical, &l->at);
	if (access == ACCESS_LOAD) {
		if (p->follows_loads)
			package_follow_load(p, core, ip, physical, SUPPLIER_L1);
		package_raise(p, core, CPU_EVENT_LOAD_L1D, physical);
	}
	return true;
}

/* The result of every reference for which first_level_refer returns true. */
struct reached first_level_reached(const struct first_level *f);

/* Remembers the line of `r`. Call it after memory_refer. */
void first_level_remember(struct first_level *f, const struct reference *r);

/* Forgets all lines, because linear addresses may now translate differently. */
void first_level_forget(struct first_level *f);

#endif
