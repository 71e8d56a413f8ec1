/* SPDX-License-Identifier: BSD-2-Clause */
/* The two pipes, U and V, of the Pentium and Knights Corner: which instructions issue together, and
 * which wait for an address. */
#ifndef QEMU_PIPES_H
#define QEMU_PIPES_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu_event.h"

/* The properties of an instruction that matter to the pipes. In sets of registers, bit n is general
 * register n. */
struct pipes_class {
	uint8_t kinds;
	uint16_t reads, writes;
	uint16_t addresses;	/* registers of its address operands */
	uint16_t delays;	/* subset of `writes` for which a later address must wait */
};
#define PIPES_FIRST	(1u << 0)	/* can issue in the U pipe, as the first of a pair */
#define PIPES_SECOND	(1u << 1)	/* can issue in the V pipe, as the second of a pair */
#define PIPES_PUSHES	(1u << 2)
#define PIPES_POPS	(1u << 3)
#define PIPES_CALLS	(1u << 4)
#define PIPES_REFERS	(1u << 5)	/* refers to memory */

/* Returns true if the two instructions can issue together, in this order. */
bool pipes_pair(const struct pipes_class *first, const struct pipes_class *second);

/* The last issued instructions. Initialize to zero. */
struct pipes {
	struct pipes_class alone;	/* instruction in the U pipe; kinds 0: none can pair with
					 * it */
	uint16_t delays, before;	/* `delays` of the last issued instruction or pair, and
					 * of the one before */
};

/* Issues the next instruction. Returns a subset of PIPES_RAISE. */
#define PIPES_RAISE	(CPU_EVENT_SET(PAIRED) | CPU_EVENT_SET(PAIRED_REFERENCES) |	\
			 CPU_EVENT_SET(BANK_CONFLICT) |	\
			 CPU_EVENT_SET(INTERLOCKED))
uint64_t pipes_issue(struct pipes *p, const struct pipes_class *c);

/* The next instruction does not follow in memory, so it cannot pair with the last one. */
static inline void pipes_part(struct pipes *p)
{
	p->alone.kinds = 0;
}

/* Returns true if two simultaneous references use the same of the 8 banks of the L1 data cache
 * (328207, table "Cache Hierarchy", from memory). */
static inline bool pipes_conflict(uint64_t one, uint64_t other)
{
	return !((one ^ other) & 0x38);
}

#endif
