/* SPDX-License-Identifier: BSD-2-Clause */
/* Issues a core's instructions in order, up to a width per cycle, each when the registers that it reads are ready. */
#ifndef MODEL_ISSUE_H
#define MODEL_ISSUE_H

#include <stdint.h>

#define ISSUE_REGISTERS 16

/* All zero at first. Sets of registers have a bit for each. */
struct issue {
	uint64_t now;		/* the cycle of the last issue, from 1; 0: none yet */
	unsigned left;		/* free issue slots in it */
	uint64_t busy;		/* cycles with an issue */
	uint64_t ready[ISSUE_REGISTERS];	/* the cycles from which registers are ready */
};

/* Issues the next instruction, at most `width` in a cycle. Returns the cycle. */
uint64_t issue_next(struct issue *i, unsigned width, uint16_t reads);

/* The instruction writes these registers, which are ready from cycle `from` on. */
void issue_write(struct issue *i, uint16_t writes, uint64_t from);

/* No further instruction issues before cycle `until`. */
void issue_wait(struct issue *i, unsigned width, uint64_t until);

#endif
