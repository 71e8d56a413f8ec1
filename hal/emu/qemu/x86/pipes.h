/* SPDX-License-Identifier: BSD-2-Clause */
/* The two pipes, U and V, of the Pentium and of Knights Corner: which instructions issue together, and which must wait
 * for an address. */
#ifndef QEMU_PIPES_H
#define QEMU_PIPES_H

#include <stdbool.h>
#include <stdint.h>

#include "happening.h"

/* The properties of an instruction that matter to the pipes. Sets have a bit for each general register. */
struct pipes_class {
	uint8_t kinds;
	uint16_t reads, writes;
	uint16_t addresses;	/* registers in its address */
	uint16_t delays;	/* of `writes`: those for which an address after it must wait */
};
#define PIPES_FIRST	(1u << 0)	/* a pair's first one, in the U pipe */
#define PIPES_SECOND	(1u << 1)	/* and its second one, in the V pipe */
#define PIPES_PUSHES	(1u << 2)
#define PIPES_POPS	(1u << 3)
#define PIPES_CALLS	(1u << 4)
#define PIPES_REFERS	(1u << 5)	/* to memory */

/* The last issued instructions; all zero at first. */
struct pipes {
	struct pipes_class alone;	/* the one in the U pipe; kinds 0: no other one can pair with it */
	uint16_t delays, before;	/* of the last issued instruction or pair, and of the one before it */
};

/* Issues the next instruction. Returns a set of these happenings. */
#define PIPES_RAISE	(HAPPENING_SET(PAIRED) | HAPPENING_SET(PAIRED_REFERENCES) | HAPPENING_SET(BANK_CONFLICT) | \
			 HAPPENING_SET(INTERLOCKED))
uint64_t pipes_issue(struct pipes *p, const struct pipes_class *c);

/* The next instruction does not follow in memory: it pairs with none. */
static inline void pipes_part(struct pipes *p)
{
	p->alone.kinds = 0;
}

/* Whether two simultaneous references use the same bank of the L1 data cache: 8 banks in a line (328207, table "Cache
 * Hierarchy", from memory). */
static inline bool pipes_conflict(uint64_t one, uint64_t other)
{
	return !((one ^ other) & 0x38);
}

#endif
