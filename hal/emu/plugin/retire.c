// SPDX-License-Identifier: BSD-2-Clause
// What retires of the guests' blocks: retire.h.

#include "retire.h"

static bool issues;		// a counter looks at what the instructions raise in the pipes

static uint64_t raises_of(const struct retires *r, const struct block *block, size_t number)
{
	return block_raises(block, number, &r->before) | (issues ? issued_raises[number] : 0);
}

// The first ones of a block have retired: what they raise is added up.
static void sum(struct feed *f, const struct retires *r, const struct block *block, size_t count)
{
	if (count == block->count && !block_depends(block, &r->before)) {
		feed_block(f, block);
		return;
	}
	for (size_t n = 0; n < count; n++)
		feed_sum(f, block_raises(block, n, &r->before));
}

// Likewise: they are handed on one by one. The block's branch may be the last of them.
static void retire_each(struct feed *f, const struct retires *r, const struct block *block, size_t count,
			uint64_t position, const struct feed_instruction *branch)
{
	struct feed_instruction i = {.position = position, .ip = block->address};

	for (size_t n = 0; n < count; i.ip += block->instruction[n++].length) {
		if (branch && n == block->count - 1)
			i = *branch;
		else
			i.position++;
		i.raises = raises_of(r, block, n);
		feed_instruction(f, &i);
	}
}

void retire(unsigned cpu, struct retires *r, const struct block *block, size_t retired, uint64_t next, bool is_last)
{
	struct feed *f = &feeds[cpu];
	const size_t fed = retired - is_last;
	const bool branches = retired == block->count && block->instruction[retired - 1].branch;
	struct feed_instruction last;

	issues = f->counted & PIPES_RAISE;
	if (issues)
		issued_retire(&r->issuing, block, retired, &r->before);
	if (is_last || branches)
		last = retire_last_of(cpu, block, retired - 1, next);
	if (!feed_matters(f))
		return;
	if (f->in_order || issues)
		retire_each(f, r, block, fed, f->position - retired, branches ? &last : NULL);
	else
		sum(f, r, block, fed);
	if (is_last) {
		f->last = last;
		f->last.raises = raises_of(r, block, retired - 1);
	} else if (branches && !f->in_order) {
		feed_branch(f, &last);
	}
}

void retire_late(unsigned cpu, const struct retires *r, const struct block *block, uint64_t next)
{
	struct feed *f = &feeds[cpu];
	struct feed_instruction i = retire_last_of(cpu, block, block->count - 1, next);

	issues = false;
	i.raises = raises_of(r, block, block->count - 1);
	feed_instruction(f, &i);
	if (i.branch && !f->in_order)
		feed_branch(f, &i);
}
