/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's TLBs: one for fetches, one for data, and one behind both. And x86's walk of page tables of four levels (SDM
 * volume 3A, "4-Level Paging"). */
#ifndef MODEL_TLBS_H
#define MODEL_TLBS_H

#include "processor.h"

#define TLBS_RECENT 32

struct tlbs {
	struct cache unit[TLBS][PAGES];

	/* Of TLB_ITLB and TLB_DTLB: 4 KB that they have had, by their number counted from 1; where, and what number the
	 * page has there. */
	struct tlbs_recent {
		uint64_t number, page_number;
		struct cache_line *line;
		enum processor_page page;
	} recent[TLB_STLB][TLBS_RECENT];
};

/* Lines that they need. */
size_t tlbs_lines(const struct processor *processor);
void tlbs_begin(struct tlbs *t, const struct processor *processor, struct cache_line *lines);

enum tlbs_result { TLBS_FIRST, TLBS_SECOND, TLBS_MISS };

/* Looks a linear address up, first in TLB_ITLB or TLB_DTLB, where what the second has is put. *page: what it is of,
 * unless it misses. */
enum tlbs_result tlbs_look_up(struct tlbs *t, enum processor_tlb first, uint64_t linear, enum processor_page *page);

/* Where the first of them has it, if it has been found there lately, and is there. Else NULL. */
const struct tlbs_recent *tlbs_recent(struct tlbs *t, enum processor_tlb first, uint64_t linear);

/* Puts in what a walk has found. A page larger than the first TLB can hold goes in as a part of its size. */
void tlbs_insert(struct tlbs *t, enum processor_tlb first, uint64_t linear, enum processor_page page);

/* CR3 has been written; or INVLPG. */
void tlbs_flush(struct tlbs *t);
void tlbs_flush_page(struct tlbs *t, uint64_t linear);

/* A walk. */
struct walk {
	unsigned count;			/* entries that it read */
	uint64_t entry[4];		/* their physical addresses */
	enum processor_page page;	/* if it found one */
	uint64_t physical;		/* what the linear address is */
};

/* Reads an entry of a table; false: there is no memory. */
typedef bool walk_read(void *context, uint64_t address, uint64_t *entry);

/* False: the page is not present, or a table is not there. */
bool walk_tables(struct walk *w, uint64_t cr3, uint64_t linear, walk_read *read, void *context);

#endif
