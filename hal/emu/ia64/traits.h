/* SPDX-License-Identifier: BSD-2-Clause */
/* Traits of instructions: properties that matter to the performance monitor, the timed clock, and
 * predication. */
#ifndef IA64_TRAITS_H
#define IA64_TRAITS_H

#include "encoding.h"

enum ia64_traits {
	/* Traits of a decoded instruction (op.traits). */
	TRAIT_NOP = 1 << 0,		/* NOPS_RETIRED counts it */
	TRAIT_BRANCH = 1 << 1,		/* a branch that the front end predicts */
	TRAIT_CHECK_ADVANCED = 1 << 2,	/* chk.a */
	TRAIT_CHECK_SPECULATIVE = 1 << 3,	/* chk.s */
	TRAIT_FLOAT = 1 << 4,		/* a check (chk.a, chk.s) of a floating-point register */
	TRAIT_MULTIWAY = 1 << 5,	/* its bundle has several B slots */
	TRAIT_HINT = 1 << 6,		/* a memory reference with a locality hint: the L1 cache
					 * does not keep it */
	TRAIT_WEIGHT = 1 << 7,		/* FP_OPS_RETIRED counts it */
	TRAIT_OTHER = 1 << 8,		/* srlz.i, rfi, brp: each needs ia64_retire */
	TRAIT_ANY = 1 << 9,		/* set for each instruction */
	TRAIT_NOT_B = 1 << 10,		/* an instruction that is not in a B slot */
	/* Traits that ia64_retire_simply can handle. */
	TRAITS_SIMPLE = TRAIT_NOP | TRAIT_BRANCH | TRAIT_FLOAT | TRAIT_MULTIWAY | TRAIT_HINT |
	TRAIT_ANY | TRAIT_NOT_B,

	/* Traits of a format only. A format has TRAIT_HINT if it has a field for the locality
	 * hint. */
	TRAIT_FIRST_UNIT = 1 << 16,	/* only the first unit of its kind executes it */
	TRAIT_ALWAYS = 1 << 17,		/* with a false predicate it writes its target predicates,
					 * or ends a loop */
	TRAIT_UNPREDICATED = 1 << 18,	/* it has no qualifying predicate */
};

/* The weight of a format's operations in FP_OPS_RETIRED_HI (7.8), 0 to 4, in bits 31:24 of its
 * traits. */
#define TRAIT_WEIGHS(weight)	((uint32_t)(weight) << 24)
#define TRAITS_WEIGHT(traits)	((uint8_t)((traits) >> 24))

struct op;
struct processor;

/* Sets a decoded instruction's fields for traits, weight, latency and registers. `unit`: the unit
 * of its slot. */
void ia64_set_traits(const struct processor *processor, struct op *op,
		     const struct bundle_template *bundle, enum unit unit);

#endif
