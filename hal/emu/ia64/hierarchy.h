/* SPDX-License-Identifier: BSD-2-Clause */
/* The caches and the bus behind the processor, as the monitor sees them. */
#ifndef IA64_HIERARCHY_H
#define IA64_HIERARCHY_H

#include "../model/processor.h"
#include "references.h"

#define DTC_ENTRIES	32	/* the first level of the data TLB: table 8-1, 96H */

struct ia64_hierarchy {
	struct cache cache[CACHES];
	struct ia64_translation *dtc[DTC_ENTRIES];
	unsigned dtc_next;	/* the place that is used next */
	uint64_t fetched;	/* the line fetched last, counted from 1; 0: the next bundle is fetched anew */
	struct cache_line lines[];
};

/* A line as `fetched` has it. */
static inline uint64_t ia64_line_of(const struct ia64_hierarchy *h, uint64_t ip)
{
	return (ip >> h->cache[CACHE_L1I].geometry.line_shift) + 1;
}

struct machine;

/* Empty caches, to be freed; NULL: no memory. */
struct ia64_hierarchy *ia64_make_hierarchy(const struct processor *processor);

/* A reference to memory, and the fetch of a bundle: raise what they do. How many cycles it takes until what is read can
 * be used. `o`: the instruction, with its data address. */
unsigned ia64_reach(struct machine *m, struct occurrence *o, const struct ia64_reference *r);
unsigned ia64_fetch_line(struct machine *m, struct occurrence *o, uint64_t ip);

/* Code at an address is prefetched into L1I: the aligned block that has it. `o`: the instruction that asks for it. */
#define PREFETCH_BYTES	64	/* of a lookup (7.8, L1I_PREFETCH_READS) */
void ia64_prefetch_code(struct machine *m, const struct occurrence *o, uint64_t address);

/* A line leaves all caches. Whether one of them had modified it. */
bool ia64_forget_line(struct ia64_hierarchy *h, uint64_t address);

/* fc: that, and what it raises. */
void ia64_flush_line(struct machine *m, struct occurrence *o, uint64_t address);

#endif
