// SPDX-License-Identifier: BSD-2-Clause
// Blocks of code: block.h.

#include "block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vpmu.h"

#define PLACES 16384		// by the lowest bits of their addresses

static struct block *blocks, *places[PLACES];
uint16_t block_most[HAPPENING_INSTRUCTIONS];
static unsigned expected = 64;

// A displacement, the last bytes of the instruction before `end`.
static int64_t displacement(const uint8_t *end, unsigned size)
{
	uint64_t value = 0;

	memcpy(&value, end - size, size);
	return (int64_t)(value << (64 - 8 * size)) >> (64 - 8 * size);
}

// What an instruction raises behind one of these kinds, and behind x87 and MMX instructions of which this was the last.
static uint64_t raises_behind(const struct classes *c, unsigned kinds, uint64_t numbers)
{
	uint64_t raises = c->raises;

	if (classify_is_pair(kinds, c))
		raises = (raises & ~HAPPENING_SET(DECODED)) | HAPPENING_SET(FUSED);
	if (raises & HAPPENING_SET(X87) && numbers & HAPPENING_SET(MMX))
		raises |= HAPPENING_SET(X87_BEHIND_MMX);
	if (raises & HAPPENING_SET(MMX) && numbers & HAPPENING_SET(X87))
		raises |= HAPPENING_SET(MMX_BEHIND_X87);
	return raises;
}

// Of the instructions of a new block, as if nothing came before it.
static void add_up(struct block *block)
{
	unsigned kinds = 0;
	uint64_t numbers = 0;

	block->numbers = block->count;
	for (size_t i = 0; i < block->count; i++) {
		struct classes *c = &block->instruction[i];

		c->raises = raises_behind(c, kinds, numbers);
		kinds = c->kinds;
		if (c->raises & BLOCK_NUMBERS) {
			numbers = c->raises & BLOCK_NUMBERS;
			if (block->numbers == block->count)
				block->numbers = i;
		}
		block->raised |= c->raises;
		for (uint64_t rest = c->raises; rest; rest &= rest - 1)
			block->raises[__builtin_ctzll(rest)]++;
	}
	for (size_t i = 0; i < HAPPENING_INSTRUCTIONS; i++)
		if (block_most[i] < block->raises[i])
			block_most[i] = block->raises[i];
}

static void enter(struct block *block, struct block **list)
{
	struct block **place = &places[block->address % PLACES];

	block->next = *list;
	*list = block;
	block->beside = *place;
	*place = block;
}

const struct block *block_at(uint64_t address)
{
	return places[address % PLACES];
}

uint64_t block_raises(const struct block *block, size_t number, const struct block_before *before)
{
	const bool follows = number == 0 && before->behind == block->address;

	return raises_behind(&block->instruction[number], follows ? before->kinds : 0,
			     number == block->numbers ? before->numbers : 0) |
	       (number == 0 && before->interrupted ? HAPPENING_SET(INTERRUPTED) : 0);
}

void block_retires(const struct block *block, size_t count, struct block_before *before)
{
	size_t i = count;

	before->interrupted = false;
	before->behind = count == block->count ? block->behind : block_address(block, count);
	before->kinds = block->instruction[count - 1].kinds;
	while (i > block->numbers)
		if (block->instruction[--i].raises & BLOCK_NUMBERS) {
			before->numbers = block->instruction[i].raises & BLOCK_NUMBERS;
			break;
		}
}

// Its branch, if it leads elsewhere, or to what is behind it. What is not conditional is taken all the same.
static void lead(struct block *block, bool elsewhere)
{
	const uint8_t kind = block->instruction[block->count - 1].branch;
	const bool taken = elsewhere || kind != OCCURRENCE_KIND_CONDITIONAL;

	block->led[elsewhere] = kind ? OCCURRENCE_BRANCH | kind | (taken ? OCCURRENCE_TAKEN : 0) : 0;
	block->branches[elsewhere] = (uint8_t)vpmu_branch_happening(block->led[elsewhere]);
}

struct block *block_make(uint64_t address, const uint8_t *bytes, const uint8_t *sizes, size_t count)
{
	const unsigned bits = classify_width(bytes, sizes, count, expected);
	struct block *block = malloc(sizeof *block + count * sizeof *block->instruction);

	if (!block) {
		fprintf(stderr, "palmon plugin: no memory\n");
		exit(1);
	}
	*block = (struct block){.address = address, .behind = address, .count = count};
	enter(block, &blocks);
	// A segment of 16-bit code may begin anywhere, and instruction pointers wrap in it.
	block->target_bits = bits == 16 ? UINT16_MAX : bits == 32 ? UINT32_MAX : UINT64_MAX;
	for (struct classes *c = block->instruction; c < block->instruction + count; c++) {
		*c = classify(bytes, *sizes, bits ? bits : expected);
		c->length = *sizes;
		block->traps |= c->kinds & CLASS_TRAP;
		bytes += *sizes;
		block->end = block->behind;
		block->behind += *sizes++;
		if (c->target)
			block->target = block->behind + (uint64_t)displacement(bytes, c->target);
	}
	for (unsigned elsewhere = 0; elsewhere < 2; elsewhere++)
		lead(block, elsewhere);
	add_up(block);
	return block;
}

void block_free_all(int (*is_kept)(const struct block *block))
{
	struct block *kept = NULL;

	memset(places, 0, sizeof places);
	for (struct block *block = blocks, *next; block; block = next) {
		next = block->next;
		if (is_kept(block)) {
			enter(block, &kept);
		} else {
			free(block);
		}
	}
	blocks = kept;
}

uint64_t block_address(const struct block *block, size_t number)
{
	uint64_t address = block->address;

	for (size_t i = 0; i < number; i++)
		address += block->instruction[i].length;
	return address;
}

void block_expect_width(unsigned bits)
{
	expected = bits;
}
