// SPDX-License-Identifier: BSD-2-Clause
// Entries of the TLBs: search, insertion, purge (manual, volume 2, section 4.1.1).

#include "entries.h"

#include <string.h>

#include "machine.h"

#define ITIR_RESERVED		(3ULL | ~0ULL << 32)
#define ENTRY_RESERVED		(1ULL << 1 | 3ULL << 50)
#define ENTRY_ADDRESS		(((1ULL << 50) - 1) & ~0xFFFULL)

void ia64_forget_pages(struct machine *m)
{
	memset(m->reads, 0, sizeof m->reads);
	memset(m->writes, 0, sizeof m->writes);
	memset(m->code, 0, sizeof m->code);
	ia64_stop(m);
}

static bool is_page_size(unsigned size)
{
	static const uint8_t sizes[] = {12, 13, 14, 16, 18, 20, 22, 24, 28};

	return memchr(sizes, (int)size, sizeof sizes);
}

void ia64_purge(struct machine *m, struct ia64_tlb *tlb, uint64_t address, uint64_t size,
		bool registers)
{
	const uint64_t from = TLB_IN_REGION(address) & ~(size - 1);
	const uint32_t region = TLB_RR_REGION(m->rr[TLB_REGION(address)]);

	for (unsigned i = 0; i < tlb->entries; i++) {
		struct ia64_translation *t = &tlb->entry[i];

		if (t->valid && t->region == region && (registers || !t->is_register) &&
		    t->base < from + size &&
		    from <= (t->base | t->mask))
			t->valid = false;
	}
	ia64_forget_pages(m);
}

struct ia64_translation *ia64_find_entry(struct machine *m, struct ia64_tlb *tlb, uint64_t address)
{
	const uint32_t region = TLB_RR_REGION(m->rr[TLB_REGION(address)]);

	for (unsigned i = 0; i < tlb->entries; i++) {
		struct ia64_translation *t = &tlb->entry[i];

		if (t->valid &&
		    t->region == region && (TLB_IN_REGION(address) & ~t->mask) == t->base)
			return t;
	}
	return NULL;
}

// Whether a translation register other than `number` overlaps the page.
static bool overlaps_register(const struct machine *m, const struct ia64_tlb *tlb, int number,
			      uint64_t address, uint64_t mask)
{
	const uint32_t region = TLB_RR_REGION(m->rr[TLB_REGION(address)]);
	const uint64_t base = TLB_IN_REGION(address) & ~mask;
	bool overlaps = false;

	for (int i = 0; i < tlb->registers; i++) {
		const struct ia64_translation *t = &tlb->entry[i];

		overlaps |= i != number && t->valid && t->is_register && t->region == region &&
			    t->base <= (base | mask) && base <= (t->base | t->mask);
	}
	return overlaps;
}

enum insertion ia64_insert(struct machine *m, struct ia64_tlb *tlb, int number, uint64_t address,
			   uint64_t itir, uint64_t entry)
{
	const unsigned size = itir >> 2 & 63;
	const uint64_t mask = (1ULL << size) - 1;
	unsigned i = (unsigned)number;

	if (itir & ITIR_RESERVED || !is_page_size(size) ||
	    (entry & 1 && (entry & ENTRY_RESERVED || (entry & ENTRY_ADDRESS) >> PHYSICAL_BITS)))
		return INSERTION_RESERVED;
	if (overlaps_register(m, tlb, number, address, mask)) {
		ia64_interrupt(m, VECTOR_OVERLAP, 0, address);
		return INSERTION_OVERLAPS;
	}
	ia64_purge(m, tlb, address, mask + 1, false);
	if (number < 0) {
		do {
			i = tlb->next;
			tlb->next = (uint8_t)((i + 1) % tlb->entries);
		} while (tlb->entry[i].is_register && tlb->entry[i].valid);
	}
	tlb->entry[i] = (struct ia64_translation){
		.valid = true, .is_register = number >= 0, .base = TLB_IN_REGION(address) & ~mask,
		.mask = mask,
		.physical = entry & ENTRY_ADDRESS & ~mask,
		.region = TLB_RR_REGION(m->rr[TLB_REGION(address)]),
		.key = (uint32_t)(itir >> 8 & 0xFFFFFF), .present = entry & 1,
		.attribute = entry >> 2 & 7,
		.accessed = entry >> 5 & 1, .dirty = entry >> 6 & 1, .level = entry >> 7 & 3,
		.rights = entry >> 9 & 7,
		.defers = entry >> 52 & 1,
	};
	tlb->uncacheable |= TLB_IS_UNCACHEABLE(tlb->entry[i].attribute);
	return INSERTED;
}

// Returns the attribute of translated data; 0: it is cacheable.
static unsigned attribute_of(struct machine *m, uint64_t address)
{
	const struct ia64_translation *t =
		m->dtlb.uncacheable ? ia64_find_entry(m, &m->dtlb, address) : NULL;

	return t ? t->attribute : 0;
}

bool ia64_is_uncacheable(struct machine *m, uint64_t address, bool translated)
{
	return translated ? TLB_IS_UNCACHEABLE(attribute_of(m, address)) : address >> 63;
}

bool ia64_is_coalescing(struct machine *m, uint64_t address, bool translated)
{
	return translated && attribute_of(m, address) == TLB_COALESCING;
}
