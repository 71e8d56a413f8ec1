// SPDX-License-Identifier: BSD-2-Clause
// Blocks of SPARC code: sparc64_block.h.

#include "sparc64_block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sparc64_block *blocks;

struct sparc64_class sparc64_block_class(const struct sparc64_block *block, size_t number)
{
	return sparc64_classify(block->instruction[number], block->asi);
}

// Its conditional branch is the last instruction, or the one before it. If it annuls its delay slot, that is executed
// if it goes.
static void find_branch(struct sparc64_block *block, size_t number, const struct sparc64_class *c)
{
	const uint64_t address = block->address + number * SPARC64_INSTRUCTION;
	const bool last = number + 1 == block->count;

	block->branch = number;
	block->target = address + (uint64_t)(int64_t)c->displacement;
	block->cut = last && !c->annuls;
	block->goes_to = block->cut ? SPARC64_NOWHERE : last ? address + SPARC64_INSTRUCTION : block->target;
}

struct sparc64_block *sparc64_block_make(uint64_t address, const uint32_t *instructions, size_t count, int asi)
{
	struct sparc64_block *block = malloc(sizeof *block + count * sizeof *block->instruction);

	if (!block) {
		fprintf(stderr, "palmon plugin: no memory\n");
		exit(1);
	}
	*block = (struct sparc64_block){
		.next = blocks, .address = address, .target = SPARC64_NOWHERE, .goes_to = SPARC64_NOWHERE,
		.count = count, .asi = asi, .seen = count,
	};
	blocks = block;
	memcpy(block->instruction, instructions, count * sizeof *instructions);
	for (size_t i = 0; i < count; i++) {
		const struct sparc64_class c = sparc64_block_class(block, i);
		uint64_t raises = c.raises;

		if (c.branch && c.goes != SPARC64_NEVER && i + 2 >= count) {
			block->seen = i;
			block->kind = c.branch;
			block->annuls = c.annuls;
		}
		if (c.goes == SPARC64_IF)
			find_branch(block, i, &c);
		else
			raises |= sparc64_branch_raises(&c, c.goes == SPARC64_ALWAYS);
		for (; raises; raises &= raises - 1)
			block->raises[__builtin_ctzll(raises)]++;
		block->asi_behind = sparc64_asi_behind(&c, block->instruction[i], asi);
	}
	return block;
}

struct sparc64_block *sparc64_block_part(struct sparc64_block *block, size_t count)
{
	struct sparc64_block *part = block;

	while (part->part && part->count != count)
		part = part->part;
	if (part->count != count) {
		part->part = sparc64_block_make(block->address, block->instruction, count, block->asi);
		part = part->part;
	}
	return part;
}

void sparc64_flush(void)
{
	struct sparc64_block *kept = NULL;

	for (struct sparc64_block *block = blocks, *next; block; block = next) {
		next = block->next;
		if (block->begun) {
			block->part = NULL;
			block->next = kept;
			kept = block;
		} else {
			free(block);
		}
	}
	blocks = kept;
}
