/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of entries: samples by address, branches by source and target. Trap code: bounded steps,
 * preallocated memory, no division. */
#ifndef BOOT_HISTOGRAM_H
#define BOOT_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct histogram_entry {
	uint32_t kind;			/* kind of entry; 0: free */
	uint32_t unused;
	uint64_t from, to;
	uint64_t count;
	uint64_t events;		/* of samples by time: in the intervals before them */
};

struct histogram {
	struct histogram_entry *entry;	/* all zero at first */
	unsigned bits;			/* there are 2^bits entries */
	uint32_t used;	/* number of entries in use */
};

/* Adds one, and `events`, to the entry (kind > 0, from, to). False: there is no space for a new
 * entry, because `most` entries or all places probed are in use. */
bool histogram_add(struct histogram *h, uint32_t most, uint32_t kind, uint64_t from, uint64_t to,
		   uint64_t events);

#endif
