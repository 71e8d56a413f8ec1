/* SPDX-License-Identifier: BSD-2-Clause */
/* Classifies x86 instructions by their encoding. */
#ifndef QEMU_CLASSIFY_H
#define QEMU_CLASSIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu_event.h"
#include "pipes.h"

/* Kinds of instructions, for the emulator, caches and predictors. `raises` has the PMU's events. */
#define CLASS_LOCKED		(1u << 0)	/* locked access: LOCK, or XCHG with memory */
#define CLASS_REPEATED		(1u << 1)	/* repeated string instruction, which retires
						 * once */
#define CLASS_HALT		(1u << 2)	/* HLT: retires, then waits for an interrupt */
#define CLASS_FENCE		(1u << 3)	/* MFENCE, SFENCE: waits for stores */
#define CLASS_PREFETCH		(1u << 4)
#define CLASS_TRAP		(1u << 5)	/* INTO: conditional trap */
#define CLASS_COMPARE		(1u << 6)	/* CMP (CLASS_TEST: TEST) that may fuse with the
						 * branch after it */
#define CLASS_TEST		(1u << 7)
#define CLASS_BEHIND_COMPARE	(1u << 8)	/* branch that fuses with a CMP
						 * (CLASS_BEHIND_TEST: TEST) */
#define CLASS_BEHIND_TEST	(1u << 9)
#define CLASS_STREAM		(1u << 10)	/* non-temporal store */
#define CLASS_PAUSE		(1u << 11)	/* PAUSE: waits for another CPU */

#define CLASSIFY_LONGEST	15	/* bytes; architectural maximum */

struct classes {
	uint8_t length;		/* bytes; 0: undefined or incomplete */
	uint8_t branch;		/* OCCURRENCE_KIND_* (model.h); 0: no branch */
	uint8_t loads, stores;	/* memory references, with those of the stack; of a repeated
				 * string, per iteration */
	uint8_t wide;		/* bytes of a single memory operand of 9 to 63 bytes that QEMU
				 * accesses in parts; else 0 */
	uint16_t kinds;
	struct pipes_class pipes;
	uint64_t raises;	/* set of cpu events (cpu_event.h) when it retires, without those
				 * of fusion and branches */
};

/* Returns true if the second instruction fuses with the one right before it. */
static inline bool classify_is_pair(unsigned first_kinds, const struct classes *second)
{
	return (first_kinds & CLASS_COMPARE && second->kinds & CLASS_BEHIND_COMPARE) ||
	       (first_kinds & CLASS_TEST && second->kinds & CLASS_BEHIND_TEST);
}

/* Returns the cpu events of the second instruction after one of these kinds. */
static inline uint64_t classify_raises(unsigned first_kinds, const struct classes *second)
{
	return classify_is_pair(first_kinds, second) ?
	       (second->raises & ~CPU_EVENT_SET(DECODED)) | CPU_EVENT_SET(FUSED) : second->raises;
}

/* `bits`: width of the code: 16, 32 or 64. */
struct classes classify(const uint8_t *bytes, size_t size, unsigned bits);

#endif
