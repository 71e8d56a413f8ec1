// SPDX-License-Identifier: BSD-2-Clause
// Blocks that execute without a callback: block.h.

#include "block.h"

#include <stdlib.h>

#include "allocate.h"
#include "batch.h"
#include "cycle.h"
#include "vpmu.h"

uint64_t (*block_goes_on_at)(const struct cpu *c), (*block_left_at)(const struct cpu *c);

struct block *block_new(struct cpu *c, size_t count)
{
	struct block *b = allocate(sizeof *b + count * sizeof *b->instruction);

	b->of = c;
	b->count = (unsigned)count;
	b->next = c->translated;
	c->translated = b;
	return b;
}

//
// Sums
//

// Each summed cpu event has a field of 16 bits; an instruction raises it at most once.
#define SUM_BITS	16
#define SUM_PARTS	(64 / SUM_BITS)
_Static_assert(BLOCK_ROOM <= 1u << SUM_BITS, "no part overflows");

static uint64_t added;			// set of summed cpu events
static bool branches_ask;
static uint8_t part_of[64];		// by cpu event: index of its field, fixed once assigned
static uint8_t parts;

bool block_asks_branches(void)
{
	return branches_ask;
}

bool block_add_up(uint64_t cpu_events, bool ask)
{
	if (!(cpu_events & ~added) && ask <= branches_ask)
		return false;
	for (uint64_t rest = cpu_events & ~added; rest; rest &= rest - 1)
		part_of[__builtin_ctzll(rest)] = parts++;
	added |= cpu_events;
	branches_ask |= ask;
	return true;
}

void block_add_up_nothing(void)
{
	added = 0;
	parts = 0;
	branches_ask = false;
}

// The cpu events that an instruction of a block adds to the sums; a branch counts as taken.
static uint64_t adds(const struct block *b, unsigned number)
{
	const struct instruction *i = &b->instruction[number];

	return cycle_taken(i) | classify_raises(number ? i[-1].is.kinds : 0, &i->is);
}

void block_sums(const struct block *b, uint64_t sum[BLOCK_SUMS])
{
	for (unsigned n = 0; n < BLOCK_SUMS; n++)
		sum[n] = 0;
	for (unsigned k = 0; k < b->count; k++)
		for (uint64_t rest = adds(b, k) & added; rest; rest &= rest - 1) {
			const unsigned part = part_of[__builtin_ctzll(rest)];

			sum[part / SUM_PARTS] += 1ULL << part % SUM_PARTS * SUM_BITS;
		}
}

// Returns true if this instruction needs a callback. Within a block, an instruction's events may
// depend on the one before it; for the first instruction of a block, the one before is unknown.
static bool needs_steps(const struct instruction *i, bool last, bool refers)
{
	const unsigned kinds = CLASS_REPEATED | CLASS_HALT | CLASS_PAUSE |
		(refers ? CLASS_FENCE | CLASS_PREFETCH : 0);

	return i->access || i->before_string || i->is.kinds & kinds ||
	       (last ? i->is.kinds & (CLASS_COMPARE | CLASS_TEST) || i->is.raises & CYCLE_NUMBERS :
		       i->is.branch || i->traps);
}

void block_complete(struct block *b, bool refers)
{
	for (unsigned k = 0; k < b->count; k++) {
		const struct instruction *i = &b->instruction[k];
		const uint64_t numbers = i->is.raises & CYCLE_NUMBERS;

		b->steps |= needs_steps(i, k + 1 == b->count, refers);
		b->numbers = numbers ? numbers : b->numbers;
	}
}

//
// Execution
//

void block_open(struct cpu *c, const struct block *b, uint64_t most)
{
	struct blocks *s = &c->blocks;

	s->given = most < BLOCK_ROOM ? (uint32_t)most : BLOCK_ROOM - 1;
	s->level = b->instruction[0].level;
	s->room[s->level] = BLOCK_ROOM - s->given;
	s->ended = s->numbers = NULL;
	s->referring = NULL;
	for (unsigned n = 0; n < BLOCK_SUMS; n++)
		s->sum[n] = 0;
	c->current = NULL;
	c->exceptions = 0;
}

//
// Memory references
//

// Adds the effects of the last referring instruction, which has retired.
static void take_effects(struct cpu *c)
{
	if (c->load.is) {
		batch_add_referred(c, c->load.source, 1);
		batch_add_referred(c, CPU_EVENT_LOAD_TLB_MISS, c->load.translated);
		batch_add_referred(c, CPU_EVENT_LOAD_SLOW, cycle_load_is_slow(c));
	}
	c->load.is = false;
	for (const struct effect *e = c->effects.effect; e < c->effects.effect + c->effects.count;
	     e++)
		batch_add_referred(c, (enum cpu_event)e->what, e->n);
	c->effects.count = 0;
	c->blocks.referring = NULL;
}

bool block_refers(struct cpu *c, const struct instruction *i)
{
	struct blocks *const s = &c->blocks;

	if (!s->given)
		return false;
	if (s->referring && s->referred != s->begun)
		take_effects(c);
	s->referring = i;
	s->referred = s->begun;
	return true;
}

// The same, unless `begun` is that instruction: it has not retired yet.
static void take_effects_but(struct cpu *c, const struct instruction *begun)
{
	const struct blocks *const s = &c->blocks;

	if (s->referring && (s->referring != begun || s->referred != s->begun))
		take_effects(c);
}

static uint64_t address_of(const struct block *b, unsigned number)
{
	return b->instruction[number].translated_at;
}

// Adds completed blocks, `count` instructions in all. The last of them has begun; it has retired if
// another block has begun since.
static void take_ended(struct cpu *c, uint64_t count)
{
	const struct block *const b = c->blocks.ended;
	const unsigned number = b ? b->count - 1 : 0;
	const struct instruction *const last = b ? &b->instruction[number] : NULL;

	for (uint64_t rest = added & c->core->signals.counted_set; rest; rest &= rest - 1) {
		const unsigned what = (unsigned)__builtin_ctzll(rest), part = part_of[what];

		batch_add_many(c, what,
			       c->blocks.sum[part / SUM_PARTS] >> part % SUM_PARTS * SUM_BITS &
			       ((1u << SUM_BITS) - 1));
	}
	if (c->blocks.numbers)
		c->last_numbers = c->blocks.numbers->numbers;
	c->quiet += count;
	c->retired += count;
	c->interrupted &= count == 1 && !c->blocks.open;
	if (!b) {			// see block_branched: the last instruction was a branch
		c->last_next = 0;
		return;
	}
	c->next_level = last->level;
	if (c->blocks.open) {
		c->last_next = address_of(b, number) + last->size;
		c->last_kinds = last->is.kinds;
		return;
	}
	batch_take_back(c, adds(b, number) & added);
	c->quiet--;
	c->retired--;
	c->current = last;
	c->address = address_of(b, number);
	c->last_next = c->address;
	c->last_kinds = number ? last[-1].is.kinds : 0;
	c->first_access = 0;
}

void block_branched(struct cpu *c, const struct block *to)
{
	const struct block *const b = c->blocks.ended;
	const struct instruction *const last = b ? &b->instruction[b->count - 1] : NULL;

	if (!c->blocks.given || !last || !last->is.branch)
		return;
	cycle_add_outcome(c, last, address_of(to, 0));
	batch_take_back(c, cycle_taken(last) & added);
	c->blocks.ended = NULL;
}

uint64_t block_take(struct cpu *c)
{
	struct blocks *s = &c->blocks;
	const uint64_t room = s->room[s->level], given = s->given;
	const uint64_t count = (room & (2 * BLOCK_ROOM - 1)) - (BLOCK_ROOM - given);

	s->room[s->level] = BLOCK_ROOM;
	s->given = 0;
	if (!given)
		return 0;
	s->open = (const struct block *)(uintptr_t)(room >> BLOCK_OPEN &
						    -(uint64_t)MODEL_ALIGNMENT);
	if (count)
		take_ended(c, count);
	if (!s->open)
		take_effects_but(c, c->current);
	return count;
}

// Retires the first `count` instructions of the open block.
static void retire(struct cpu *c, const struct block *b, unsigned count)
{
	const struct instruction *const last = &b->instruction[count - 1];

	c->address = address_of(b, 0);
	cycle_add_first(c, &b->instruction[0]);
	for (unsigned k = 1; k < count; k++) {
		const uint64_t numbers = b->instruction[k].is.raises & CYCLE_NUMBERS;

		batch_add(c, adds(b, k));
		c->last_numbers = numbers ? numbers : c->last_numbers;
	}
	c->quiet += count;
	c->retired += count;
	c->last_next = address_of(b, count - 1) + last->size;
	c->last_kinds = last->is.kinds;
}

// Returns the index of the instruction at an address, or b->count.
static unsigned number_at(const struct block *b, uint64_t address)
{
	unsigned count = 0;

	while (count < b->count && address_of(b, count) != address)
		count++;
	return count;
}

static void close_open(struct cpu *c, uint64_t address)
{
	const struct block *const b = c->blocks.open;
	unsigned count = number_at(b, address);

	if (count == b->count)
		count = number_at(b, block_left_at(c));
	if (count == b->count)
		count--;
	c->blocks.open = NULL;
	if (count)
		retire(c, b, count);
	take_effects_but(c, &b->instruction[count]);
	c->load.is = false;
	c->current = NULL;
	c->address = address_of(b, count);
	c->next_level = b->instruction[count].level;
}

uint64_t block_settle(struct cpu *c, uint64_t address)
{
	const uint64_t count = block_take(c);

	if (c->blocks.open)
		close_open(c, address);
	return count;
}

void block_leave(struct cpu *c)
{
	block_take(c);
	if (c->blocks.open)
		close_open(c, block_goes_on_at(c));
}

void block_begin(struct cpu *c)
{
	c->blocks = (struct blocks){0};
	for (unsigned level = 0; level < BLOCK_LEVELS; level++)
		c->blocks.room[level] = BLOCK_ROOM;
}

void block_forget_all(void)
{
	for (struct cpu *c = cpus; c < &cpus[cpus_count]; c++) {
		if (!c->core)
			continue;
		block_leave(c);
		if (c->current) {
			c->kept = *c->current;
			c->prepared = c->prepared == c->current ? &c->kept : NULL;
			c->current = &c->kept;
		}
		while (c->translated) {
			struct block *const next = c->translated->next;

			free(c->translated);
			c->translated = next;
		}
	}
}
