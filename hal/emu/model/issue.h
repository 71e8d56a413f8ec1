/* SPDX-License-Identifier: BSD-2-Clause */
/* Issues a core's instructions in order, up to a width per cycle, each when the registers that it
 * reads are ready. */
#ifndef MODEL_ISSUE_H
#define MODEL_ISSUE_H

#include <stdint.h>

#define ISSUE_REGISTERS 16

/* Initialize to zero. In sets of registers, bit n is register n. */
struct issue {
	uint64_t now;		/* cycle of the last issue, from 1; 0: none yet */
	unsigned left;		/* free issue slots in that cycle */
	uint64_t busy;		/* number of cycles in which an instruction issued */
	uint64_t ready[ISSUE_REGISTERS];	/* by register: first cycle in which its value is
						 * ready */
};

/* Issues the next instruction, at most `width` per cycle. `reads`: the registers that it waits for.
 * Returns its cycle. */
uint64_t issue_next(struct issue *i, unsigned width, uint16_t reads);

/* Sets the cycle from which the instruction's result registers are ready. */
void issue_write(struct issue *i, uint16_t writes, uint64_t from);

/* Stalls: the next instruction issues in cycle `until` or later. */
void issue_wait(struct issue *i, unsigned width, uint64_t until);

#endif
