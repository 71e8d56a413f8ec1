/* SPDX-License-Identifier: BSD-2-Clause */
/* References to memory that instructions, the register stack engine and the page walker make. */
#ifndef IA64_REFERENCES_H
#define IA64_REFERENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu.h"

enum ia64_reference_kind {
	REFERENCE_LOAD, REFERENCE_STORE, REFERENCE_SEMAPHORE, REFERENCE_PREFETCH,
	REFERENCE_CHECK_LOAD, /* a check load whose register is not in the ALAT: it reads memory */
	REFERENCE_CHECK_HIT,	/* a check load whose register is in the ALAT: it reads nothing */
	REFERENCE_RSE_LOAD, REFERENCE_RSE_STORE,
	REFERENCE_WALK,		/* the page walker reads an entry of the VHPT */
	REFERENCE_FLUSH,	/* fc flushes a line: it reads and writes no data */
	REFERENCE_DRAIN,	/* mf, fwb and ptc.g flush the write coalescing buffer: no data */
	REFERENCE_KINDS,
};
struct ia64_reference {
	enum ia64_reference_kind kind;
	uint8_t size;		/* bytes: 1 to 16 */
	bool is_float, hint;	/* of a floating-point register; with a hint that L1 need not keep
				 * the line */
	bool uncacheable;	/* of uncacheable or write-coalescing memory */
	bool coalesces;		/* a write of write-coalescing memory */
	bool owns;		/* ld.bias: a line that L2 lacks is read for ownership */
	uint64_t address;	/* of the data */
};

/* The maximum number of references between two retiring instructions. The instruction makes one.
 * The register stack engine makes one for each stacked register, and two for the collections of NaT
 * bits among them. */
#define REFERENCES	128

struct machine;
struct op;

/* Notes a reference of the executing instruction, or of the register stack engine for it. */
void ia64_see(struct machine *m, enum ia64_reference_kind kind, uint64_t address, unsigned size,
	      bool is_float);

/* The sum (selection.h) of one reference, while the machine follows neither caches nor TLBs. */
uint64_t ia64_sum_of_reference(struct machine *m, const struct ia64_reference *r);

/* Raises the events of an instruction's references, without those of the register stack engine.
 * Returns the latency of its load in cycles; 0: it loads nothing. */
unsigned ia64_raise_references(struct machine *m, const struct op *op, const struct occurrence *o);

/* Raises the events of the register stack engine's references, each in a cycle of its own. Then
 * forgets all references. */
void ia64_pass_stack_references(struct machine *m, const struct occurrence *o);

#endif
