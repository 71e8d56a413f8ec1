// SPDX-License-Identifier: BSD-2-Clause
// The events that an instruction raises in its cycle: cycle.h.

#include "cycle.h"

#include <string.h>

#include "batch.h"
#include "issue.h"
#include "parallel.h"

uint64_t cycle_taken(const struct instruction *i)
{
	return i->is.branch ? 1ULL << vpmu_branch_cpu_event(i->is.branch | OCCURRENCE_BRANCH |
							    OCCURRENCE_TAKEN) : 0;
}

static uint64_t raises_of(struct cpu *c, const struct instruction *i)
{
	uint64_t raises = classify_raises(cycle_kinds_before(c), &i->is);

	if (raises & CPU_EVENT_SET(X87) && c->last_numbers & CPU_EVENT_SET(MMX))
		raises |= CPU_EVENT_SET(X87_BEHIND_MMX);
	if (raises & CPU_EVENT_SET(MMX) && c->last_numbers & CPU_EVENT_SET(X87))
		raises |= CPU_EVENT_SET(MMX_BEHIND_X87);
	if (!timed_is_used && c->core->signals.counted_set & PIPES_RAISE)
		raises |= issue_raises(c, i);
	return raises;
}

static void remember(struct cpu *c, const struct instruction *i, uint64_t raises)
{
	c->last_next = c->address + i->size;
	c->last_kinds = i->is.kinds;
	if (raises & CYCLE_NUMBERS)
		c->last_numbers = raises & CYCLE_NUMBERS;
	c->interrupted = false;
}

// Returns the field `branch` of struct occurrence; 0: no branch. An unconditional branch counts as
// taken.
static uint8_t branch_of(const struct cpu *c, const struct instruction *i, uint64_t next)
{
	const bool goes = i->slot ? c->goes : next != c->address + i->size;
	const bool taken = goes || i->is.branch != OCCURRENCE_KIND_CONDITIONAL;

	return i->is.branch ? OCCURRENCE_BRANCH | i->is.branch | (taken ? OCCURRENCE_TAKEN : 0) : 0;
}

bool cycle_has_references(const struct cpu *c)
{
	return parallel_is_used && c->core->signals.references;
}

void cycle_skip_references(struct cpu *c)
{
	c->referenced = cycle_has_references(c) ? unpromised_ticks(c->qemu) : 0;
}

size_t cycle_clock(struct cpu *c, struct occurrence *signals)
{
	const struct pmu_model *const model = c->vpmu.model;
	const uint64_t before = c->referenced;
	size_t count;
	const struct occurrence *clock = model_clock(model, c->vpmu.thread, c->vpmu.level, &count);

	memcpy(signals, clock, count * sizeof *clock);
	if (!cycle_has_references(c))
		return count;
	cycle_skip_references(c);
	for (size_t i = count - model->machine->clock_references; i < count; i++)
		signals[i].n *= before ? (uint32_t)(c->referenced - before) : 0;
	return count;
}

// If an instruction changes the privilege level, its cycle belongs to the new level and the
// instruction to the old one (SPARC T4 Supplement, 10.2, the last programming note).
const struct occurrence *cycle_signals(struct cpu *c, const struct instruction *i,
				       struct cycle *cycle, size_t *all)
{
	const struct pmu_model *const model = c->vpmu.model;
	struct occurrence clock[VPMU_CLOCK_MOST];
	size_t count = cycle_clock(c, clock);
	struct occurrence *const first = cycle->signal - count;

	memcpy(first, clock, count * sizeof *clock);
	if (i->changes_level)
		memcpy(cycle->signal - model->machine->clock_cycles,
		       model_clock(model, c->vpmu.thread, c->next_level, &count) + count -
		       model->machine->clock_cycles, model->machine->clock_cycles * sizeof *clock);
	*all = count + cycle->count;
	return first;
}

static void add_set(const struct cpu *c, uint64_t raises, const struct occurrence *o, bool all,
		    struct cycle *cycle)
{
	for (uint64_t rest = all ? raises : raises & c->core->signals.counted_set; rest;
	     rest &= rest - 1)
		cycle->count = signals_raise(&c->core->signals,
					     (enum cpu_event)__builtin_ctzll(rest), 1, 0, o, all,
					     cycle->signal, cycle->count);
}

static struct prediction predict(struct cpu *c, const struct instruction *i, uint64_t next,
				 uint8_t branch)
{
	const uint64_t after = c->address + i->size + i->slot;
	// log2 of the unit of addresses: fixed-size instructions or bytes
	const unsigned unit = i->slot ? 2 : 0;
	struct cpu *of = c->watched ? c->watched : c;
	struct prediction p;

	if (of->predicted)
		return of->prediction;
	p = predictions_of(c->number, branch, c->address >> unit, after >> unit, next >> unit);
	of->predicted = of->outside;
	if (of->predicted)
		of->prediction = p;
	return p;
}

static bool is_recording(const struct cpu *c)
{
	return vpmu_outputs(&c->vpmu)->recording >> c->vpmu.thread & 1;
}

// Returns the field `branch` of struct occurrence; 0: no branch. c->prediction: of this branch.
static inline uint8_t find_branch(struct cpu *c, const struct instruction *i, uint64_t next,
				  bool recorded)
{
	const uint8_t branch = branch_of(c, i, next);
	struct prediction p = {0};

	if (branch && (recorded || timed_is_used ||
		       c->core->signals.counted_set & CPU_EVENTS_PREDICTED))
		p = predict(c, i, next, branch);
	c->prediction = p;
	return branch | p.branch;
}

static void add_branch(struct cpu *c, const struct instruction *i, uint64_t next,
		       struct occurrence *o, struct cycle *cycle)
{
	const bool recorded = is_recording(c);
	const uint64_t target = i->slot ? c->leads_to : next;

	o->branch = find_branch(c, i, target, recorded);
	if (!o->branch)
		return;
	o->target = target;
	add_set(c, c->prediction.raises, o, false, cycle);
	add_set(c, 1ULL << vpmu_branch_cpu_event(o->branch), o, recorded, cycle);
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
	cycle->count = signals_raise(s, load->source, 1, o.address, &o, false, cycle->signal,
				     cycle->count);
	if (load->translated)
		cycle->count = signals_raise(s, CPU_EVENT_LOAD_TLB_MISS, 1, o.address, &o, false,
					     cycle->signal, cycle->count);
	if (cycle_load_is_slow(c))
		cycle->count = signals_raise(s, CPU_EVENT_LOAD_SLOW, 1, o.address, &o, false,
					     cycle->signal, cycle->count);
}

size_t cycle_add_effects(const struct signals *s, struct effects *effects,
			 const struct occurrence *o, bool all,
			  struct occurrence *signal, size_t count)
{
	for (const struct effect *e = effects->effect; e < effects->effect + effects->count; e++)
		count = signals_raise(s, (enum cpu_event)e->what, e->n, e->address, o, all, signal,
				      count);
	effects->count = 0;
	return count;
}

// An interruption adds to counts in the cycle of the first instruction after it, at the interrupted
// level.
static void add_interruption(const struct cpu *c, const struct occurrence *o, struct cycle *cycle)
{
	struct signals *s = &c->core->signals;

	s->interrupted_level = c->interrupted_level;
	cycle->count = signals_raise(s, CPU_EVENT_INTERRUPTED, 1, 0, o, false, cycle->signal,
				     cycle->count);
}

// Returns true if the instruction raises no counted event, whatever it is.
static bool raises_nothing(const struct cpu *c)
{
	return !c->core->signals.counted_set && !c->effects.count && !c->core->arrived.count &&
	       !c->load.is && !c->interrupted && !is_recording(c);
}

static void add_all(struct cpu *c, const struct instruction *i, uint64_t next, uint64_t raises,
		    struct cycle *cycle)
{
	struct occurrence o = {
		.thread = (uint8_t)c->vpmu.thread, .level = (uint8_t)c->vpmu.level,
		.ip = c->address,
	};

	cycle->count = cycle_add_effects(&c->core->signals, &c->effects, &o, false, cycle->signal,
					 0);
	if (c->core->arrived.count)
		cycle->count = cycle_add_effects(&c->core->signals, &c->core->arrived, &o, false,
						 cycle->signal, cycle->count);
	add_load(c, cycle);
	add_branch(c, i, next, &o, cycle);
	add_set(c, raises, &o, false, cycle);
	if (c->interrupted)
		add_interruption(c, &o, cycle);
}

void cycle_find(struct cpu *c, const struct instruction *i, uint64_t next, struct cycle *cycle)
{
	const uint64_t raises = raises_of(c, i);

	cycle->count = 0;
	if (raises_nothing(c))
		find_branch(c, i, i->slot ? c->leads_to : next, false);
	else
		add_all(c, i, next, raises, cycle);
	remember(c, i, raises);
	c->load.is = false;
	c->predicted = false;
}

//
// Batching
//

void cycle_add_first(struct cpu *c, const struct instruction *i)
{
	const uint64_t raises = raises_of(c, i);

	batch_add(c, raises);
	remember(c, i, raises);
}

// Records and predicts the instruction's branch, if it is one. Returns its cpu events.
static inline uint64_t see_branch(struct cpu *c, const struct instruction *i, uint64_t next)
{
	const bool recorded = is_recording(c);
	const uint64_t target = i->slot ? c->leads_to : next;
	const uint8_t branch = find_branch(c, i, target, recorded);

	c->predicted = false;
	if (branch && recorded)
		c->vpmu.model->records->record(c->vpmu.state, &(struct occurrence){
			.thread = (uint8_t)c->vpmu.thread, .level = (uint8_t)c->vpmu.level,
			.ip = c->address,
			.target = target, .branch = branch,
		});
	return branch ? c->prediction.raises | 1ULL << vpmu_branch_cpu_event(branch) : 0;
}

void cycle_add(struct cpu *c, const struct instruction *i, uint64_t next)
{
	batch_add(c, see_branch(c, i, next));
	cycle_add_first(c, i);
	c->quiet++;
}

void cycle_add_outcome(struct cpu *c, const struct instruction *branch, uint64_t next)
{
	c->address = branch->translated_at;
	batch_add(c, see_branch(c, branch, next));
}
