// SPDX-License-Identifier: BSD-2-Clause
// References through TLBs and caches: memory.h.

#include "memory.h"

#include <stdlib.h>

struct memory *memory_make(const struct processor *processor, unsigned cores,
			   void (*raise)(void *context, unsigned core, enum happening what, uint64_t address),
			   walk_read *read, void *context)
{
	const size_t lines = package_lines(processor, cores);
	struct memory *m = calloc(1, sizeof *m + (lines + cores * tlbs_lines(processor)) * sizeof *m->lines);

	if (!m)
		return NULL;
	m->read = read;
	m->context = context;
	package_begin(&m->package, processor, cores, m->lines, raise, context);
	for (unsigned core = 0; core < cores; core++)
		tlbs_begin(&m->tlbs[core], processor, m->lines + lines + core * tlbs_lines(processor));
	return m;
}

// What a kind of reference raises: in TLBs; for each line that crosses; retired loads by who had the data.
struct raises {
	enum happening miss, second, walk, walk_large;
};
static const struct raises of_load = {
	HAPPENING_TLB_LOAD_MISS, HAPPENING_TLB_LOAD_SECOND, HAPPENING_TLB_LOAD_WALK, HAPPENING_TLB_LOAD_WALK_LARGE,
};
static const struct raises of_store = {
	HAPPENING_TLB_STORE_MISS, HAPPENING_TLB_STORE_SECOND, HAPPENING_TLB_STORE_WALK, HAPPENING_TLB_STORE_WALK_LARGE,
};
static const struct raises of_fetch = {
	HAPPENING_TLB_FETCH_MISS, HAPPENING_TLB_FETCH_SECOND, HAPPENING_TLB_FETCH_WALK, HAPPENING_TLB_FETCH_WALK_LARGE,
};
static const struct raises *const raises_of[] = {
	[ACCESS_LOAD] = &of_load, [ACCESS_STORE] = &of_store, [ACCESS_LOCK] = &of_store, [ACCESS_FETCH] = &of_fetch,
};

static void raise(struct memory *m, const struct reference *r, enum happening what)
{
	m->package.raise(m->context, r->core, what, r->physical);
}

static unsigned walk(struct memory *m, const struct reference *r, enum processor_tlb tlb, uint64_t linear)
{
	const struct raises *raises = raises_of[r->access];
	unsigned latency = 0;
	struct walk w;

	if (!walk_tables(&w, r->cr3, linear, m->read, m->context))
		return 0;	// it is the emulator's, which has translated it all the same
	for (unsigned i = 0; i < w.count; i++)
		latency += package_latency(&m->package,
					   package_reach(&m->package, r->core, ACCESS_WALK, w.entry[i]));
	raise(m, r, w.page == PAGE_4K ? raises->walk : raises->walk_large);
	tlbs_insert(&m->tlbs[r->core], tlb, linear, w.page);
	return latency;
}

static enum tlbs_result translate(struct memory *m, const struct reference *r, uint64_t linear, unsigned *latency)
{
	const enum processor_tlb tlb = r->access == ACCESS_FETCH ? TLB_ITLB : TLB_DTLB;
	const struct raises *raises = raises_of[r->access];
	enum processor_page page;
	const enum tlbs_result result = tlbs_look_up(&m->tlbs[r->core], tlb, linear, &page);

	if (result == TLBS_FIRST) {
		if (tlb == TLB_ITLB && page != PAGE_4K)
			raise(m, r, HAPPENING_TLB_FETCH_LARGE_HIT);
		return result;
	}
	raise(m, r, raises->miss);
	if (result == TLBS_SECOND) {
		raise(m, r, raises->second);
		*latency += m->package.processor->latency[LATENCY_STLB];
		return result;
	}
	*latency += walk(m, r, tlb, linear);
	return result;
}

static void raise_load(struct memory *m, const struct reference *r, enum supplier supplier)
{
	static const enum happening of[] = {
		[SUPPLIER_L1] = HAPPENING_LOAD_L1D, [SUPPLIER_L2] = HAPPENING_LOAD_L2,
		[SUPPLIER_L3] = HAPPENING_LOAD_L3, [SUPPLIER_SHARED] = HAPPENING_LOAD_SHARED,
		[SUPPLIER_MODIFIED] = HAPPENING_LOAD_MODIFIED, [SUPPLIER_MEMORY] = HAPPENING_LOAD_MEMORY,
	};

	if (r->access == ACCESS_LOAD || r->access == ACCESS_LOCK)
		raise(m, r, r->device ? HAPPENING_LOAD_DEVICE : of[supplier]);
}

#define TLB_PAGE 4096	/* the smallest: neighbours may be anywhere */

// The bytes behind the first page are where the tables say; where they say nothing, they follow.
static uint64_t physical_of(struct memory *m, const struct reference *r, uint64_t linear)
{
	struct walk w;

	if (linear / TLB_PAGE != r->linear / TLB_PAGE && r->paged &&
	    walk_tables(&w, r->cr3, linear, m->read, m->context))
		return w.physical;
	return r->physical + (linear - r->linear);
}

struct reached memory_refer(struct memory *m, const struct reference *r)
{
	const unsigned line = 1u << m->package.processor->cache[CACHE_L1D].line_shift;
	const uint64_t behind = r->linear + r->size, last = behind > r->linear ? behind - 1 : UINT64_MAX;
	struct reached reached = {.supplier = r->device ? SUPPLIER_MEMORY : SUPPLIER_L1};
	unsigned translation = 0;

	for (uint64_t page = r->linear / TLB_PAGE; r->paged && page <= last / TLB_PAGE; page++) {
		const uint64_t linear = page == r->linear / TLB_PAGE ? r->linear : page * TLB_PAGE;
		const enum tlbs_result result = translate(m, r, linear, &translation);

		reached.translation = result > reached.translation ? result : reached.translation;
	}
	for (uint64_t at = r->linear, lines = last / line - at / line + 1; !r->device && lines; lines--) {
		const enum supplier supplier = package_reach(&m->package, r->core, r->access, physical_of(m, r, at));

		reached.supplier = supplier > reached.supplier ? supplier : reached.supplier;
		at = (at | (line - 1)) + 1;
	}
	if (!r->device && r->access != ACCESS_FETCH && (r->linear ^ last) >= line)
		raise(m, r, r->access == ACCESS_LOAD ? HAPPENING_SPLIT_LOAD : HAPPENING_SPLIT_STORE);
	raise_load(m, r, reached.supplier);
	reached.latency = package_latency(&m->package, reached.supplier) + translation;
	return reached;
}
