/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's TLBs, one for fetches and one for data with a common second level; and x86's four-level
 * page walk (SDM volume 3A, "4-Level Paging"). */
#ifndef MODEL_TLBS_H
#define MODEL_TLBS_H

#include "processor.h"

#define TLBS_RECENT 32

struct tlbs {
	struct cache unit[TLBS][PAGES];

	/* Recent hits of TLB_ITLB and TLB_DTLB. `number`: 1 + linear address / 4 KB. `line`: the
	 * TLB entry, valid while its number is still `page_number`. */
	struct tlbs_recent {
		uint64_t number, page_number;
		struct cache_line *line;
		enum processor_page page;
	} recent[TLB_STLB][TLBS_RECENT];
};

/* Returns the number of cache lines for all TLBs of a core. */
size_t tlbs_lines(const struct processor *processor);
void tlbs_begin(struct tlbs *t, const struct processor *processor, struct cache_line *lines);

enum tlbs_result { TLBS_FIRST, TLBS_SECOND, TLBS_MISS };

/* Looks up a linear address in TLB_ITLB or TLB_DTLB (`first`), then in the second level; a hit
 * there also fills `first`. *page: the page size, valid unless the lookup misses. */
enum tlbs_result tlbs_look_up(struct tlbs *t, enum processor_tlb first, uint64_t linear,
			      enum processor_page *page);

/* Returns a remembered hit of this address in `first` that is still valid, or NULL. */
const struct tlbs_recent *tlbs_recent(struct tlbs *t, enum processor_tlb first, uint64_t linear);

/* Inserts the result of a walk. If `first` does not support the page size, it holds the part of a
 * supported size. */
void tlbs_insert(struct tlbs *t, enum processor_tlb first, uint64_t linear,
		 enum processor_page page);

/* Effects of a write to CR3, and of INVLPG. */
void tlbs_flush(struct tlbs *t);
void tlbs_flush_page(struct tlbs *t, uint64_t linear);

/* A page walk. */
struct walk {
	unsigned count;			/* number of entries read */
	uint64_t entry[4];		/* their physical addresses */
	enum processor_page page;	/* page size, if present */
	uint64_t physical;		/* the translated address */
};

/* Reads a page table entry. Returns false if the address is not memory. */
typedef bool walk_read(void *context, uint64_t address, uint64_t *entry);

/* Returns false if the page or one of its tables is not present. */
bool walk_tables(struct walk *w, uint64_t cr3, uint64_t linear, walk_read *read, void *context);

#endif
