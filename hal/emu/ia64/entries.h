/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of the TLBs: search, insertion, purge (manual, volume 2, section 4.1.1). */
#ifndef IA64_ENTRIES_H
#define IA64_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "tlb.h"

struct machine;

/* The valid entry that translates an address, or NULL. */
struct ia64_translation *ia64_find_entry(struct machine *m, struct ia64_tlb *tlb, uint64_t address);

/* Inserts a translation. `number`: of the translation register; negative: into the cache. `itir`,
 * `entry`: in the formats of ITIR and of a page table entry. */
enum insertion {
	INSERTED,
	INSERTION_RESERVED,	/* failed: reserved bits are set, or the page size is */
	INSERTION_OVERLAPS,	/* failed: another translation register overlaps; an interruption
				 * was raised */
};
enum insertion ia64_insert(struct machine *m, struct ia64_tlb *tlb, int number, uint64_t address,
			   uint64_t itir, uint64_t entry);

/* Removes all entries that overlap `size` bytes; translation registers only with `registers`. */
void ia64_purge(struct machine *m, struct ia64_tlb *tlb, uint64_t address, uint64_t size,
		bool registers);

/* Forgets recently used pages: to be called after each change of a TLB, a region register or a key
 * register. */
void ia64_forget_pages(struct machine *m);

/* Whether data at an address is in uncacheable or write-coalescing memory: by the attribute of its
 * translation, which the data TLB has (manual, volume 2, section 4.4), or by bit 63 of a physical
 * address. */
bool ia64_is_uncacheable(struct machine *m, uint64_t address, bool translated);

/* Whether it is in write-coalescing memory. */
bool ia64_is_coalescing(struct machine *m, uint64_t address, bool translated);

#endif
