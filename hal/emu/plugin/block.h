/* SPDX-License-Identifier: BSD-2-Clause */
/* Code as the emulator translates it: blocks of instructions that it executes one after the other. A branch is a
 * block's last instruction. */
#ifndef PLUGIN_BLOCK_H
#define PLUGIN_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "classify.h"
#include "happening.h"

struct block {
	struct block *next, *beside;	/* the next one of all; of those whose addresses are alike (block_at) */
	uint64_t address;	/* linear */
	uint64_t end;		/* its last instruction, */
	uint64_t behind;	/* and what is behind that */
	uint64_t target;	/* of its branch, if that has one that is known: these bits of it */
	uint64_t target_bits;
	size_t count;
	uint8_t branches[2];	/* its branch is this happening, if it leads to `behind`, and elsewhere; */
	uint8_t led[2];		/* and this, as struct occurrence says it; 0: it has none */
	bool traps;		/* one of its instructions may go elsewhere (CLASS_TRAP) */
	size_t numbers;		/* its first x87 or MMX instruction, by number; `count`: it has none */
	uint64_t raised;	/* what its instructions raise, as `instruction` says, and how many of them do each */
	uint16_t raises[HAPPENING_INSTRUCTIONS];
	struct classes instruction[];
};

/* What has retired before: on it depends what an instruction is. */
struct block_before {
	uint64_t behind;	/* the address behind the last instruction, */
	unsigned kinds;		/* which was that; */
	uint64_t numbers;	/* X87 or MMX: which of them was last */
	bool interrupted;	/* behind all that, an exception or an interrupt has come */
};

/* What the instruction of this number raises, if all that has retired before it is `before`, and the block's own. */
uint64_t block_raises(const struct block *block, size_t number, const struct block_before *before);

/* So many of its instructions have retired, the first ones. */
void block_retires(const struct block *block, size_t count, struct block_before *before);

/* Whether, because of what comes before the block, that is something else than its instructions say. */
#define BLOCK_NUMBERS	(HAPPENING_SET(X87) | HAPPENING_SET(MMX))
static inline bool block_depends(const struct block *block, const struct block_before *before)
{
	return before->interrupted ||
	       (before->behind == block->address && classify_is_pair(before->kinds, &block->instruction[0])) ||
	       (block->numbers < block->count && before->numbers &&
		before->numbers != (block->instruction[block->numbers].raises & BLOCK_NUMBERS));
}

/* Makes one; `sizes` of the instructions whose bytes these are. */
struct block *block_make(uint64_t address, const uint8_t *bytes, const uint8_t *sizes, size_t count);

/* Frees all that have been made but those that `is_kept` says are still needed. */
void block_free_all(int (*is_kept)(const struct block *block));

/* Those that have been made, and may be at this address: the first one, and what is beside that. */
const struct block *block_at(uint64_t address);

/* The most instructions that do each of these in one block of all. */
extern uint16_t block_most[HAPPENING_INSTRUCTIONS];

/* The address of an instruction, by its number. */
uint64_t block_address(const struct block *block, size_t number);

/* The code that is translated next is most likely this wide. */
void block_expect_width(unsigned bits);

#endif
