// SPDX-License-Identifier: BSD-2-Clause
// What happens in the guests' caches, TLBs and memory: happenings.h. It is added up, and reported at the next call of a
// monitor.

#include "happenings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/memory.h"
#include "feed.h"
#include "loads.h"
#include "machine.h"
#include "packages.h"
#include "timed.h"

// So many instructions are executed at once, though a counter of what happens in them may overflow: as late its
// interrupt can come. And instructions do the same thing in caches so often, at most, each on the average of them: two
// references of two lines, each with its prefetches.
#define SKID		256
#define MOST		8
#define CHANNELS	3

// What has happened, and is to be reported: [0] wherever, [c] of lines of channel c.
struct counts {
	uint32_t of[HAPPENING_COUNT][CHANNELS + 1];
	bool some;
};

struct concerned {
	struct vpmu *v;			// NULL: it has no monitor yet
	unsigned core;			// of the machine
	struct shared *shared;		// its package's
	uint64_t select;		// what is selected for requests and responses
	bool counted[HAPPENING_COUNT];	// by a counter of its core
	bool counts_loads;		// of it what retires with loads
	uint32_t counts;		// those counters, by bits
	uint32_t precise;		// and which of them trap at the very instruction
	struct counts happened;
};

static struct concerned cpus[VPMU_CPUS];
static bool some_count;
bool happenings_wanted[HAPPENING_COUNT];

static struct shared {
	struct vpmu *v;			// of its first CPU; NULL: it has none
	bool counted[HAPPENING_COUNT];	// by a counter of the package
	uint32_t counts;
	uint64_t select;		// what qualifies its events
	struct counts happened;
} shared[MEMORY_PACKAGES];

void happenings_start(unsigned cpu, struct vpmu *v, unsigned package, unsigned core)
{
	if (!v->model->raised || cpus[cpu].v)
		return;
	cpus[cpu] = (struct concerned){.v = v, .core = package * VPMU_CPUS + core, .shared = &shared[package]};
	if (!shared[package].v)
		shared[package].v = v;
	if (vpmu_is_raised_by_memory(v->model))
		machine_make(v->model);
}

//
// What happens
//

static void count(struct counts *to, enum happening what, uint64_t address)
{
	to->of[what][0]++;
	to->of[what][1 + (address >> 6) % CHANNELS]++;
	to->some = true;
}

// The occurrences of what has happened, in these circumstances, or those of `loads`, which is nothing from here on. How
// many.
static size_t take(const struct pmu_model *model, struct counts *from, const struct occurrence *o,
		   const struct loads *loads, struct occurrence *occurrences)
{
	size_t count = 0;

	for (const struct model_raised *r = model->raised; r->happening != HAPPENING_COUNT; r++) {
		struct occurrence *to = &occurrences[count];

		if (!from->of[r->happening][r->channel])
			continue;
		*to = !loads_raise(r->happening) ? *o :
		      r->happening == HAPPENING_LOAD_SLOW ? loads->slow : loads->retired;
		to->code = r->code;
		to->sub = r->sub;
		to->n = from->of[r->happening][r->channel];
		to->many = o->many;
		to->thread = o->thread;
		to->level = o->level;
		to->opcode = r->opcode ? r->opcode : (uint64_t)r->response << 8 | r->request;
		count++;
	}
	*from = (struct counts){0};
	return count;
}

// In a cycle of its own, at this address.
static void report_shared(struct shared *s, uint64_t address)
{
	static const struct loads no_loads;
	const struct occurrence o = {.address = address};
	struct occurrence signals[HAPPENINGS_TAKEN_MOST];
	struct vpmu_package *p = s->v->package;
	const struct occurrence *clock;
	size_t count;

	vpmu_package_sync(p);
	clock = model_clock(p->model, 0, 0, &count);
	p->model->connect(p->state, signals, take(p->model, &s->happened, &o, &no_loads, signals));
	p->model->run(p->state, 1);
	p->model->connect(p->state, clock, count);
	vpmu_package_sync(p);
}

// What a snoop takes from a core is of its first thread. Answers of packages count by their addresses, too.
void happenings_raise(unsigned cpu, unsigned core, enum happening what, uint64_t address)
{
	struct shared *s = &shared[core / VPMU_CPUS];
	struct concerned *c = &cpus[cpu];

	if (timed_is_used && s->counted[what]) {
		packages_at(NULL, core / VPMU_CPUS, what, address, timed_now());
	} else if (s->counted[what]) {
		count(&s->happened, what, address);
		if (what >= HAPPENING_ANSWER_FORWARD_I)
			report_shared(s, address);
	}
	if (c->core != core)
		for (c = cpus; c < &cpus[VPMU_CPUS] && (!c->v || c->core != core);)
			c++;
	if (c < &cpus[VPMU_CPUS] && c->counted[what])
		count(&c->happened, what, address);
}

bool happenings_matter(void)
{
	return some_count || (timed_is_used && machine_processor());
}

bool happenings_of_loads_matter(unsigned cpu)
{
	return cpus[cpu].counts_loads;
}

//
// What counters select
//

static enum model_clock_kind clock_used(void)
{
	return timed_is_used ? MODEL_TIMED_CLOCK : MODEL_UNIT_CLOCK;
}

// Marks what one of a group's counters counts; NULL: nothing. `select`: of requests and responses.
static const struct model_raised *mark_counter(const struct pmu_model *model, uint16_t code, uint8_t umask,
					       uint64_t select, bool counted[HAPPENING_COUNT])
{
	const struct model_raised *row = NULL;

	for (const struct model_raised *r = model->raised; r->happening != HAPPENING_COUNT; r++)
		if (r->happening >= HAPPENING_INSTRUCTIONS && model_is_by_clock(r, clock_used()) &&
		    vpmu_row_counts(model, r, code, umask, select)) {
			counted[r->happening] = true;
			row = r;
		}
	return row;
}

// Counters of a thread of the model.
static unsigned counters_of_thread(const struct pmu_model *model)
{
	unsigned count = 0;

	for (size_t i = 0; i < model->group_count; i++)
		count += model->groups[i].count;
	return count;
}

// Marks what counters of all threads count, one of which may count what another one does, and returns which do, by
// bits. What a group that counts one event only counts is the clock's. A PMU without such events counts none.
static uint32_t mark(const struct pmu_model *model, void *state, uint64_t select, bool counted[HAPPENING_COUNT],
		     uint32_t *precise)
{
	const unsigned of_thread = counters_of_thread(model);
	struct model_event event;
	uint32_t some = 0;

	*precise = 0;
	memset(counted, 0, HAPPENING_COUNT * sizeof *counted);
	for (unsigned thread = 0; model->raised && thread < model->threads; thread++)
		for (unsigned i = 0; i < model->groups[0].count; i++) {
			const struct model_raised *row = !vpmu_selects(model, state, thread, i, &event) ? NULL :
				mark_counter(model, event.code, event.umask, select, counted);
			const uint32_t counter = 1u << (thread * of_thread + i);

			some |= row ? counter : 0;
			*precise |= row && row->precise ? counter : 0;
		}
	return some;
}

#define COUNTERS_MOST 32	// of a core, all threads'

// How many instructions may come until one of these counters overflows, if each raises so many on them.
static uint64_t measure(const struct pmu_model *model, void *state, uint32_t counters, uint32_t each)
{
	struct model_most most[COUNTERS_MOST];
	struct model_headroom headroom;

	if (!counters)
		return MODEL_FAR;
	for (unsigned i = 0; i < COUNTERS_MOST; i++)
		most[i] = counters >> i & 1 ? (struct model_most){.instruction = each} :
					      (struct model_most){.cycle = 1};
	model->headroom(state, most, &headroom);
	return headroom.instructions;
}

// They may be late by SKID.
static uint64_t measure_late(const struct pmu_model *model, void *state, uint32_t counters)
{
	const uint64_t instructions = measure(model, state, counters, MOST);

	return instructions > SKID ? instructions : SKID;
}

// How often an instruction raises this event: no more than so often, and what retires with loads once. A load has one
// source.
static uint32_t most_of(const struct pmu_model *model, const struct model_event *event, uint32_t most)
{
	bool source = false;
	uint32_t n = 0;

	for (const struct model_raised *r = model->raised; r->happening != HAPPENING_COUNT; r++) {
		if (r->happening < HAPPENING_INSTRUCTIONS ||
		    !vpmu_row_counts(model, r, event->code, event->umask, UINT64_MAX))
			continue;
		if (r->happening == HAPPENING_LOAD_TLB_MISS || r->happening == HAPPENING_LOAD_SLOW)
			n++;
		else if (loads_raise(r->happening))
			source = true;
		else
			n = most;
	}
	n += source;
	return n < most ? n : most;
}

// What one instruction may raise on these counters of its core.
static size_t raise_most(const struct vpmu *v, uint32_t counters, struct occurrence may[HAPPENINGS_RECORDED_MOST])
{
	const unsigned of_thread = counters_of_thread(v->model);
	struct model_event event;
	size_t count = 0;

	for (; counters && count < HAPPENINGS_RECORDED_MOST; counters &= counters - 1) {
		const unsigned i = (unsigned)__builtin_ctz(counters);

		if (!vpmu_selects(v->model, v->state, i / of_thread, i % of_thread, &event))
			continue;
		may[count++] = (struct occurrence){
			.code = event.code, .sub = event.umask, .n = most_of(v->model, &event, MOST),
			.thread = (uint8_t)v->thread, .level = (uint8_t)v->level,
			.latency = UINT32_MAX, .opcode = UINT64_MAX,
		};
	}
	return count;
}

size_t happenings_recorded(unsigned cpu, struct occurrence may[HAPPENINGS_RECORDED_MOST])
{
	const struct concerned *c = &cpus[cpu];

	return c->v && c->counts ? raise_most(c->v, c->counts & vpmu_outputs(c->v)->records, may) : 0;
}

// While a model records it knows no headroom in which anything may happen.
static uint64_t measure_beside_records(struct vpmu *v, uint32_t counters)
{
	struct occurrence may[HAPPENINGS_RECORDED_MOST];
	const size_t count = raise_most(v, counters & ~vpmu_outputs(v)->records, may);
	const uint64_t instructions = count ? vpmu_headroom_beside(v, may, count) : MODEL_FAR;

	return instructions > SKID ? instructions : SKID;
}

uint64_t happenings_headroom(unsigned cpu)
{
	const struct concerned *c = &cpus[cpu];
	struct vpmu *v = c->v;
	uint64_t instructions;

	if (!some_count || !v)
		return MODEL_FAR;
	instructions = least(vpmu_outputs(v)->records ? measure_beside_records(v, c->counts) :
			     measure_late(v->model, v->state, c->counts & ~c->precise),
			     measure(v->model, v->state, c->precise, 1) + 1);
	return !v->package ? instructions :
	       least(instructions, measure_late(v->package->model, v->package->state, c->shared->counts));
}

static void want(const bool counted[HAPPENING_COUNT])
{
	for (enum happening what = 0; what < HAPPENING_COUNT; what++)
		happenings_wanted[what] |= counted[what];
}

static bool counts_loads(const bool counted[HAPPENING_COUNT])
{
	for (enum happening what = 0; what < HAPPENING_COUNT; what++)
		if (counted[what] && loads_raise(what))
			return true;
	return false;
}

bool happenings_qualifies(const struct pmu_model *model, uint32_t address)
{
	return address && (address == model->raised_select[0] || address == model->raised_select[1]);
}

// What is selected: as one register would have both.
#define REQUESTS 0xFFFFu

static void qualify(const struct pmu_model *model, uint32_t address, uint64_t value, uint64_t *select)
{
	if (!happenings_qualifies(model, address))
		return;
	if (address == model->raised_select[0])
		*select = (*select & ~(uint64_t)REQUESTS) | (value & REQUESTS);
	else
		*select = (*select & REQUESTS) | (value & ~(uint64_t)REQUESTS);
}

void happenings_select(unsigned cpu, uint32_t address, uint64_t value)
{
	struct concerned *c = &cpus[cpu];
	uint32_t none;

	if (!c->v || !machine_processor())
		return;
	qualify(c->v->model, address, value, &c->select);
	if (c->v->package)
		qualify(c->v->package->model, address, value, &c->shared->select);
	some_count = false;
	memset(happenings_wanted, 0, sizeof happenings_wanted);
	for (c = cpus; c < &cpus[VPMU_CPUS]; c++) {
		const struct vpmu *v = c->v;

		if (!v)
			continue;
		c->counts = mark(v->model, v->state, c->select, c->counted, &c->precise);
		c->counts_loads = counts_loads(c->counted);
		want(c->counted);
		some_count |= c->counts;
	}
	for (struct shared *s = shared; s < &shared[machine_packages()]; s++) {
		const struct vpmu_package *p = s->v ? s->v->package : NULL;

		if (p)
			s->counts = mark(p->model, p->state, VPMU_ANY_SETTING, s->counted, &none);
		want(s->counted);
		some_count |= s->counts;
	}
}

bool happenings_can_raise(unsigned cpu, bool of_package, uint16_t code, uint8_t umask)
{
	const struct vpmu *v = cpus[cpu].v;
	bool exact;

	if (!v || (of_package && !v->package))
		return false;
	return of_package ? vpmu_happens(v->package->model, code, umask, cpus[cpu].shared->select, machine_packages(),
					 clock_used(), &exact) :
			    vpmu_happens(v->model, code, umask, cpus[cpu].select, machine_packages(), clock_used(),
					 &exact);
}

//
// Reports
//

static size_t take_of(unsigned cpu, bool many, struct occurrence occurrences[HAPPENINGS_TAKEN_MOST])
{
	struct concerned *c = &cpus[cpu];
	const struct occurrence o = {
		.thread = c->v ? (uint8_t)c->v->thread : 0, .level = c->v ? (uint8_t)c->v->level : 0,
		.ip = loads_of[cpu].ip, .many = many,
	};

	return !c->happened.some ? 0 : take(c->v->model, &c->happened, &o, &loads_of[cpu], occurrences);
}

size_t happenings_take(unsigned cpu, struct occurrence occurrences[HAPPENINGS_TAKEN_MOST])
{
	return take_of(cpu, false, occurrences);
}

// In the last of `cycles` that pass; if none does, in one without anything else. `alone`: one instruction has executed.
static void report(unsigned cpu, uint64_t cycles, bool alone)
{
	struct occurrence occurrences[HAPPENINGS_TAKEN_MOST];
	const size_t count = take_of(cpu, !alone, occurrences);
	struct vpmu *v = cpus[cpu].v;

	if (cycles) {
		feed_pass(&feeds[cpu], cycles, occurrences, count);
	} else {
		v->model->connect(v->state, occurrences, count);
		v->model->run(v->state, 1);
		vpmu_resume(v);
	}
}

void happenings_report(unsigned cpu, struct mailbox *box)
{
	const uint64_t own = (box->call == MAILBOX_WRITE || box->call == MAILBOX_EXECUTE) && box->cycles;
	const struct feed *f = &feeds[cpu];
	const uint64_t executed = f->position - f->passed;
	const uint64_t passing = executed && (int64_t)(box->cycles - own - f->passed) > f->again ?
				 box->cycles - own : 0;

	loads_pass(cpu, executed);
	for (unsigned i = 0; i < VPMU_CPUS; i++) {
		const struct vpmu *v = cpus[i].v;
		const bool passes = passing && i == cpu && v && !v->halted;

		if (!cpus[i].happened.some)
			continue;
		report(i, passes ? passing : 0, i == cpu && executed == 1);
		if (passes)
			box->cycles = own;
	}
	for (struct shared *s = shared; s < &shared[machine_packages()]; s++)
		if (s->happened.some)
			report_shared(s, 0);
}
