/* SPDX-License-Identifier: BSD-2-Clause */
/* What instructions raise because of the pipes that they issue in (pipes.h), of the blocks that guests execute. */
#ifndef PLUGIN_ISSUED_H
#define PLUGIN_ISSUED_H

#include <stdbool.h>
#include <stdint.h>

#include "block.h"
#include "pipes.h"

#define ISSUED_MOST	512	/* instructions of a block (x86.c), and references that are kept of one */

/* What of a CPU's last instruction the next one issues behind: the pipes; its first reference, a linear address, 0: it
 * has none that is known. */
struct issuing {
	struct pipes pipes;
	uint64_t access;
};

/* Whether references matter. If so: one, of the instruction at `ip` in the block that is executed. */
extern bool issued_follows_accesses;
void issued_access(uint64_t ip, uint64_t linear);

/* None of the block that comes next is known. */
extern size_t issued_access_count;
static inline void issued_begin_block(void)
{
	issued_access_count = 0;
}

/* The first `count` instructions of a block have retired, behind what was before: what each of them raises. */
extern uint64_t issued_raises[ISSUED_MOST];
void issued_retire(struct issuing *i, const struct block *block, size_t count, const struct block_before *before);

#endif
