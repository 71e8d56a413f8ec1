// SPDX-License-Identifier: BSD-2-Clause
// Converts issued instructions to cycles of the PMU model: timed.h.
//
//	cycle    passed              retiring           at                  clock.issue.now
//	---------|-------------------|------------------|-------------------|---------------> time
//	         the model           retired            current             the next instruction
//	         knows these         instructions       instruction         issues here or later

#include "timed.h"

#include <string.h>

#include "core_clock.h"
#include "packages.h"
#include "pmus.h"
#include "signals.h"

static struct timed {
	struct issuing {
		struct core_clock clock;
		// the divider is busy from cycle `divides` until before `divided`
		uint64_t divides, divided;
	// current state; state before the current instruction
	} issuing, before;
	uint64_t passed;
	// cycle in which the current instruction issued; 0: none
	uint64_t at;
	uint64_t retiring;			// cycle of the last retired instructions; 0: none
	unsigned retired;			// instructions retired in that cycle
	size_t count;				// number of their event signals
	struct occurrence raised[2 * SIGNALS_MOST];
	// Two buffers of signals: the model reads the connected one until the next connect.
	struct occurrence signals[2][VPMU_CLOCK_MOST + 3 * SIGNALS_MOST];
	unsigned next;
	bool locks;				// a bus lock has emptied the package's queues
	const struct flights *flights;
} times[CPUS_MOST];
static struct timed *running = times;
static const struct processor *processor;

void timed_begin(const struct processor *described)
{
	processor = described;
}

void timed_begin_packages(unsigned count)
{
	for (unsigned number = 0; number < count; number++)
		if (pmus_package(number))
			packages_start(number, pmus_package(number), count);
}

void timed_begin_fills(const struct cpu *c, const struct flights *flights)
{
	times[c->number].flights = flights;
}

// Switches to a vCPU. Its cycles continue after the last cycle of the previous one.
static struct timed *run(const struct cpu *c)
{
	struct timed *t = &times[c->number];

	if (t != running)
		t->passed = running->passed;
	return running = t;
}

static void wait(struct timed *t, uint64_t until)
{
	issue_wait(&t->issuing.clock.issue, processor->width[WIDTH_ISSUE], until);
}

//
// Cycles
//

// Writes the clock's signals of a cycle in which `instructions` instructions retire. Reference
// cycles follow the time-stamp counter, which counts instructions.
static size_t connect_clock(const struct cpu *c, unsigned instructions, struct occurrence *to)
{
	const struct model_machine *machine = c->vpmu.model->machine;
	size_t count, connected = 0;
	const struct occurrence *clock = model_clock(c->vpmu.model, c->vpmu.thread, c->vpmu.level,
						     &count);
	const size_t of_cycle = count - machine->clock_cycles,
		of_reference = count - machine->clock_references;

	for (size_t i = 0; i < count; i++) {
		const unsigned times_each = i >= of_cycle && i < of_reference ? 1 : instructions;

		to[connected] = clock[i];
		to[connected].n *= times_each;
		connected += times_each > 0;
	}
	return connected;
}

// Writes the signals of pending fills and divides in a cycle. *until: the first later cycle in
// which they may change.
static size_t add_waits(const struct cpu *c, const struct timed *t, uint64_t cycle, uint64_t *until,
			struct occurrence *to)
{
	const struct signals *s = &c->core->signals;
	const struct occurrence o = {.thread = (uint8_t)c->vpmu.thread,
				     .level = (uint8_t)c->vpmu.level};
	const bool divides = t->issuing.divides <= cycle && cycle < t->issuing.divided;
	const unsigned fills = t->flights && (s->counted[CPU_EVENT_FILL_PENDING] ||
					      s->counted[CPU_EVENT_FILL_FULL]) ?
			       flights_count(t->flights, cycle, until) : 0;
	size_t count = 0;

	if (fills)
		count = signals_raise(s, CPU_EVENT_FILL_PENDING, fills, 0, &o, false, to, count);
	if (fills && fills >= processor->queue[QUEUE_FILL])
		count = signals_raise(s, CPU_EVENT_FILL_FULL, 1, 0, &o, false, to, count);
	if (divides)
		count = signals_raise(s, CPU_EVENT_DIVIDER_BUSY, 1, 0, &o, false, to, count);
	if (divides && t->issuing.divided < *until)
		*until = t->issuing.divided;
	if (cycle < t->issuing.divides && t->issuing.divides < *until)
		*until = t->issuing.divides;
	return count;
}

// Connects a cycle in which `instructions` instructions retire with the signals `raised`. Returns
// the first later cycle that may differ in other signals.
static uint64_t connect(struct cpu *c, struct timed *t, uint64_t cycle, unsigned instructions,
			const struct occurrence *raised, size_t raised_count)
{
	struct occurrence *const signals = t->signals[t->next];
	uint64_t until = UINT64_MAX;
	size_t count = connect_clock(c, instructions, signals);

	count += add_waits(c, t, cycle, &until, signals + count);
	if (raised_count)
		memcpy(signals + count, raised, raised_count * sizeof *raised);
	vpmu_connect(&c->vpmu, signals, count + raised_count);
	t->next = !t->next;
	return until;
}

static void pass_retiring(struct cpu *c, struct timed *t)
{
	connect(c, t, t->retiring, t->retired, t->raised, t->count);
	vpmu_run(&c->vpmu, 1);
	t->passed = t->retiring;
	t->retiring = t->retired = 0;
	t->count = 0;
}

static void pass(struct cpu *c, struct timed *t, uint64_t to)
{
	while (t->passed < to) {
		uint64_t end;

		if (t->retiring == t->passed + 1) {
			pass_retiring(c, t);
			continue;
		}
		end = connect(c, t, t->passed + 1, 0, NULL, 0) - 1;
		if (t->retiring && t->retiring - 1 < end)
			end = t->retiring - 1;
		if (to < end)
			end = to;
		vpmu_run(&c->vpmu, end - t->passed);
		t->passed = end;
	}
	if (pmus_packages_count())
		packages_follow();
}

void timed_settle(struct cpu *c)
{
	struct timed *t = run(c);

	if (t->retiring)
		pass(c, t, t->retiring);
	if (!t->at && t->issuing.clock.issue.now)
		pass(c, t, t->issuing.clock.issue.now - 1);
	vpmu_resume(&c->vpmu);
}

//
// Instructions
//

// Returns true if the current instruction must be alone in its cycle: it accesses the PMU, executes
// at a new privilege level, or a record must hold the registers right after it.
static bool issues_alone(const struct cpu *c, const struct timed *t)
{
	return c->current->access || c->current->level != c->vpmu.level ||
	       vpmu_outputs(&c->vpmu)->records ||
	       t->count > SIGNALS_MOST;
}

// The divider executes one divide at a time.
static void divide(struct timed *t, const struct instruction *i)
{
	const unsigned latency = processor->latency[LATENCY_DIVIDE] ?
		processor->latency[LATENCY_DIVIDE] : 1;

	t->issuing.divides = t->at;
	t->issuing.divided = t->at + latency;
	issue_write(&t->issuing.clock.issue, i->is.pipes.writes, t->issuing.divided);
}

void timed_issue(struct cpu *c)
{
	const struct instruction *i = c->current;
	struct timed *t = run(c);
	struct issue *issue = &t->issuing.clock.issue;
	const bool divides = i->is.raises & CPU_EVENT_SET(DIVIDE), alone = issues_alone(c, t);

	t->before = t->issuing;
	wait(t, t->passed + 1);
	if (alone && t->retiring)
		wait(t, t->retiring + 1);
	if (divides)
		wait(t, t->issuing.divided);
	t->at = core_clock_issue(&t->issuing.clock, processor, &i->is);
	if (divides)
		divide(t, i);
	if (i->access)
		issue->left = 0;
	if (t->at == t->retiring)
		return;
	pass(c, t, t->at - 1);
	vpmu_set_level(&c->vpmu, i->level);
	if (t->locks)
		vpmu_bus_lock(&c->vpmu);
	t->locks = false;
}

void timed_undo(const struct cpu *c)
{
	struct timed *t = &times[c->number];

	t->issuing = t->before;
	t->at = 0;
}

void timed_drop(const struct cpu *c)
{
	times[c->number].at = 0;
}

void timed_retire(struct cpu *c, const struct occurrence *signals, size_t count)
{
	struct timed *t = run(c);

	if (t->at <= t->passed) {	// other vCPUs have executed in between
		wait(t, t->passed + 1);
		t->at = t->issuing.clock.issue.now;
	}
	t->retiring = t->at;
	t->at = 0;
	t->retired++;
	if (count)
		memcpy(t->raised + t->count, signals, count * sizeof *signals);
	t->count += count;
}

void timed_connect_write(struct cpu *c, const struct occurrence *signals, size_t count)
{
	struct timed *t = run(c);

	pass(c, t, t->at - 1);
	connect(c, t, t->at, 1, signals, count);
	t->passed = t->at;
	t->at = 0;
}

//
// Memory references
//

uint64_t timed_now(const struct cpu *c)
{
	return timed_is_used ? run(c)->issuing.clock.issue.now : 0;
}

void timed_refer(const struct cpu *c, enum access access, const struct reached *reached)
{
	if (timed_is_used)
		core_clock_refer(&run(c)->issuing.clock, processor, access, reached);
}

void timed_wait(const struct cpu *c, uint64_t until)
{
	if (timed_is_used)
		wait(run(c), until);
}

void timed_lock_bus(const struct cpu *c, uint64_t until)
{
	timed_wait(c, until);
	times[c->number].locks = timed_is_used;
}

void timed_happens(void *context, unsigned package, enum cpu_event what, uint64_t address,
		   uint64_t cycle)
{
	(void)context;
	packages_at(package, what, address, 0, cycle - running->passed);
}
