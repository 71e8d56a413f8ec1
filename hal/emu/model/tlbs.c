// SPDX-License-Identifier: BSD-2-Clause

#include "tlbs.h"

#include <string.h>

#define SHIFT_4K	12

size_t tlbs_lines(const struct processor *processor)
{
	size_t lines = 0;

	for (unsigned i = 0; i < TLBS * PAGES; i++)
		lines += cache_lines(&processor->tlb[i / PAGES][i % PAGES]);
	return lines;
}

void tlbs_begin(struct tlbs *t, const struct processor *processor, struct cache_line *lines)
{
	for (unsigned i = 0; i < TLBS * PAGES; i++) {
		const struct cache_geometry *geometry = &processor->tlb[i / PAGES][i % PAGES];

		cache_begin(&t->unit[i / PAGES][i % PAGES], geometry, lines);
		lines += cache_lines(geometry);
	}
}

static struct cache_line *look_up(struct tlbs *t, enum processor_tlb tlb, uint64_t linear,
				  enum processor_page *page)
{
	for (unsigned i = 0; i < PAGES; i++) {
		struct cache *unit = &t->unit[tlb][i];
		struct cache_line *line = unit->geometry.ways ? cache_find(unit, linear) : NULL;

		if (line) {
			cache_touch(unit, line);
			*page = (enum processor_page)i;
			return line;
		}
	}
	return NULL;
}

static void put(struct tlbs *t, enum processor_tlb tlb, uint64_t linear, enum processor_page page)
{
	if (t->unit[tlb][page].geometry.ways && !cache_find(&t->unit[tlb][page], linear))
		cache_fill(&t->unit[tlb][page], linear, false);
}

// The largest part of a page that this TLB supports.
static enum processor_page held(const struct tlbs *t, enum processor_tlb tlb,
				enum processor_page page)
{
	while (page && !t->unit[tlb][page].geometry.ways)
		page = (enum processor_page)(page - 1);
	return page;
}

static struct tlbs_recent *recent_of(struct tlbs *t, enum processor_tlb first, uint64_t number)
{
	return &t->recent[first][number % TLBS_RECENT];
}

const struct tlbs_recent *tlbs_recent(struct tlbs *t, enum processor_tlb first, uint64_t linear)
{
	const uint64_t number = (linear >> SHIFT_4K) + 1;
	const struct tlbs_recent *r = recent_of(t, first, number);

	return r->number == number && r->line->number == r->page_number ? r : NULL;
}

enum tlbs_result tlbs_look_up(struct tlbs *t, enum processor_tlb first, uint64_t linear,
			      enum processor_page *page)
{
	const uint64_t number = (linear >> SHIFT_4K) + 1;
	const struct tlbs_recent *recent = tlbs_recent(t, first, linear);
	struct cache_line *line;

	if (recent) {
		cache_touch(&t->unit[first][recent->page], recent->line);
		*page = recent->page;
		return TLBS_FIRST;
	}
	line = look_up(t, first, linear, page);
	if (line) {
		*recent_of(t, first,
			   number) = (struct tlbs_recent){number, line->number, line, *page};
		return TLBS_FIRST;
	}
	if (!look_up(t, TLB_STLB, linear, page))
		return TLBS_MISS;
	put(t, first, linear, held(t, first, *page));
	return TLBS_SECOND;
}

void tlbs_insert(struct tlbs *t, enum processor_tlb first, uint64_t linear,
		 enum processor_page page)
{
	put(t, first, linear, held(t, first, page));
	put(t, TLB_STLB, linear, page);
}

void tlbs_flush(struct tlbs *t)
{
	for (unsigned i = 0; i < TLBS * PAGES; i++) {
		struct cache *unit = &t->unit[i / PAGES][i % PAGES];

		memset(unit->line, 0, cache_lines(&unit->geometry) * sizeof *unit->line);
	}
}

void tlbs_flush_page(struct tlbs *t, uint64_t linear)
{
	for (unsigned i = 0; i < TLBS * PAGES; i++)
		if (t->unit[i / PAGES][i % PAGES].geometry.ways)
			cache_flush(&t->unit[i / PAGES][i % PAGES], linear);
}

//
// Walks
//

#define ENTRY_PRESENT	1u
#define ENTRY_LARGE	(1u << 7)
#define ENTRY_ADDRESS	0x000FFFFFFFFFF000ull
#define SHIFT_TOP	39
#define SHIFT_BITS	9

bool walk_tables(struct walk *w, uint64_t cr3, uint64_t linear, walk_read *read, void *context)
{
	uint64_t table = cr3 & ENTRY_ADDRESS, entry;

	*w = (struct walk){0};
	for (unsigned shift = SHIFT_TOP;; shift -= SHIFT_BITS) {
		const uint64_t address = table + (linear >> shift & 0x1FF) * sizeof entry;
		const uint64_t low = (1ULL << shift) - 1;

		if (!read(context, address, &entry))
			return false;
		w->entry[w->count++] = address;
		if (!(entry & ENTRY_PRESENT))
			return false;
		table = entry & ENTRY_ADDRESS;
		if (shift == SHIFT_4K || (entry & ENTRY_LARGE && shift < SHIFT_TOP)) {
			w->page = shift == SHIFT_4K ? PAGE_4K : shift == SHIFT_4K + SHIFT_BITS ?
				PAGE_2M : PAGE_1G;
			w->physical = (table & ~low) | (linear & low);
			return true;
		}
	}
}
