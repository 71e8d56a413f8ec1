/* SPDX-License-Identifier: BSD-2-Clause */
/* The length of instructions, in all modes (SDM volume 2, chapter 2 and appendix A). */
#ifndef GUEST_LENGTH_H
#define GUEST_LENGTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct length {
	uint8_t instruction;	/* bytes; 0: it is not known, or must be executed alone */
	bool is_branch;		/* it may be a near branch */
	uint8_t displacement;	/* its last bytes, of a relative branch; 0: it is none */
	bool too_long;		/* it has more than 15 bytes */
};

/* Looks at `size` bytes, at most DECODE_LONGEST, in code of so many bits (16, 32, 64). An instruction must
 * execute alone if it may change the mode, the privilege level, segments, interrupts or paging, if it repeats, if the
 * monitor may intercept it, if it is input or output, or if it is not known here. Near branches are known, far ones are
 * not. For an instruction that the processor finds undefined the answer means nothing. */
struct length length_decode(const uint8_t *bytes, size_t size, unsigned bits);

/* Whether it is a repeated string instruction (REP, REPE, REPNE). */
bool length_is_repeat(const uint8_t *bytes, size_t size, unsigned bits);

#endif
