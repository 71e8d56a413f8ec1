/* SPDX-License-Identifier: BSD-2-Clause */
/* What an x86 instruction is, by its encoding. */
#ifndef PLUGIN_CLASSIFY_H
#define PLUGIN_CLASSIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An instruction's kinds. Of arithmetic: in which form, and on what. */
#define CLASS_LOCKED		(1u << 0)	/* a locked access: LOCK, or XCHG with memory */
#define CLASS_REPEATED		(1u << 1)	/* a string instruction that is repeated: it retires once */
#define CLASS_HALT		(1u << 2)	/* waits for an interrupt, or for a write */
#define CLASS_FENCE		(1u << 3)
#define CLASS_DIVIDE		(1u << 4)	/* of integers */
#define CLASS_MULTIPLY		(1u << 5)	/* of integers */
#define CLASS_X87		(1u << 6)
#define CLASS_SCALAR_SINGLE	(1u << 7)	/* SSE, SSE2: arithmetic on one float, four, one double, two */
#define CLASS_PACKED_SINGLE	(1u << 8)
#define CLASS_SCALAR_DOUBLE	(1u << 9)
#define CLASS_PACKED_DOUBLE	(1u << 10)
#define CLASS_SIMD_INTEGER	(1u << 11)	/* SSE2 and later: on integers in XMM registers */
#define CLASS_MMX		(1u << 12)
#define CLASS_PREFETCH		(1u << 13)
#define CLASS_TRAP		(1u << 14)	/* INTO: it may go to its handler */

struct classes {
	uint8_t length;		/* 0: it is undefined, or not whole */
	uint8_t branch;		/* its kind: OCCURRENCE_KIND_* (model.h); 0: it is none */
	uint8_t target;		/* of a branch: bytes of its displacement, the instruction's last; 0: none */
	uint8_t loads, stores;	/* references of memory, those of the stack among them; repeated strings': each time */
	uint32_t kinds;
};

/* `bits`: 16, 32 or 64, the code's width. */
struct classes classify(const uint8_t *bytes, size_t size, unsigned bits);

/* Several instructions that follow each other, whose sizes are known: the width of code that has such, the first of
 * `bits`, 64, 32, 16. 0: none has. Some instructions are the same in several widths. */
unsigned classify_width(const uint8_t *bytes, const uint8_t *sizes, size_t count, unsigned bits);

#endif
