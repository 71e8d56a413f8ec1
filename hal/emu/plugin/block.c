// SPDX-License-Identifier: BSD-2-Clause
// Blocks of code: block.h.

#include "block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct block *blocks;
static unsigned expected = 64;

// A displacement, the last bytes of the instruction before `end`.
static int64_t displacement(const uint8_t *end, unsigned size)
{
	uint64_t value = 0;

	memcpy(&value, end - size, size);
	return (int64_t)(value << (64 - 8 * size)) >> (64 - 8 * size);
}

struct block *block_make(uint64_t address, const uint8_t *bytes, const uint8_t *sizes, size_t count)
{
	const unsigned bits = classify_width(bytes, sizes, count, expected);
	struct block *block = malloc(sizeof *block + count * sizeof *block->instruction);

	if (!block) {
		fprintf(stderr, "palmon plugin: no memory\n");
		exit(1);
	}
	*block = (struct block){.next = blocks, .address = address, .behind = address, .count = count};
	// A segment of 16-bit code may begin anywhere, and instruction pointers wrap in it.
	block->target_bits = bits == 16 ? UINT16_MAX : bits == 32 ? UINT32_MAX : UINT64_MAX;
	blocks = block;
	for (struct classes *c = block->instruction; count; c++, count--) {
		*c = classify(bytes, *sizes, bits ? bits : expected);
		c->length = *sizes;
		bytes += *sizes;
		block->end = block->behind;
		block->behind += *sizes++;
		if (c->target)
			block->target = block->behind + (uint64_t)displacement(bytes, c->target);
	}
	return block;
}

void block_free_all(int (*is_kept)(const struct block *block))
{
	struct block *kept = NULL;

	for (struct block *block = blocks, *next; block; block = next) {
		next = block->next;
		if (is_kept(block)) {
			block->next = kept;
			kept = block;
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
