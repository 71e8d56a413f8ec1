// SPDX-License-Identifier: BSD-2-Clause
// A histogram of many different entries: an open hash table.

#include "histogram.h"

#define PROBES 32	// entries examined from the first place on

// Bits of the golden ratio: similar keys get distant places.
#define SPREAD 0x9E3779B97F4A7C15ULL

static uint64_t place_of(uint32_t kind, uint64_t from, uint64_t to, unsigned bits)
{
	return ((from * SPREAD ^ to) * SPREAD ^ kind) * SPREAD >> (64 - bits);
}

bool histogram_add(struct histogram *h, uint32_t most, uint32_t kind, uint64_t from, uint64_t to,
		   uint64_t events)
{
	const uint64_t mask = (1ULL << h->bits) - 1, first = place_of(kind, from, to, h->bits);

	for (uint64_t i = 0; i < PROBES; i++) {
		struct histogram_entry *e = &h->entry[(first + i) & mask];

		if (!e->kind) {
			if (h->used >= most)
				return false;
			h->used++;
			*e = (struct histogram_entry){.kind = kind, .from = from, .to = to,
						      .count = 1, .events = events};
			return true;
		}
		if (e->kind == kind && e->from == from && e->to == to) {
			e->count++;
			e->events += events;
			return true;
		}
	}
	return false;
}
