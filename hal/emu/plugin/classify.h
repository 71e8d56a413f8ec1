/* SPDX-License-Identifier: BSD-2-Clause */
/* What an x86 instruction is, by its encoding. */
#ifndef PLUGIN_CLASSIFY_H
#define PLUGIN_CLASSIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pipes.h"

/* What the emulator, caches and predictors do with an instruction depends on these. What PMUs count of it is in
 * `raises`. */
#define CLASS_LOCKED		(1u << 0)	/* a locked access: LOCK, or XCHG with memory */
#define CLASS_REPEATED		(1u << 1)	/* a string instruction that is repeated: it retires once */
#define CLASS_HALT		(1u << 2)	/* waits for an interrupt, or for a write */
#define CLASS_FENCE		(1u << 3)	/* waits for stores: MFENCE, SFENCE */
#define CLASS_PREFETCH		(1u << 4)
#define CLASS_TRAP		(1u << 5)	/* INTO: it may go to its handler */
#define CLASS_COMPARE		(1u << 6)	/* CMP or TEST that a conditional branch behind it may be fused with: */
#define CLASS_TEST		(1u << 7)
#define CLASS_BEHIND_COMPARE	(1u << 8)	/* this branch */
#define CLASS_BEHIND_TEST	(1u << 9)
#define CLASS_STREAM		(1u << 10)	/* a non-temporal store */
#define CLASS_SYSCALL		(1u << 11)	/* SYSCALL, which leads to level 0, */
#define CLASS_SYSRET		(1u << 12)	/* and SYSRET, which leads to level 3 */
#define CLASS_PLAIN		(1u << 13)	/* once begun it retires, and nothing comes in between */
#define CLASS_IRET		(1u << 14)

#define CLASSIFY_LONGEST	15	/* bytes of an instruction */

struct classes {
	uint8_t length;		/* 0: it is undefined, or not whole */
	uint8_t branch;		/* its kind: OCCURRENCE_KIND_* (model.h); 0: it is none */
	uint8_t target;		/* of a branch: bytes of its displacement, the instruction's last; 0: none */
	uint8_t loads, stores;	/* references of memory, those of the stack among them; repeated strings': each time */
	uint8_t wide;		/* if its references are of one operand, of 9 to 63 bytes: so many */
	uint16_t kinds;
	struct pipes_class pipes;
	uint64_t raises;	/* set of happenings (happening.h), if it is alone and retires; not as a branch */
};

/* Whether the second instruction is fused with the first one, right before it. */
static inline bool classify_is_pair(unsigned first_kinds, const struct classes *second)
{
	return (first_kinds & CLASS_COMPARE && second->kinds & CLASS_BEHIND_COMPARE) ||
	       (first_kinds & CLASS_TEST && second->kinds & CLASS_BEHIND_TEST);
}

/* `bits`: 16, 32 or 64, the code's width. */
struct classes classify(const uint8_t *bytes, size_t size, unsigned bits);

/* Several instructions that follow each other, whose sizes are known: the width of code that has such, the first of
 * `bits`, 64, 32, 16. 0: none has. Some instructions are the same in several widths. */
unsigned classify_width(const uint8_t *bytes, const uint8_t *sizes, size_t count, unsigned bits);

#endif
