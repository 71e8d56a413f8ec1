/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of many things: samples by address, branches by source and target. Trap code: a bounded number of steps, in
 * memory allocated before, no division. */
#ifndef BOOT_HISTOGRAM_H
#define BOOT_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct histogram_entry {
	uint32_t what;			/* kind; 0: the entry is free */
	uint32_t unused;
	uint64_t from, to;
	uint64_t count;
};

struct histogram {
	struct histogram_entry *entry;	/* all zero at first */
	unsigned bits;			/* 2^bits of them */
	uint32_t used;
};

/* Adds one to the entry (what > 0, from, to). False: a new entry has no space, because `most` entries or all those near
 * its place are in use. */
bool histogram_add(struct histogram *h, uint32_t most, uint32_t what, uint64_t from, uint64_t to);

#endif
