/* SPDX-License-Identifier: BSD-2-Clause */
/* The caches and the bus behind the processor, as the monitor sees them. */
#ifndef IA64_HIERARCHY_H
#define IA64_HIERARCHY_H

#include "../model/caches.h"
#include "events.h"

#define CACHE(name, bytes, ways, line) BYTES_##name = (bytes), LINES_##name = (bytes) / (line), \
	WAYS_##name = (ways), LINE_##name = (line),
#define LATENCY(name, cycles) LATENCY_##name = (cycles),
#define WIDTH(name, count) WIDTH_##name = (count),
enum {
#include "../model/merced.machine"
};
#undef CACHE
#undef LATENCY
#undef WIDTH

struct ia64_hierarchy {
	struct cache l1i, l1d, l2, l3;
	struct cache_line l1i_lines[LINES_L1I], l1d_lines[LINES_L1D], l2_lines[LINES_L2], l3_lines[LINES_L3];
	uint64_t fetched;	/* the line fetched last, counted from 1; 0: the next bundle is fetched anew */
};

/* A line as `fetched` has it. */
static inline uint64_t ia64_line_of(uint64_t ip)
{
	return ip / LINE_L1I + 1;
}

struct machine;

/* Empty caches. */
void ia64_begin_hierarchy(struct ia64_hierarchy *h);

/* A reference to memory, and the fetch of a bundle: raise what they do. How many cycles it takes until what is read can
 * be used. `o`: the instruction, with its data address. */
unsigned ia64_reach(struct machine *m, struct occurrence *o, const struct ia64_reference *r);
unsigned ia64_fetch_line(struct machine *m, struct occurrence *o, uint64_t ip);

/* fc: a line leaves all caches. */
void ia64_flush_line(struct machine *m, struct occurrence *o, uint64_t address);

#endif
