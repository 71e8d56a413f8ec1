/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of an instruction's encoding that matter to the performance monitor. */
#ifndef IA64_TRAITS_H
#define IA64_TRAITS_H

#include "encoding.h"

enum ia64_traits {
	TRAIT_NOP = 1 << 0,		/* NOPS_RETIRED counts it */
	TRAIT_BRANCH = 1 << 1,
	TRAIT_CHECK_ADVANCED = 1 << 2,	/* chk.a */
	TRAIT_CHECK_SPECULATIVE = 1 << 3,
	TRAIT_FLOAT = 1 << 4,		/* a check of a floating-point register */
	TRAIT_MULTIWAY = 1 << 5,	/* its bundle has several B slots */
	TRAIT_HINT = 1 << 6,		/* a memory reference that the L1 cache is not to keep */
	TRAIT_WEIGHT = 1 << 7,		/* FP_OPS_RETIRED counts it */
	TRAIT_OTHER = 1 << 8,		/* srlz.i, rfi, brp */
	TRAIT_ANY = 1 << 9,		/* each instruction has it, */
	TRAIT_NOT_B = 1 << 10,		/* each that is not of a B slot */
	TRAITS_SIMPLE = TRAIT_NOP | TRAIT_BRANCH | TRAIT_FLOAT | TRAIT_MULTIWAY | TRAIT_HINT | TRAIT_ANY | TRAIT_NOT_B,
};

struct op;
struct processor;

/* Sets the properties of an instruction in a slot for this unit. */
void ia64_set_traits(const struct processor *processor, struct op *op, const struct bundle_template *bundle,
		     enum unit unit);

#endif
