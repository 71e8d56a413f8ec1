/* SPDX-License-Identifier: BSD-2-Clause */
/* Dispersal of instructions to execution units. */
#ifndef IA64_DISPERSAL_H
#define IA64_DISPERSAL_H

#include "encoding.h"

/* Kinds of units. The units of a kind are numbered from 0. */
enum ia64_port { PORT_M, PORT_I, PORT_F, PORT_B, PORTS };
#define NO_UNIT	~0U

/* Dispersal rules of an instruction, as bits. */
enum ia64_dispersal {
	DISPERSE_FIRST = 1 << 0,	/* only the first unit of its kind executes it */
	DISPERSE_THIRD = 1 << 1,	/* an I instruction in the third slot */
	DISPERSE_BEGINS = 1 << 2,	/* no instruction precedes it in its cycle */
	DISPERSE_ENDS = 1 << 3,		/* no instruction follows it in its cycle */
};

struct machine;
struct op;

/* Decodes op->dispersal and op->branch_unit. */
void ia64_set_dispersal(struct op *op, const struct bundle_template *bundle, unsigned slot);

/* The unit that would execute an instruction of the cycle's first (`bundle` 0) or second bundle, or
 * NO_UNIT. */
unsigned ia64_find_unit(const struct machine *m, const struct op *op, enum ia64_port port,
			unsigned bundle);

#endif
