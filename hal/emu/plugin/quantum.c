// SPDX-License-Identifier: BSD-2-Clause
// Overflows of what instructions raise (quantum.h). A quantum ends with the instruction of an overflow, or before. The
// early alarm ends it behind a block. So a block in whose midst a counter can overflow is not begun: the alarm is
// raised before the one that it follows. From there on the monitor's alarm ends the quantum at the instruction. If a
// counter can overflow in a block's last instruction only, the early alarm ends the quantum right behind that.

#include "quantum.h"

#include "early_alarm.h"
#include "feed.h"
#include "timed.h"
#include "vpmu.h"

#define COUNTERS_MOST	32	// bits of a set of counters (struct model_most)
#define AT_BEGIN	(HAPPENING_SET(INTERRUPTED) | HAPPENING_SET(FUSED) | HAPPENING_SET(X87_BEHIND_MMX) | \
			 HAPPENING_SET(MMX_BEHIND_X87))

// A counter, and what it counts of each happening of instructions.
struct counter {
	unsigned number;
	uint64_t happenings;
	uint32_t each[HAPPENING_INSTRUCTIONS];
	uint32_t begin;		// what the first instruction of a block raises because of those before it, at most
	uint32_t predicted;	// what the prediction of a branch raises, at most
	uint32_t instruction;	// an instruction, with that, at most
	bool counts;		// at the level where the guest is; and it can overflow:
	uint64_t left;		// so much can be counted without, from what the model knows
};

static struct cpu {
	struct mailbox *box;
	struct counter counter[COUNTERS_MOST];
	unsigned count;
	bool clocked;		// one counts the clock, too, or more than is known here
	bool active;		// the early alarm serves
	uint64_t alarm;		// the monitor's, as a position (feed.h)
} cpus[VPMU_CPUS];

void quantum_start(unsigned number, struct mailbox *box)
{
	cpus[number] = (struct cpu){.box = box};
}

//
// Counters
//

static uint32_t sum(const struct counter *c, uint64_t happenings)
{
	uint32_t sum = 0;

	for (uint64_t rest = happenings & c->happenings; rest; rest &= rest - 1)
		sum += c->each[__builtin_ctzll(rest)];
	return sum;
}

static uint32_t most_of(const struct counter *c, uint64_t happenings)
{
	uint32_t most = 0;

	for (uint64_t rest = happenings & c->happenings; rest; rest &= rest - 1)
		if (most < c->each[__builtin_ctzll(rest)])
			most = c->each[__builtin_ctzll(rest)];
	return most;
}

static void select_counter(struct counter *c, const struct pmu_model *model, unsigned number, uint64_t rows)
{
	*c = (struct counter){.number = number};
	for (; rows; rows &= rows - 1) {
		const struct model_raised *r = &model->raised[__builtin_ctzll(rows)];

		for (uint64_t rest = feed_row_happenings(r); rest; rest &= rest - 1)
			c->each[__builtin_ctzll(rest)] += r->each ? r->each : 1;
		c->happenings |= feed_row_happenings(r);
	}
	c->begin = sum(c, AT_BEGIN);
	c->predicted = sum(c, FEED_PREDICTIONS);
	c->instruction = sum(c, ~FEED_BRANCHES) + most_of(c, FEED_BRANCHES);
}

void quantum_select(unsigned number)
{
	const struct vpmu *v = feeds[number].v;
	const struct pmu_model *model = v->model;
	struct cpu *cpu = &cpus[number];
	struct model_event event;
	unsigned of_thread = 0;

	cpu->count = 0;
	cpu->clocked = false;
	if (!feeds[number].counters)
		return;
	for (size_t i = 0; i < model->group_count; i++)
		of_thread += model->groups[i].count;
	for (unsigned thread = 0; thread < model->threads; thread++)
		for (unsigned i = 0; i < model->groups[0].count; i++) {
			const uint64_t rows = vpmu_selects(model, v->state, thread, i, &event) ?
				feed_rows(model, &event) : 0;

			if (!rows)
				continue;
			select_counter(&cpu->counter[cpu->count++], model, thread * of_thread + i, rows);
			for (unsigned level = 0; level < 4; level += 3)
				cpu->clocked |= vpmu_clock_raises(model, v->thread, level, event.code, event.umask);
		}
}

// What is left to the counters that are enabled. A counter that counts at this level has no more left than the worst
// case says. False: the model looks at each instruction.
static bool measure(unsigned number)
{
	struct cpu *cpu = &cpus[number];
	struct feed *f = &feeds[number];
	const uint64_t worst = feed_headroom(f, NULL, 0);
	struct model_most most[COUNTERS_MOST];
	struct model_headroom headroom;

	for (size_t i = 0; i < COUNTERS_MOST; i++)
		most[i] = (struct model_most){.cycle = 1};
	f->v->model->headroom(f->v->state, most, &headroom);
	if (!headroom.instructions)
		return false;
	for (struct counter *c = cpu->counter; c < cpu->counter + cpu->count; c++) {
		most[c->number] = (struct model_most){.instruction = 1};
		f->v->model->headroom(f->v->state, most, &headroom);
		most[c->number] = (struct model_most){.cycle = 1};
		c->left = headroom.instructions;
		c->counts = c->left < MODEL_FAR && worst <= c->left + 1;
	}
	return true;
}

// What a counter can count yet without an overflow. An instruction that the monitor has carried out may not have been
// handed on.
static uint64_t left(const struct feed *f, const struct counter *c)
{
	uint64_t used = c->happenings & HAPPENING_SET(DECODED) ? c->each[HAPPENING_DECODED] : 0;

	for (uint64_t rest = c->happenings; rest; rest &= rest - 1)
		used += (uint64_t)f->happened[__builtin_ctzll(rest)] * c->each[__builtin_ctzll(rest)];
	return used < c->left ? c->left - used : 0;
}

//
// Blocks: what they raise at most
//

static uint32_t of_branch(const struct counter *c, const struct block *b)
{
	const uint32_t taken = c->each[b->branches[1]], not_taken = c->each[b->branches[0]];

	return (taken > not_taken ? taken : not_taken) + c->predicted;
}

static uint64_t of_block(const struct counter *c, const struct block *b)
{
	uint64_t raises = c->begin;

	for (uint64_t rest = b->raised & c->happenings; rest; rest &= rest - 1)
		raises += (uint64_t)b->raises[__builtin_ctzll(rest)] * c->each[__builtin_ctzll(rest)];
	return b->instruction[b->count - 1].branch ? raises + of_branch(c, b) : raises;
}

// All but its last instruction.
static uint64_t of_midst(const struct counter *c, const struct block *b)
{
	const struct classes *last = &b->instruction[b->count - 1];

	if (b->count == 1)
		return 0;
	return of_block(c, b) - sum(c, last->raises) - (last->branch ? of_branch(c, b) : 0);
}

static uint64_t of_any_block(const struct counter *c)
{
	uint64_t raises = c->begin + c->predicted + most_of(c, FEED_BRANCHES);

	for (uint64_t rest = c->happenings & ~(FEED_BRANCHES | FEED_PREDICTIONS); rest; rest &= rest - 1)
		raises += (uint64_t)block_most[__builtin_ctzll(rest)] * c->each[__builtin_ctzll(rest)];
	return raises;
}

static uint64_t most_in_midst_at(const struct counter *c, uint64_t address)
{
	uint64_t most = 0;

	for (const struct block *b = block_at(address); b; b = b->beside)
		if (b->address == address && most < of_midst(c, b))
			most = of_midst(c, b);
	return most;
}

// Of the blocks that may come behind this one. One that has not been translated will be looked at when it is.
static uint64_t most_in_midst_behind(const struct counter *c, const struct block *b)
{
	const struct classes *last = &b->instruction[b->count - 1];
	const bool repeats = last->kinds & CLASS_REPEATED;
	uint64_t most = 0, there;

	if (b->traps || b->target_bits == UINT16_MAX || (last->branch && !last->target) ||
	    last->branch == OCCURRENCE_KIND_FAR)
		return of_any_block(c);
	if (!last->branch || last->branch == OCCURRENCE_KIND_CONDITIONAL)
		most = most_in_midst_at(c, b->behind & b->target_bits);
	there = last->branch || repeats ? most_in_midst_at(c, repeats ? b->end : b->target & b->target_bits) : 0;
	return there > most ? there : most;
}

// The instruction of the block at which the counter can overflow, counted from 1; 0: at none.
static uint64_t first_overflow(const struct counter *c, uint64_t left, const struct block *b)
{
	uint64_t raises = c->begin;

	for (size_t i = 0; i < b->count; i++) {
		raises += sum(c, b->instruction[i].raises);
		if (b->instruction[i].branch)
			raises += of_branch(c, b);
		if (raises > left)
			return i + 1;
	}
	return 0;
}

// The instruction behind which the monitor's alarm has to end a quantum that begins there.
static uint64_t find_alarm(unsigned number, uint64_t address)
{
	const struct cpu *cpu = &cpus[number];
	uint64_t alarm = UINT64_MAX;

	for (const struct counter *c = cpu->counter; c < cpu->counter + cpu->count; c++)
		for (const struct block *b = c->counts ? block_at(address) : NULL; b; b = b->beside)
			if (b->address == address) {
				const uint64_t first = first_overflow(c, left(&feeds[number], c), b);

				if (first && first < alarm)
					alarm = first;
			}
	return alarm;
}

//
// Quanta
//

// The next block to look at: up to there nothing can overflow, nor in the midst of two blocks from there on.
static void plan(unsigned number)
{
	const struct cpu *cpu = &cpus[number];
	struct feed *f = &feeds[number];
	uint64_t distance = UINT64_MAX;

	for (const struct counter *c = cpu->counter; c < cpu->counter + cpu->count; c++) {
		const uint64_t near = 2 * of_any_block(c), rest = c->counts ? left(f, c) : 0;
		const uint64_t of_this = rest > near ? (rest - near) / c->instruction : 0;

		if (c->counts && of_this < distance)
			distance = of_this;
	}
	f->look_at = distance < UINT64_MAX ? f->position + distance : UINT64_MAX;
}

// Whether the early alarm serves at the guest's level.
static bool serves(unsigned number)
{
	const struct feed *f = &feeds[number];

	return early_alarm_is_there() && f->counted && feed_adds_up(f) && !timed_is_used && !cpus[number].clocked &&
	       measure(number);
}

uint64_t quantum_headroom(unsigned number, uint64_t address)
{
	struct cpu *cpu = &cpus[number];
	struct feed *f = &feeds[number];
	uint64_t headroom, alarm;

	f->look_at = UINT64_MAX;
	cpu->active = serves(number);
	if (!cpu->active)
		return 0;
	headroom = feed_clock_headroom(f);
	alarm = find_alarm(number, address);
	if (alarm < headroom)
		headroom = alarm;
	cpu->alarm = f->position + headroom;
	plan(number);
	return headroom;
}

void quantum_follow(unsigned number)
{
	if (cpus[number].active && measure(number))
		plan(number);
}

void quantum_end(unsigned number)
{
	cpus[number].box->early = true;
	cpus[number].active = false;
	feeds[number].look_at = UINT64_MAX;
	early_alarm_raise(number);
}

void quantum_enter(unsigned number, uint64_t address)
{
	struct cpu *cpu = &cpus[number];

	early_alarm_check();
	if (cpu->box)
		cpu->box->early = false;
	if (!cpu->active)
		return;
	if (find_alarm(number, address) < cpu->alarm - feeds[number].position)
		quantum_end(number);
	else
		plan(number);
}

// Where the monitor's alarm ends the quantum, that is early enough.
__attribute__((noinline)) void quantum_look(unsigned number, const struct block *b)
{
	const struct cpu *cpu = &cpus[number];
	const struct feed *f = &feeds[number];

	if (f->position + b->count >= cpu->alarm)
		return;
	for (const struct counter *c = cpu->counter; c < cpu->counter + cpu->count; c++) {
		const uint64_t rest = c->counts ? left(f, c) : UINT64_MAX, raises = of_block(c, b);

		if (raises > rest || most_in_midst_behind(c, b) > rest - raises) {
			quantum_end(number);
			return;
		}
	}
	plan(number);
}

// Not of a guest that is halted: another CPU executes then.
void quantum_translated(unsigned number, const struct block *last, const struct block *b)
{
	const struct cpu *cpu = &cpus[number];
	const struct feed *f = &feeds[number];

	if (last && last->instruction[last->count - 1].kinds & CLASS_HALT)
		return;
	if (!cpu->active || f->position + (last ? last->count : 0) + b->count > cpu->alarm)
		return;
	for (const struct counter *c = cpu->counter; c < cpu->counter + cpu->count; c++)
		if (c->counts && (last ? of_block(c, last) : 0) + of_midst(c, b) > left(f, c)) {
			quantum_end(number);
			return;
		}
	plan(number);
}

//
// Levels
//

// Whether nothing can overflow before the monitor's alarm, nor before the second block is looked at.
static bool is_far(unsigned number)
{
	const struct cpu *cpu = &cpus[number];
	struct feed *f = &feeds[number];

	if (!serves(number))
		return feed_headroom(f, NULL, 0) >= cpu->box->headroom;
	for (const struct counter *c = cpu->counter; c < cpu->counter + cpu->count; c++)
		if (c->counts && left(f, c) < of_any_block(c))
			return false;
	return feed_clock_headroom(f) >= cpu->box->headroom;
}

bool quantum_can_cross(unsigned number, unsigned level)
{
	struct vpmu *v = feeds[number].v;
	const unsigned from = v->level;
	bool far;

	vpmu_set_level(v, level);
	far = is_far(number);
	vpmu_set_level(v, from);
	if (!far)
		quantum_end(number);
	return far;
}

uint64_t quantum_least(unsigned number)
{
	struct vpmu *v = feeds[number].v;
	const unsigned here = v->level;
	uint64_t headroom = UINT64_MAX;

	for (unsigned level = 0; level <= 3; level += 3) {
		vpmu_set_level(v, level);
		headroom = least(headroom, feed_headroom(&feeds[number], NULL, 0));
	}
	vpmu_set_level(v, here);
	return headroom;
}

void quantum_cross(unsigned number, uint64_t cycles, unsigned level)
{
	struct cpu *cpu = &cpus[number];
	struct feed *f = &feeds[number];

	feed_pass(f, cycles, NULL, 0);
	f->handed += cycles;
	vpmu_set_level(f->v, level);
	cpu->box->level = (uint8_t)level;
	cpu->box->headroom -= cycles < cpu->box->headroom ? cycles : cpu->box->headroom;
	cpu->alarm = cpu->box->headroom;
	f->look_at = UINT64_MAX;
	cpu->active = serves(number);
	if (cpu->active)
		plan(number);
}
