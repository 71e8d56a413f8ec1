/* SPDX-License-Identifier: BSD-2-Clause */
/* When a core's instructions issue: in order, so many in a cycle, each when the registers that it reads are there. */
#ifndef MODEL_ISSUE_H
#define MODEL_ISSUE_H

#include <stdint.h>

#define ISSUE_REGISTERS 16

/* All zero at first. Sets of registers have a bit for each. */
struct issue {
	uint64_t now;		/* the cycle in which the last one has issued, counted from 1: so many have begun */
	unsigned left;		/* so many can issue in it, too */
	uint64_t busy;		/* cycles in which some have issued */
	uint64_t ready[ISSUE_REGISTERS];	/* from these cycles on */
};

/* The next instruction issues, `width` of them in a cycle at most. Returns the cycle. */
uint64_t issue_next(struct issue *i, unsigned width, uint16_t reads);

/* It writes these registers, which can be read from a cycle on. */
void issue_write(struct issue *i, uint16_t writes, uint64_t from);

/* No further one issues before this cycle. */
void issue_wait(struct issue *i, unsigned width, uint64_t until);

#endif
