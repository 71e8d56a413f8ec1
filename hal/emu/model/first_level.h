/* SPDX-License-Identifier: BSD-2-Clause */
/* References that find their line in the first caches and their page in the first TLBs, as most do, by a short way:
 * what was found for a linear address is remembered, and looked at again before anything else. All that such a
 * reference changes and raises is what memory_refer would. */
#ifndef MODEL_FIRST_LEVEL_H
#define MODEL_FIRST_LEVEL_H

#include "memory.h"

/* A line of linear addresses, counted from 1; the physical one, as the cache counts it; where the cache has it. */
struct first_level_line {
	uint64_t linear, number;
	struct cache_line *line;
};

#define FIRST_LEVEL_LINES 128

/* Of one who refers, by one set of tables. Zeros: nothing is remembered. */
struct first_level {
	struct first_level_line data[FIRST_LEVEL_LINES], code[FIRST_LEVEL_LINES];
};

/* Carries out a load, a store or a fetch that is within a line and no device's, and whose physical address is not known
 * yet. False: nothing has been done, and it is memory_refer's. Else its physical address is, and it is *reached. */
bool first_level_refer(struct first_level *f, struct memory *m, struct reference *r, struct reached *reached);

/* Behind memory_refer of such a reference. */
void first_level_remember(struct first_level *f, struct memory *m, const struct reference *r);

/* Linear addresses lead elsewhere. */
void first_level_forget(struct first_level *f);

#endif
