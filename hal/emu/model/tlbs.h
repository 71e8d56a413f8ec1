/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's TLBs: one for fetches, one for data, and a common second level. And x86's walk of page tables of four levels
 * (SDM volume 3A, "4-Level Paging"). */
#ifndef MODEL_TLBS_H
#define MODEL_TLBS_H

#include "processor.h"

#define TLBS_RECENT 32

struct tlbs {
	struct cache unit[TLBS][PAGES];

	/* Recent hits of TLB_ITLB and TLB_DTLB, by the number of the 4 KB, counted from 1: the line, and the page's
	 * number in it. */
	struct tlbs_recent {
		uint64_t number, page_number;
		struct cache_line *line;
		enum processor_page page;
	} recent[TLB_STLB][TLBS_RECENT];
};

/* The number of lines that they need. */
size_t tlbs_lines(const struct processor *processor);
void tlbs_begin(struct tlbs *t, const struct processor *processor, struct cache_line *lines);

enum tlbs_result { TLBS_FIRST, TLBS_SECOND, TLBS_MISS };

/* Looks a linear address up in TLB_ITLB or TLB_DTLB (`first`), then in the second level, whose entry it copies to the
 * first. *page: the page's size, unless it misses. */
enum tlbs_result tlbs_look_up(struct tlbs *t, enum processor_tlb first, uint64_t linear, enum processor_page *page);

/* Returns a recent hit of this address in `first` that is still valid, or NULL. */
const struct tlbs_recent *tlbs_recent(struct tlbs *t, enum processor_tlb first, uint64_t linear);

/* Inserts the result of a walk. If a page is larger than the first TLB supports, it inserts a part of it. */
void tlbs_insert(struct tlbs *t, enum processor_tlb first, uint64_t linear, enum processor_page page);

/* Effects of a write of CR3, and of INVLPG. */
void tlbs_flush(struct tlbs *t);
void tlbs_flush_page(struct tlbs *t, uint64_t linear);

/* A walk. */
struct walk {
	unsigned count;			/* entries read */
	uint64_t entry[4];		/* their physical addresses */
	enum processor_page page;	/* if it found one */
	uint64_t physical;		/* the translated address */
};

/* Reads an entry of a table; false: there is no memory. */
typedef bool walk_read(void *context, uint64_t address, uint64_t *entry);

/* False: the page, or a table, is not present. */
bool walk_tables(struct walk *w, uint64_t cr3, uint64_t linear, walk_read *read, void *context);

#endif
