/* SPDX-License-Identifier: BSD-2-Clause */
/* How long instructions are, in all modes (SDM volume 2, chapter 2 and appendix A). */
#ifndef GUEST_LENGTH_H
#define GUEST_LENGTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct length {
	uint8_t instruction;	/* bytes; 0: it is not known, or must be executed alone */
	bool is_branch;		/* it may be a near one; else it is none */
	uint8_t displacement;	/* its last bytes, of a relative branch; 0: it is none */
	bool too_long;		/* it has more than 15 bytes */
};

/* Looks at `size` bytes, at most DECODE_LONGEST, in code of so many bits (16, 32, 64). To be executed alone is what may
 * change the mode, the privilege level, segments, interrupts or paging, what repeats itself, what the monitor may have
 * intercepted, input and output, and what is undefined here. Near branches are known, far ones are not. What it says of
 * an instruction that the processor finds undefined is void. */
struct length length_decode(const uint8_t *bytes, size_t size, unsigned bits);

/* Whether it is a string instruction that is repeated (REP, REPE, REPNE). */
bool length_is_repeat(const uint8_t *bytes, size_t size, unsigned bits);

#endif
