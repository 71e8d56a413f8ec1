/* SPDX-License-Identifier: BSD-2-Clause */
/* The caches and the bus, for the monitor: they raise events and determine latencies, but hold no
 * data. */
#ifndef IA64_HIERARCHY_H
#define IA64_HIERARCHY_H

#include "../model/processor.h"
#include "queues.h"
#include "references.h"

#define DTC_ENTRIES	32	/* the first level of the data TLB: table 8-1, 96H */

/* The write coalescing buffer: entries in the order of their allocation. `bytes`: bit n is set if
 * byte n of the line is written; 0: the entry is free. */
#define COALESCING_ENTRIES	2
#define COALESCING_BYTES	64	/* of a line */

struct ia64_coalescing {
	uint64_t line, bytes;
};

struct ia64_hierarchy {
	struct cache cache[CACHES];
	struct ia64_translation *dtc[DTC_ENTRIES];	/* entries of the second level, or NULL */
	struct ia64_coalescing coalescing[COALESCING_ENTRIES];
	unsigned dtc_next;	/* index of the entry that is replaced next */
	struct ia64_queues queues;
	struct cache other;	/* of the other processor (agents.h) */

	/* The present reference, by numbers of cycles: it begins; it starts, after it has waited
	 * for a queue; its data is there. */
	uint64_t begins, now, ready;

	/* Timed clock: the line of L2 that the last store wrote, and the one that a store modified
	 * last, plus 1; and the cycles in which these stores began. */
	uint64_t stored, stored_in, modified, modified_in;

	uint64_t fetched;	/* ia64_line_of the last fetch; 0: the next bundle is fetched even
				 * from the same line */
	struct cache_line lines[];
};

/* The number of an address's line in L1I, counted from 1. */
static inline uint64_t ia64_line_of(const struct ia64_hierarchy *h, uint64_t ip)
{
	return (ip >> h->cache[CACHE_L1I].geometry.line_shift) + 1;
}

struct machine;

/* Makes empty caches; release them with free. Returns NULL if the host has no memory. */
struct ia64_hierarchy *ia64_make_hierarchy(const struct processor *processor);

/* Looks up a data reference, or the fetch of a bundle, and raises its events. Returns the cycles
 * until the data or code can be used; for a fetch 0 if it hits L1I. `o`: the context, with the data
 * address of a reference. Adds the cycles for which a data reference waits for a queue, before it
 * starts, to retiring.blocked. */
unsigned ia64_access(struct machine *m, struct occurrence *o, const struct ia64_reference *r);
unsigned ia64_fetch_line(struct machine *m, struct occurrence *o, uint64_t ip);

/* Prefetches the aligned block of code with this address into L1I. `o`: the context of the
 * prefetching instruction. */
#define PREFETCH_BYTES	64	/* size of the block: one lookup (7.8, L1I_PREFETCH_READS) */
void ia64_prefetch_code(struct machine *m, const struct occurrence *o, uint64_t address);

/* Whether one of the caches has a line of L2, or a part of it. */
bool ia64_holds_line(const struct ia64_hierarchy *h, uint64_t address);

/* Writes the modifications of a line to memory. Returns whether there were any. */
bool ia64_clean_line(struct ia64_hierarchy *h, uint64_t address);

/* Removes a line of each cache, or the whole line of L2 from all caches. Returns whether it was
 * modified in one of them. */
bool ia64_forget_line(struct ia64_hierarchy *h, uint64_t address);
bool ia64_invalidate_line(struct ia64_hierarchy *h, uint64_t address);

/* Writes the entries of the write coalescing buffer to memory. */
void ia64_drain(struct machine *m, const struct occurrence *o);

/* Removes a line as fc does, and raises the events of the flush. */
void ia64_flush_line(struct machine *m, struct occurrence *o, uint64_t address);

#endif
