/* SPDX-License-Identifier: BSD-2-Clause */
/* References to memory that instructions, the register stack engine and the page walker make. */
#ifndef IA64_REFERENCES_H
#define IA64_REFERENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu.h"

enum ia64_reference_kind {
	REFERENCE_LOAD, REFERENCE_STORE, REFERENCE_SEMAPHORE, REFERENCE_PREFETCH,
	REFERENCE_CHECK_LOAD,	/* the ALAT does not have its register: it loads */
	REFERENCE_CHECK_HIT,	/* the ALAT has it: memory is not read */
	REFERENCE_RSE_LOAD, REFERENCE_RSE_STORE,
	REFERENCE_WALK,		/* the page walker reads an entry */
	REFERENCE_FLUSH,	/* fc: no data is read or written */
	REFERENCE_KINDS,
};
struct ia64_reference {
	enum ia64_reference_kind kind;
	uint8_t size;		/* bytes */
	bool is_float, hint;	/* hint: that the L1 cache is not to keep it */
	bool uncacheable;	/* or write-coalescing memory */
	uint64_t address;
};

/* An instruction makes one itself. The register stack engine makes as many as there are stacked registers, and two for
 * the collections of NaT bits among them. */
#define REFERENCES	128

struct machine;
struct op;

/* The executing instruction makes a reference. */
void ia64_see(struct machine *m, enum ia64_reference_kind kind, uint64_t address, unsigned size, bool is_float);

/* The addend of a reference in a cycle's sum, while neither caches nor TLBs are followed. */
uint64_t ia64_sum_of_reference(struct machine *m, const struct ia64_reference *r);

/* Raises the events of all references of an instruction but the register stack engine's. Returns how many cycles it
 * takes to load. */
unsigned ia64_raise_references(struct machine *m, const struct op *op, const struct occurrence *o);

/* Those of the register stack engine, each in a cycle of its own. Forgets all references. */
void ia64_pass_stack_references(struct machine *m, const struct occurrence *o);

#endif
