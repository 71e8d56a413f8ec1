// SPDX-License-Identifier: BSD-2-Clause
// The timed clock: timed.h. Instructions issue in order; hal/emu/model/README.md says what waits for what.

#include "timed.h"

#include "../model/issue.h"

bool timed_is_used;

#define LATENCY(name)	(1u << LATENCY_##name)
#define QUEUE(name)	(1u << QUEUE_##name)

const struct processor_needs timed_needs = {
	.latencies = LATENCY(L1D) | LATENCY(L2) | LATENCY(L3) | LATENCY(L3_SHARED) | LATENCY(L3_MODIFIED) |
		     LATENCY(MEMORY) | LATENCY(REMOTE_CACHE) | LATENCY(REMOTE_MEMORY),
	.widths = 1u << WIDTH_ISSUE,
	.queues = QUEUE(GQ_READ) | QUEUE(GQ_WRITE) | QUEUE(GQ_PEER) | QUEUE(QHL_LOCAL) | QUEUE(QHL_ALONE) |
		  QUEUE(QHL_REMOTE) | QUEUE(IMC_READ) | QUEUE(IMC_WRITE),
};

static struct timed {
	struct issue issue;
	size_t issued;			// of the block that is executed
	const struct classes *last;	// that has issued
	uint64_t loaded;		// what it loads is there from this cycle on
	uint64_t taken, taken_busy;	// cycles that have been reported
} cpus[VPMU_CPUS], *running = cpus;
static unsigned width, nearest;	// nearest: the L1 data cache's latency

void timed_begin(const struct processor *processor)
{
	width = processor->width[WIDTH_ISSUE];
	nearest = processor->latency[LATENCY_L1D];
}

// One CPU executes at a time. It goes on in the cycle behind that in which another one has stopped, and what has passed
// meanwhile is not its own.
static struct timed *run(unsigned cpu)
{
	struct timed *t = &cpus[cpu];
	const uint64_t now = running->issue.now;

	if (now > t->issue.now) {
		t->taken += now - t->issue.now;
		t->issue.now = now;
		t->issue.left = 0;
	}
	running = t;
	return t;
}

// What is computed can be used in the next cycle.
uint64_t timed_follow(unsigned cpu, const struct block *block, size_t begun)
{
	struct timed *t = run(cpu);

	for (; t->issued < begun; t->issued++) {
		t->last = &block->instruction[t->issued];
		t->loaded = issue_next(&t->issue, width, t->last->pipes.reads);
		issue_write(&t->issue, t->last->pipes.writes, t->issue.now + 1);
	}
	return t->issue.now;
}

void timed_leave_block(unsigned cpu)
{
	cpus[cpu].issued = 0;
}

// Whether what it loads goes into general registers, but for the stack pointer that it moves.
static bool loads_register(const struct classes *c)
{
	return c->pipes.delays && !c->stores && !c->branch;
}

void timed_refer(unsigned cpu, enum access access, const struct reached *reached)
{
	struct timed *t = run(cpu);
	const uint64_t until = t->issue.now + reached->latency;
	const bool misses = reached->latency > nearest;

	issue_wait(&t->issue, width, t->issue.now + reached->waits);
	if (access == ACCESS_LOCK || (access == ACCESS_FETCH && misses))
		issue_wait(&t->issue, width, until);
	if (access != ACCESS_LOAD || until <= t->loaded)
		return;
	t->loaded = until;
	if (loads_register(t->last))
		issue_write(&t->issue, t->last->pipes.delays, until);
	else if (!t->last->branch && misses)
		issue_wait(&t->issue, width, until);
}

void timed_wait(unsigned cpu, uint64_t until)
{
	issue_wait(&run(cpu)->issue, width, until);
}

unsigned timed_cpu(void)
{
	return (unsigned)(running - cpus);
}

uint64_t timed_now(void)
{
	return running->issue.now;
}

uint64_t timed_passed(void)
{
	return running->issue.now - running->taken;
}

uint64_t timed_take(unsigned cpu, uint64_t *busy)
{
	struct timed *t = &cpus[cpu];
	const uint64_t cycles = t->issue.now - t->taken;

	*busy = t->issue.busy - t->taken_busy;
	t->taken = t->issue.now;
	t->taken_busy = t->issue.busy;
	return cycles;
}

//
// Headroom
//

#define COUNTERS_MOST 32	// of a core, all threads'

static bool is_of_cycles(const struct pmu_model *model, const struct model_event *event)
{
	size_t count;
	const struct occurrence *clock = model_clock(model, 0, 0, &count);

	for (size_t i = count - model->clock_cycles; i < count; i++)
		if (vpmu_counts(model, &clock[i], event->code, event->umask))
			return true;
	return false;
}

// Cycles until one of the counters overflows that count these. Others count so much at most in each.
static uint64_t measure(const struct pmu_model *model, void *state, struct model_most others)
{
	struct model_most most[COUNTERS_MOST];
	struct model_headroom headroom;
	struct model_event event;
	unsigned number = 0;

	for (unsigned thread = 0; thread < model->threads; thread++)
		for (size_t g = 0; g < model->group_count; g++)
			for (unsigned i = 0; i < model->groups[g].count && number < COUNTERS_MOST; i++, number++) {
				bool cycles = false;

				if (g)
					cycles = is_of_cycles(model, &model->groups[g].event[i]);
				else if (vpmu_selects(model, state, thread, i, &event))
					cycles = is_of_cycles(model, &event);
				most[number] = cycles ? (struct model_most){.cycle = 1} : others;
			}
	model->headroom(state, most, &headroom);
	return headroom.cycles;
}

uint64_t timed_headroom(const struct vpmu *v)
{
	uint64_t cycles, of_package = MODEL_FAR;

	if (!timed_is_used)
		return MODEL_FAR;
	cycles = measure(v->model, v->state, (struct model_most){.instruction = 1});
	if (v->package)
		of_package = measure(v->package->model, v->package->state,
				     (struct model_most){.cycle = PROCESSOR_QUEUE});
	cycles = (cycles < of_package ? cycles : of_package) / TIMED_CYCLES_MOST;
	return cycles > TIMED_SKID ? cycles : TIMED_SKID;
}
