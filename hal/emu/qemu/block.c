// SPDX-License-Identifier: BSD-2-Clause
// Blocks that execute without steps: block.h.

#include "block.h"

#include "allocate.h"
#include "batch.h"
#include "cycle.h"

uint64_t block_ended;
struct cpu *block_opened;
static const struct block *opened;	// the open block, and its linear address
static uint64_t opened_at;
uint64_t (*block_goes_on_at)(const struct cpu *c);

struct block *block_new(size_t count)
{
	struct block *b = allocate(sizeof *b + count * sizeof *b->instruction);

	b->count = (unsigned)count;
	return b;
}

static uint64_t offset_of(const struct block *b, unsigned number)
{
	return b->instruction[number].translated_at - b->instruction[0].translated_at;
}

// Its raises, where the instruction before it is the one before it in the block.
static uint64_t raises_inside(const struct block *b, unsigned number)
{
	const struct instruction *i = &b->instruction[number];
	const bool pair = classify_is_pair(i[-1].is.kinds, &i->is);

	return pair ? (i->is.raises & ~HAPPENING_SET(DECODED)) | HAPPENING_SET(FUSED) : i->is.raises;
}

static bool needs_steps(const struct instruction *i, bool last)
{
	return i->access || i->before_string || i->is.kinds & (CLASS_REPEATED | CLASS_HALT) ||
	       (!last && (i->is.branch || i->traps));
}

void block_complete(struct block *b)
{
	uint16_t n[64] = {0};

	for (unsigned k = 0; k < b->count; k++) {
		const struct instruction *i = &b->instruction[k];
		const bool last = k + 1 == b->count;

		b->steps |= needs_steps(i, last);
		b->numbers |= last ? 0 : i->is.raises & CYCLE_NUMBERS;
		for (uint64_t rest = k && !last ? raises_inside(b, k) : 0; rest; rest &= rest - 1)
			n[__builtin_ctzll(rest)]++;
	}
	for (unsigned what = 0; what < 64; what++)
		if (n[what]) {
			b->sum[b->sums].what = (uint8_t)what;
			b->sum[b->sums++].n = n[what];
		}
}

void block_open(struct cpu *c, const struct block *b, uint64_t address)
{
	block_ended = 0;
	block_opened = c;
	opened = b;
	opened_at = address;
	c->current = NULL;
	c->exceptions = 0;
}

// How many have retired, if it goes on there.
static unsigned retired_before(const struct block *b, uint64_t behind)
{
	unsigned count = 0;

	while (count + 1 < b->count && offset_of(b, count) != behind)
		count++;
	return count;
}

static void retire(struct cpu *c, const struct block *b, unsigned count)
{
	const struct instruction *const last = &b->instruction[count - 1];

	c->address = opened_at;
	cycle_add_first(c, &b->instruction[0]);
	if (count == b->count - 1)
		for (unsigned i = 0; i < b->sums; i++)
			batch_add_many(c, b->sum[i].what, b->sum[i].n);
	else
		for (unsigned k = 1; k < count; k++)
			batch_add(c, raises_inside(b, k));
	c->quiet += count;
	c->retired += count;
	c->retired_at = opened_at + offset_of(b, count - 1);
	c->last_next = c->retired_at + last->size;
	c->last_kinds = last->is.kinds;
	for (unsigned k = b->numbers ? 0 : count; k < count; k++)
		if (b->instruction[k].is.raises & b->numbers)
			c->last_numbers = b->instruction[k].is.raises & b->numbers;
}

void block_close(uint64_t address)
{
	struct cpu *const c = block_opened;
	const struct block *b = opened;
	const bool ended = block_ended == (uintptr_t)b;
	const unsigned count = ended ? b->count - 1 : retired_before(b, address - opened_at);

	block_opened = NULL;
	if (count)
		retire(c, b, count);
	c->current = ended ? &b->instruction[count] : NULL;
	c->address = opened_at + offset_of(b, count);
	c->next_level = b->instruction[count].level;
	c->first_access = 0;
}

void block_leave(void)
{
	block_close(block_goes_on_at(block_opened));
}
