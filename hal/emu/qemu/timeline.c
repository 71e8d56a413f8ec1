// SPDX-License-Identifier: BSD-2-Clause
// Converts retired instructions to cycles of the PMU model: timeline.h.

#include "timeline.h"

#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "batch.h"
#include "block.h"
#include "cycle.h"
#include "parallel.h"
#include "pmus.h"
#include "report.h"
#include "threads.h"
#include "timed.h"

//
// Cycles without counted events
//

uint64_t timeline_executed;

static void note(struct cpu *c, uint64_t cycles)
{
	timeline_executed += c->watched ? 0 : cycles;
	c->core->ticks += cycles;
}

static void pass(struct cpu *c, uint64_t cycles)
{
	note(c, cycles);
	vpmu_run(&c->vpmu, cycles);
}

static void pass_quiet(struct cpu *c)
{
	if (timed_is_used)
		timed_settle(c);
	if (c->quiet && (c->summed || c->referred || cycle_has_references(c))) {
		note(c, c->quiet);
		vpmu_run(&c->vpmu, c->quiet - 1);
		batch_pass(c);
	} else if (c->quiet) {
		pass(c, c->quiet);
	}
	c->quiet_left -= c->quiet;
	c->quiet = 0;
}

// Parallel vCPUs: instructions between updates of reference cycles, which may overflow.
#define REFERENCES_MOST 20

static struct cpu *running;	// the vCPU that executed last

struct cpu *timeline_running(void)
{
	return running;
}

void timeline_resume(struct cpu *c)
{
	uint64_t left;

	vpmu_resume(&c->vpmu);
	c->quiet_left = reporting && report_each_cycle(c) ? 1 : vpmu_headroom(&c->vpmu);
	left = batch_allowed(c) ? batch_left(c) : 0;
	c->batches = left;
	if (left && left < c->quiet_left)
		c->quiet_left = left + 1;
	if (cycle_has_references(c) && c->quiet_left > REFERENCES_MOST)
		c->quiet_left = REFERENCES_MOST;
}

// Returns true if `c` must synchronize with the vCPU that executed before it. A model that counts
// from outside has a core of its own. A parallel vCPU reports only its own cycles.
static bool takes_turn(const struct cpu *c)
{
	return !c->watched && (parallel_is_used ? c->core->executes : running) != c;
}

void timeline_settle(struct cpu *c)
{
	if (running && !parallel_is_used)
		block_leave(running);
	if (takes_turn(c)) {
		if (running && !parallel_is_used)
			pass_quiet(running);
		running = c;
		c->core->executes = c;
		timeline_resume(c);
	}
	pass_quiet(c);
	if (!vpmu_outputs(&c->vpmu)->counting)
		// otherwise the interval since the last cycle belongs to the next one
		cycle_skip_references(c);
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

// Events of the package belong to its last cycle, that of the instruction.
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
	// Include events that no counter counts: a queue's count must balance entries and exits.
	all = cycle_add_effects(&p->signals, &p->effects, &nowhere, true, signals, count);
	p->pmu.model->advance(p->pmu.state, 1, signals, all);
	p->pmu.model->advance(p->pmu.state, 0, clock, count);
	vpmu_package_sync(&p->pmu);
}

static void connect(struct cpu *c, const struct instruction *i, struct cycle *cycle)
{
	size_t count;
	const struct occurrence *signals = cycle_signals(c, i, cycle, &count);

	vpmu_connect(&c->vpmu, signals, count);
}

// Passes a cycle with counted events.
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

static inline void count_cycle(struct cpu *c, const struct instruction *i, uint64_t next,
			       struct cycle *cycle)
{
	if (takes_turn(c))
		timeline_settle(c);
	if (timed_is_used) {
		note(c, 1);
		timed_retire(c, i, next, cycle->signal, cycle->count);
		return;
	}
	c->quiet += !cycle->count && !i->commits;
	if (!cycle->count && !i->commits && !c->core->package->effects.count &&
	    c->quiet < c->quiet_left)
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

static uint64_t left_to_add(const struct cpu *c)
{
	if (!c->batches || takes_turn(c) || c->load.is || c->effects.count ||
	    c->core->arrived.count ||
	    c->core->package->effects.count ||
	    (c->interrupted && c->core->signals.counted[CPU_EVENT_INTERRUPTED]))
		return 0;
	return c->quiet + 1 < c->quiet_left ? c->quiet_left - c->quiet - 1 : 0;
}

uint64_t timeline_left_to_add(struct cpu *c, unsigned level, unsigned least)
{
	uint64_t left;

	if (takes_turn(c))
		timeline_settle(c);
	set_level(c, level);
	left = left_to_add(c);
	if (left >= least || !c->quiet)
		return left;
	timeline_settle(c);
	timeline_resume(c);
	return left_to_add(c);
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
		count_cycle(c, i, next, c->cycle);
		return;
	}
	if (left_to_add(c)) {
		cycle_add(c, i, next);
		return;
	}
	cycle_find(c, i, next, &cycle);
	count_cycle(c, i, next, &cycle);
}

void timeline_prepare(struct cpu *c)
{
	const struct instruction *i = c->current;

	if (c->prepared == i)
		return;
	if (!c->cycle)
		c->cycle = allocate(sizeof *c->cycle);
	cycle_find(c, i, c->address + i->size, c->cycle);
	c->prepared = i;
}

bool timeline_would_trap(struct cpu *c)
{
	static struct model_outputs *copy;
	static size_t size;
	const struct occurrence *signals;
	size_t count;

	if (!copy) {
		size = vpmu_state_size(c->vpmu.model);
		copy = allocate(size);
	}
	memcpy(copy, c->vpmu.state, size);
	signals = cycle_signals(c, c->current, c->cycle, &count);
	c->vpmu.model->advance(copy, 1, signals, count);
	return copy->precise >> c->vpmu.thread & 1;
}

// Reports the instruction to the models that count from outside.
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

// The effects of its references count in the next cycle.
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
	block_begin(c);
	c->quiet = 0;
	memset(c->sum, 0, sizeof c->sum);
	c->summed = 0;
	c->referred = false;
	c->effects.count = 0;
	c->load.is = false;
	c->last_next = c->last_numbers = c->last_kinds = 0;
	c->interrupted = false;
	c->issued = (struct issued){0};
	if (running == c)
		running = NULL;
}

// A repeated or branching instruction may follow itself. Any other instruction that begins again
// did not retire: QEMU restarts it after a store into its own block, or when it must execute
// exclusively.
void timeline_begin(struct cpu *c, const struct instruction *i, uint64_t address)
{
	c->next_level = i->level;
	if (c->current && c->address == address && !c->current->is.branch) {
		if (i->is.kinds & CLASS_REPEATED) {
			timeline_executed++;	// QEMU's instruction clock counts each iteration
			c->iterations++;
			if (timed_is_used)
				timed_iterate(c, c->current);
		} else {
			timeline_drop(c);
		}
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
	timed_drop(c);
	c->current = NULL;
}

// The instruction's events happen in the cycle of the write. Its signals stay connected until the
// end of that cycle.
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
	cycle_find(c, i, c->address + i->size, &cycle);
	if (timed_is_used)
		timed_connect_write(c, i, cycle.signal, cycle.count);
	else
		connect(c, i, &cycle);
	c->core->ticks++;
	timeline_executed++;
}
