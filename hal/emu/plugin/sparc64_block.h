/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of SPARC code, as the emulator translates them: instructions that follow each other. */
#ifndef PLUGIN_SPARC64_BLOCK_H
#define PLUGIN_SPARC64_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "happening.h"
#include "sparc64_class.h"

#define SPARC64_NOWHERE		1	/* no instruction's address */

struct sparc64_block {
	struct sparc64_block *next;
	struct sparc64_block *before;	/* in this quantum: the one that was executed first before this one was */
	uint64_t begun, left;		/* in this quantum; how often it was left in its midst */
	uint64_t taken;			/* how often its conditional branch has gone to its target */
	uint64_t address;
	uint64_t target;		/* its conditional branch's; SPARC64_NOWHERE: it has none */
	uint64_t goes_to;		/* where the next block begins if that goes, unless */
	bool cut;			/* its delay slot is the next block's first instruction */
	int asi, asi_behind;		/* what the ASI register holds, as far as known: only the last one changes it */
	uint16_t raises[HAPPENING_INSTRUCTIONS];	/* by its instructions, but for that branch */
	size_t branch;			/* which instruction that is */
	size_t seen;			/* which one is predicted, of the last two; `count`: none that may go */
	uint8_t kind;			/* of that: OCCURRENCE_KIND_* */
	bool annuls;			/* and whether it has no delay slot, or has one of its own if it goes */
	struct sparc64_block *part;	/* some of its first instructions; of which others may be parts */
	size_t count;
	uint32_t instruction[];
};

/* Makes one of so many instructions, where the ASI register holds this, or SPARC64_ASI_UNKNOWN. */
struct sparc64_block *sparc64_block_make(uint64_t address, const uint32_t *instructions, size_t count, int asi);

/* As many first instructions of a block. */
struct sparc64_block *sparc64_block_part(struct sparc64_block *block, size_t count);

/* What one of its instructions is. */
struct sparc64_class sparc64_block_class(const struct sparc64_block *block, size_t number);

/* Whether the delay slot of the branch that is predicted is in the next block. */
static inline bool sparc64_block_is_cut(const struct sparc64_block *block)
{
	return block->seen + 1 == block->count && !block->annuls;
}

/* What has been translated is thrown away, but for blocks that have begun in this quantum. */
void sparc64_flush(void);

#endif
