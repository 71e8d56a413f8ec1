/* SPDX-License-Identifier: BSD-2-Clause */
/* The two pipes of a Pentium's core, U and V, which Knights Corner's has, too: which instructions are issued together,
 * and which must wait for an address. */
#ifndef QEMU_PIPES_H
#define QEMU_PIPES_H

#include <stdbool.h>
#include <stdint.h>

#include "happening.h"

/* What they see of an instruction. Sets of general registers, by their numbers. */
struct pipes_class {
	uint8_t kinds;
	uint16_t reads, writes;
	uint16_t addresses;	/* of which an address is made */
	uint16_t delays;	/* `writes` that an address behind it must wait for */
};
#define PIPES_FIRST	(1u << 0)	/* a pair's first one, in the U pipe */
#define PIPES_SECOND	(1u << 1)	/* and its second one, in the V pipe */
#define PIPES_PUSHES	(1u << 2)
#define PIPES_POPS	(1u << 3)
#define PIPES_CALLS	(1u << 4)
#define PIPES_REFERS	(1u << 5)	/* to memory */

/* What has been issued last; at first all zero. */
struct pipes {
	struct pipes_class alone;	/* in the U pipe; kinds 0: nothing that another one can join */
	uint16_t delays, before;	/* of all that was issued last, and right before that */
};

/* The next instruction is issued: set of happenings, of these. */
#define PIPES_RAISE	(HAPPENING_SET(PAIRED) | HAPPENING_SET(PAIRED_REFERENCES) | HAPPENING_SET(BANK_CONFLICT) | \
			 HAPPENING_SET(INTERLOCKED))
uint64_t pipes_issue(struct pipes *p, const struct pipes_class *c);

/* What comes next is not what follows in memory: it joins nothing. */
static inline void pipes_part(struct pipes *p)
{
	p->alone.kinds = 0;
}

/* Whether two references at once are of the same bank of the L1 data cache: 8 banks in a line (328207, table "Cache
 * Hierarchy", remembered). */
static inline bool pipes_conflict(uint64_t one, uint64_t other)
{
	return !((one ^ other) & 0x38);
}

#endif
