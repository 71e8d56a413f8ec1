/* SPDX-License-Identifier: BSD-2-Clause */
/* Callbacks in translated code. */
#ifndef QEMU_TRANSLATE_H
#define QEMU_TRANSLATE_H

#include "isa.h"

enum follows {
	NOTHING,		/* no counter counts */
	BLOCKS,			/* blocks of instructions (block.h) */
	REFERRING_BLOCKS,	/* blocks, and their memory references */
	INSTRUCTIONS,		/* each instruction */
	REFERENCES,		/* each instruction, and its memory references */
};

static inline bool follows_blocks(enum follows what)
{
	return what == BLOCKS || what == REFERRING_BLOCKS;
}

static inline bool follows_references(enum follows what)
{
	return what == REFERRING_BLOCKS || what == REFERENCES;
}

/* Callbacks. block: before a block; branched: before a block, if branch targets matter;
 * instruction: before an instruction; fetch: before an instruction of a block that may be the first
 * one in its line of code; access: before an access to the PMU. Data: a struct block for the first
 * two, else a struct instruction. */
struct callbacks {
	qemu_plugin_vcpu *block, *branched, *instruction, *fetch, *access;
};

/* Call before all others. */
void translate_begin(void);

/* Called when the vCPU translates a block: decodes its instructions and registers the callbacks. */
void translate(struct qemu_plugin_tb *qemu_block, struct cpu *c, const struct isa *isa,
	       enum follows follows, const struct callbacks *before);

#endif
