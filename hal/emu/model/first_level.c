// SPDX-License-Identifier: BSD-2-Clause

#include "first_level.h"

#include <string.h>

void first_level_begin(struct first_level *f, struct memory *memory, unsigned core)
{
	*f = (struct first_level){.memory = memory, .core = &memory->core[core]};
}

struct reached first_level_reached(const struct first_level *f)
{
	return (struct reached){
		.supplier = SUPPLIER_L1, .translation = TLBS_FIRST, .source = CPU_EVENT_LOAD_L1D,
		.latency = package_latency(f->core->package, SUPPLIER_L1),
	};
}

// Does not remember a line whose page is not yet among the recent TLB hits; the next reference to
// the page does.
void first_level_remember(struct first_level *f, const struct reference *r)
{
	const bool is_fetch = r->access == ACCESS_FETCH;
	const enum processor_tlb tlb = is_fetch ? TLB_ITLB : TLB_DTLB;
	const struct cache *cache =
		&f->core->package->core[f->core->core][is_fetch ? CACHE_L1I : CACHE_L1D];
	const uint64_t bytes = 1ULL << cache->geometry.line_shift;
	struct tlbs *tlbs = &f->core->tlbs;
	const struct tlbs_recent *page = r->paged ? tlbs_recent(tlbs, tlb, r->linear) : NULL;
	struct cache_line *line = cache_find(cache, r->physical);
	struct first_level_line l;

	if (!line || r->access > ACCESS_FETCH || r->device || (r->paged && !page))
		return;
	l = (struct first_level_line){
		.linear = r->linear & -bytes, .bytes = bytes, .offset = r->physical - r->linear,
		.number = line->number, .at = cache_way_of(cache, line),
	};
	if (page) {
		l.size = page->page;
		l.tlb = &tlbs->unit[tlb][page->page];
		l.page_number = page->page_number;
		l.page = cache_way_of(l.tlb, page->line);
	}
	*first_level_line(f, r->access, r->linear) = l;
}

void first_level_forget(struct first_level *f)
{
	memset(f->data, 0, sizeof f->data);
	memset(f->code, 0, sizeof f->code);
}
