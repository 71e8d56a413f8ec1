// SPDX-License-Identifier: BSD-2-Clause
// From retired instructions to cycles of the PMU's model: timeline.h.

#include "timeline.h"

#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "issue.h"
#include "pmus.h"
#include "report.h"
#include "timed.h"

//
// Cycles in which nothing counts but the clock
//

uint64_t timeline_executed;

static void pass(struct cpu *c, uint64_t cycles)
{
	timeline_executed += c->watched ? 0 : cycles;
	c->core->ticks += cycles;
	vpmu_run(&c->vpmu, cycles);
}

static void pass_quiet(struct cpu *c)
{
	if (timed_is_used)
		timed_settle(c);
	if (c->quiet)
		pass(c, c->quiet);
	c->quiet = 0;
}

static struct cpu *running;	// the vCPU that has executed last

struct cpu *timeline_running(void)
{
	return running;
}

void timeline_resume(struct cpu *c)
{
	vpmu_resume(&c->vpmu);
	c->quiet_left = reporting && report_each_cycle(c) ? 1 : vpmu_headroom(&c->vpmu);
}

// A model that counts from outside shares its core with nobody.
static bool takes_turn(const struct cpu *c)
{
	return running != c && !c->watched;
}

void timeline_settle(struct cpu *c)
{
	if (takes_turn(c)) {
		if (running)
			pass_quiet(running);
		running = c;
		timeline_resume(c);
	}
	pass_quiet(c);
}

void timeline_settle_all(void)
{
	for (struct cpu *c = cpus; c < &cpus[cpus_count]; c++) {
		timeline_settle(c);
		for (struct cpu *by = c->outside; by; by = by->outside)
			timeline_settle(by);
	}
}

void timeline_follow_clock(struct cpu *c, uint64_t ticks)
{
	timeline_settle(c);
	if ((int64_t)(ticks - c->core->ticks) <= 0)
		return;
	vpmu_set_halted(&c->vpmu, true);
	pass(c, ticks - c->core->ticks);
	vpmu_set_halted(&c->vpmu, false);
	timeline_resume(c);
}

//
// What an instruction raises
//

#define NUMBERS		(HAPPENING_SET(X87) | HAPPENING_SET(MMX))
#define BRANCHES	((1ULL << HAPPENING_BRANCHES) - 1)
#define PREDICTIONS	((1ULL << HAPPENING_PREDICTIONS) - 1 - BRANCHES)

static uint64_t raises_of(struct cpu *c, const struct instruction *i)
{
	uint64_t raises = i->is.raises;

	if (c->last_next == c->address && classify_is_pair(c->last_kinds, &i->is))
		raises = (raises & ~HAPPENING_SET(DECODED)) | HAPPENING_SET(FUSED);
	if (raises & HAPPENING_SET(X87) && c->last_numbers & HAPPENING_SET(MMX))
		raises |= HAPPENING_SET(X87_BEHIND_MMX);
	if (raises & HAPPENING_SET(MMX) && c->last_numbers & HAPPENING_SET(X87))
		raises |= HAPPENING_SET(MMX_BEHIND_X87);
	if (c->core->signals.counted_set & PIPES_RAISE)
		raises |= issue_raises(c, i);
	return raises;
}

static void remember(struct cpu *c, const struct instruction *i, uint64_t raises)
{
	c->last_next = c->address + i->size;
	c->last_kinds = i->is.kinds;
	if (raises & NUMBERS)
		c->last_numbers = raises & NUMBERS;
	c->interrupted = false;
}

// As struct occurrence describes a branch; 0: the instruction is none. One that is not conditional is always taken.
static uint8_t branch_of(const struct cpu *c, const struct instruction *i, uint64_t next)
{
	const bool goes = i->slot ? c->goes : next != c->address + i->size;
	const bool taken = goes || i->is.branch != OCCURRENCE_KIND_CONDITIONAL;

	return i->is.branch ? OCCURRENCE_BRANCH | i->is.branch | (taken ? OCCURRENCE_TAKEN : 0) : 0;
}

// Event signals of the current instruction's cycle. Room for the clock's comes first.
struct cycle {
	size_t count;
	struct occurrence clock[VPMU_CLOCK_MOST], signal[SIGNALS_MOST];
};

// To the model's state, or a copy of it. The cycle of an instruction that changes the level is one of the new level;
// the instruction is one of the old level (SPARC T4 Supplement, 10.2, the last programming note).
static void connect_to(void *state, const struct cpu *c, const struct instruction *i, struct cycle *cycle)
{
	const struct pmu_model *const model = c->vpmu.model;
	size_t count;
	const struct occurrence *clock = model_clock(model, c->vpmu.thread, c->vpmu.level, &count);
	struct occurrence *const first = cycle->signal - count;

	memcpy(first, clock, count * sizeof *clock);
	if (i->changes_level)
		memcpy(cycle->signal - model->clock_cycles,
		       model_clock(model, c->vpmu.thread, c->next_level, &count) + count - model->clock_cycles,
		       model->clock_cycles * sizeof *clock);
	model->connect(state, first, count + cycle->count);
}

static void connect(struct cpu *c, const struct instruction *i, struct cycle *cycle)
{
	connect_to(c->vpmu.state, c, i, cycle);
}

static void add_set(const struct cpu *c, uint64_t raises, const struct occurrence *o, bool all, struct cycle *cycle)
{
	for (uint64_t rest = all ? raises : raises & c->core->signals.counted_set; rest; rest &= rest - 1)
		cycle->count = signals_raise(&c->core->signals, (enum happening)__builtin_ctzll(rest), 1, 0, o, all,
					     cycle->signal, cycle->count);
}

static struct prediction predict(struct cpu *c, const struct instruction *i, uint64_t next, uint8_t branch)
{
	const uint64_t after = c->address + i->size + i->slot;
	const unsigned unit = i->slot ? 2 : 0;	// predictors number instructions of one size, or bytes
	struct cpu *of = c->watched ? c->watched : c;

	if (!of->predicted)
		of->prediction = predictions_of(c->number, branch, c->address >> unit, after >> unit, next >> unit);
	of->predicted = true;
	return of->prediction;
}

static void add_branch(struct cpu *c, const struct instruction *i, uint64_t next, struct occurrence *o,
		       struct cycle *cycle)
{
	const bool recorded = vpmu_outputs(&c->vpmu)->recording >> c->vpmu.thread & 1;
	struct prediction p = {0};

	if (i->slot)
		next = c->leads_to;
	o->branch = branch_of(c, i, next);
	if (!o->branch)
		return;
	o->target = next;
	if (recorded || c->core->signals.counted_set & PREDICTIONS)
		p = predict(c, i, next, o->branch);
	o->branch |= p.branch;
	add_set(c, p.raises, o, false, cycle);
	add_set(c, 1ULL << vpmu_branch_happening(o->branch), o, recorded, cycle);
}

static void add_load(const struct cpu *c, struct cycle *cycle)
{
	const struct load *load = &c->load;
	const struct signals *s = &c->core->signals;
	struct occurrence o = load->occurrence;

	if (!load->is)
		return;
	o.thread = (uint8_t)c->vpmu.thread;
	o.level = (uint8_t)c->vpmu.level;
	cycle->count = signals_raise(s, load->source, 1, o.address, &o, false, cycle->signal, cycle->count);
	if (load->translated)
		cycle->count = signals_raise(s, HAPPENING_LOAD_TLB_MISS, 1, o.address, &o, false, cycle->signal,
					     cycle->count);
	if (o.latency > vpmu_outputs(&c->vpmu)->slow_above[c->vpmu.thread])
		cycle->count = signals_raise(s, HAPPENING_LOAD_SLOW, 1, o.address, &o, false, cycle->signal,
					     cycle->count);
}

static size_t add_effects(const struct signals *s, struct effects *effects, const struct occurrence *o, bool all,
			  struct occurrence *signal, size_t count)
{
	for (const struct effect *e = effects->effect; e < effects->effect + effects->count; e++)
		count = signals_raise(s, (enum happening)e->what, e->n, e->address, o, all, signal, count);
	effects->count = 0;
	return count;
}

// In the cycle of the first instruction after it. What it adds to counts of instructions and others is of the level
// that it has interrupted.
static void add_interruption(const struct cpu *c, const struct occurrence *o, struct cycle *cycle)
{
	struct signals *s = &c->core->signals;

	s->interrupted_level = c->interrupted_level;
	cycle->count = signals_raise(s, HAPPENING_INTERRUPTED, 1, 0, o, false, cycle->signal, cycle->count);
}

static void add_all(struct cpu *c, const struct instruction *i, uint64_t next, struct cycle *cycle)
{
	const uint64_t raises = raises_of(c, i);
	struct occurrence o = {
		.thread = (uint8_t)c->vpmu.thread, .level = (uint8_t)c->vpmu.level, .ip = c->address,
	};

	cycle->count = add_effects(&c->core->signals, &c->effects, &o, false, cycle->signal, 0);
	if (c->core->arrived.count)
		cycle->count = add_effects(&c->core->signals, &c->core->arrived, &o, false, cycle->signal,
					   cycle->count);
	add_load(c, cycle);
	add_branch(c, i, next, &o, cycle);
	add_set(c, raises, &o, false, cycle);
	if (c->interrupted)
		add_interruption(c, &o, cycle);
	remember(c, i, raises);
	c->load.is = false;
	c->predicted = false;
}

//
// Instructions
//

static void set_level(struct cpu *c, unsigned level)
{
	if (c->vpmu.level == level)
		return;
	timeline_settle(c);
	if (reporting && !c->watched)
		report_look(c);
	vpmu_set_level(&c->vpmu, level);
	timeline_resume(c);
}

// What has happened in the package belongs to its last cycle, that of the instruction.
static void pass_package(struct package_pmu *p)
{
	static const struct occurrence nowhere;
	struct occurrence signals[SIGNALS_MOST];
	const struct occurrence *clock;
	size_t count, all;

	p->pmu.pending--;
	vpmu_package_sync(&p->pmu);
	clock = model_clock(p->pmu.model, 0, 0, &count);
	memcpy(signals, clock, count * sizeof *clock);
	// All of a happening: what enters a queue, whether or not that is counted, leaves it, too.
	all = add_effects(&p->signals, &p->effects, &nowhere, true, signals, count);
	p->pmu.model->connect(p->pmu.state, signals, all);
	p->pmu.model->run(p->pmu.state, 1);
	p->pmu.model->connect(p->pmu.state, clock, count);
	vpmu_package_sync(&p->pmu);
}

// A cycle that differs from those of other instructions.
static void pass_cycle(struct cpu *c, const struct instruction *i, struct cycle *cycle)
{
	connect(c, i, cycle);
	if (i->commits)
		vpmu_commit(&c->vpmu);
	else
		pass(c, 1);
	if (i->changes_level)
		c->vpmu.level = c->next_level;
}

static inline void count_cycle(struct cpu *c, const struct instruction *i, struct cycle *cycle)
{
	if (takes_turn(c))
		timeline_settle(c);
	if (timed_is_used) {
		timed_retire(c, cycle->signal, cycle->count);
		return;
	}
	c->quiet += !cycle->count && !i->commits;
	if (!cycle->count && !i->commits && !c->core->package->effects.count && c->quiet < c->quiet_left)
		return;
	pass_quiet(c);
	if (cycle->count || i->commits)
		pass_cycle(c, i, cycle);
	if (c->core->package->effects.count)
		pass_package(c->core->package);
	if (reporting && !c->watched)
		report_cycle(c);
	timeline_resume(c);
}

static void retire(struct cpu *c, uint64_t next)
{
	const struct instruction *i = c->current, *prepared = c->prepared;
	struct cycle cycle;

	if (!i)
		return;
	c->current = NULL;
	c->retired++;
	c->retired_at = c->address;
	set_level(c, i->level);
	c->prepared = NULL;
	if (__builtin_expect(prepared == i, false)) {
		count_cycle(c, i, c->cycle);
		return;
	}
	add_all(c, i, next, &cycle);
	count_cycle(c, i, &cycle);
}

void timeline_prepare(struct cpu *c)
{
	const struct instruction *i = c->current;

	if (c->prepared == i)
		return;
	if (!c->cycle)
		c->cycle = allocate(sizeof *c->cycle);
	add_all(c, i, c->address + i->size, c->cycle);
	c->prepared = i;
}

bool timeline_would_trap(struct cpu *c)
{
	static struct model_outputs *copy;
	static size_t size;

	if (!copy) {
		size = vpmu_state_size(c->vpmu.model);
		copy = allocate(size);
	}
	memcpy(copy, c->vpmu.state, size);
	connect_to(copy, c, c->current, c->cycle);
	c->vpmu.model->run(copy, 1);
	return copy->precise >> c->vpmu.thread & 1;
}

// The models that count from outside see the instruction as the vCPU's own does.
static void retire_outside(struct cpu *c, const struct instruction *i, uint64_t next)
{
	for (struct cpu *by = c->outside; by; by = by->outside) {
		if (c->unwatched) {
			by->effects.count = 0;
			continue;
		}
		by->current = i;
		by->address = c->address;
		by->load = c->load;
		by->leads_to = c->leads_to;
		by->next_level = c->next_level;
		by->last_next = c->last_next;
		by->last_numbers = c->last_numbers;
		by->last_kinds = c->last_kinds;
		by->interrupted = c->interrupted;
		by->interrupted_level = c->interrupted_level;
		retire(by, next);
	}
}

void timeline_retire(struct cpu *c, uint64_t next)
{
	if (c->current && c->outside)
		retire_outside(c, c->current, next);
	retire(c, next);
}

// What its references have done happens in the next cycle.
void timeline_drop(struct cpu *c)
{
	timed_drop(c);
	c->current = NULL;
	c->load.is = false;
	c->predicted = false;
}

void timeline_forget(struct cpu *c)
{
	timed_drop(c);
	c->current = NULL;
	c->quiet = 0;
	c->effects.count = 0;
	c->load.is = false;
	c->last_next = c->last_numbers = c->last_kinds = 0;
	c->interrupted = false;
	c->issued = (struct issued){0};
	if (running == c)
		running = NULL;
}

// An instruction that repeats, or branches to itself, may be followed by itself. Any other one that begins again was
// begun in vain: QEMU begins it anew when it has changed its own block, or must execute alone.
void timeline_begin(struct cpu *c, const struct instruction *i, uint64_t address)
{
	c->next_level = i->level;
	if (c->current && c->address == address && !c->current->is.branch) {
		if (i->is.kinds & CLASS_REPEATED)
			timeline_executed++;	// an iteration: the machine's clock counts it
		else
			timeline_drop(c);
	} else {
		timeline_retire(c, address);
	}
	c->current = i;
	c->address = address;
	c->first_access = 0;
	c->exceptions = 0;
}

void timeline_begin_read(struct cpu *c)
{
	set_level(c, c->current->level);
	timeline_settle(c);
}

void timeline_issue(struct cpu *c)
{
	if (timed_is_used)
		timed_issue(c);
}

void timeline_interrupt(struct cpu *c)
{
	if (timed_is_used)
		timed_undo(c);
	c->current = NULL;
}

// The write takes the cycle; what the instruction raises happens in it. The signals stay connected until its end.
void timeline_begin_write(struct cpu *c)
{
	static struct cycle cycle;
	const struct instruction *i = c->current;

	if (c->outside)
		retire_outside(c, i, c->address + i->size);
	c->current = NULL;
	c->retired++;
	set_level(c, i->level);
	timeline_settle(c);
	add_all(c, i, c->address + i->size, &cycle);
	if (timed_is_used)
		timed_connect_write(c, cycle.signal, cycle.count);
	else
		connect(c, i, &cycle);
	c->core->ticks++;
	timeline_executed++;
}
