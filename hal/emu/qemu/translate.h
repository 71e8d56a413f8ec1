/* SPDX-License-Identifier: BSD-2-Clause */
/* What QEMU reports of the code that it translates. */
#ifndef QEMU_TRANSLATE_H
#define QEMU_TRANSLATE_H

#include "isa.h"

enum follows {
	NOTHING,		/* no counter counts */
	BLOCKS,			/* blocks of instructions (block.h) */
	REFERRING_BLOCKS,	/* and their references to memory */
	INSTRUCTIONS,		/* each instruction */
	REFERENCES,		/* and its references to memory */
};

static inline bool follows_blocks(enum follows what)
{
	return what == BLOCKS || what == REFERRING_BLOCKS;
}

static inline bool follows_references(enum follows what)
{
	return what == REFERRING_BLOCKS || what == REFERENCES;
}

/* What QEMU calls before a block, after the branch that has led to it (its data is a struct block), before an
 * instruction, before one of a block that may be the first one of its line of code, and before an access to the PMU (a
 * struct instruction). */
struct callbacks {
	qemu_plugin_vcpu *block, *branched, *instruction, *fetch, *access;
};

/* Before all others. */
void translate_begin(void);

/* The vCPU translates a block: decodes its instructions, and asks for the callbacks. */
void translate(struct qemu_plugin_tb *qemu_block, struct cpu *c, const struct isa *isa, enum follows follows,
	       const struct callbacks *before);

#endif
