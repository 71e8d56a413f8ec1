// SPDX-License-Identifier: BSD-2-Clause
// Converts executed instructions to cycles of the PMU model: timed.h.
//
//	cycle    final               passed    retiring
//	---------|-------------------|---------|---------------> time
//	         late events are     the model known retired
//	         known               counts    instructions

#include "timed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../model/pipeline.h"
#include "allocate.h"
#include "packages.h"
#include "pmus.h"
#include "signals.h"

#define LATENCY(name)	(1u << LATENCY_##name)
#define QUEUE(name)	(1u << QUEUE_##name)

const struct processor_needs timed_needs = {
	.latencies = PIPELINE_LATENCIES | LATENCY(L2) | LATENCY(L3) | LATENCY(L3_SHARED) |
		LATENCY(L3_MODIFIED) | LATENCY(MEMORY) | LATENCY(REMOTE_CACHE) |
		LATENCY(REMOTE_MEMORY),
	.widths = PIPELINE_WIDTHS,
	.queues = PIPELINE_QUEUES | QUEUE(FILL) | QUEUE(GQ_READ) | QUEUE(GQ_WRITE) |
		QUEUE(GQ_PEER) | QUEUE(QHL_LOCAL) | QUEUE(QHL_ALONE) | QUEUE(QHL_REMOTE) |
		QUEUE(IMC_READ) | QUEUE(IMC_WRITE),
};

static struct timed {
	struct pipeline *pipeline;		// NULL: not yet begun
	struct cpu *cpu;
	struct pipeline_run executed;		// the current instruction, so far
	uint64_t passed;			// last cycle that the model knows
	uint64_t retiring;			// cycle of the last retired instructions; 0: none
	unsigned retired;			// instructions retired in that cycle
	size_t count;				// number of their event signals
	struct occurrence raised[2 * SIGNALS_MOST];
	// Two buffers of signals: the model reads the connected one until the next connect.
	struct occurrence signals[2][VPMU_CLOCK_MOST + 2 * SIGNALS_MOST];
	unsigned next;
	uint32_t late, front;			// late counters, as enabled since the last
						// settling: all others; those of fetch and decode
	bool settled;				// no instruction has retired since
	bool locks;				// a bus lock has emptied the package's queues
	const struct flights *flights;
} times[CPUS_MOST];
static struct timed *running = times;
static const struct processor *processor;
static uint64_t unknown;	// instructions that the description lacks

void timed_begin(const struct processor *described)
{
	processor = described;
}

void timed_end(void)
{
	if (unknown)
		fprintf(stderr, "palmon: not modelled: %" PRIu64 " instructions that the "
			"processor's description lacks; each took one micro-op\n", unknown);
}

const struct processor *timed_processor(void)
{
	return processor;
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

//
// Retirement
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

// Connects a cycle in which `instructions` instructions retire with the signals `raised`.
static void connect(struct cpu *c, struct timed *t, unsigned instructions,
		    const struct occurrence *raised, size_t raised_count)
{
	struct occurrence *const signals = t->signals[t->next];
	const size_t count = connect_clock(c, instructions, signals);

	if (raised_count)
		memcpy(signals + count, raised, raised_count * sizeof *raised);
	vpmu_connect(&c->vpmu, signals, count + raised_count);
	t->next = !t->next;
}

// The package's cycles pass with the late events.
static void pass_cycles(struct cpu *c, struct timed *t, uint64_t cycles)
{
	c->vpmu.model->advance(c->vpmu.state, cycles, c->vpmu.signals, c->vpmu.signal_count);
	t->passed += cycles;
}

static void pass_retiring(struct cpu *c, struct timed *t)
{
	connect(c, t, t->retired, t->raised, t->count);
	pass_cycles(c, t, 1);
	t->retiring = t->retired = 0;
	t->count = 0;
}

static void pass(struct cpu *c, struct timed *t, uint64_t to)
{
	while (t->passed < to) {
		const uint64_t end = t->retiring && t->retiring <= to ? t->retiring - 1 : to;

		if (t->passed == end) {
			pass_retiring(c, t);
			continue;
		}
		connect(c, t, 0, NULL, 0);
		pass_cycles(c, t, end - t->passed);
	}
}

//
// Late events
//

static size_t raise_late(const struct cpu *c, const struct timed *t,
			 const struct pipeline_cycle *cycle, struct occurrence *to)
{
	static const struct {
		uint16_t state;
		enum cpu_event raises;
	} states[] = {
		{PIPELINE_ROB_FULL, CPU_EVENT_REORDER_FULL},
		{PIPELINE_RS_FULL, CPU_EVENT_SCHEDULER_FULL},
		{PIPELINE_LOADS_FULL, CPU_EVENT_LOADS_FULL},
		{PIPELINE_STORES_FULL, CPU_EVENT_STORES_FULL},
		{PIPELINE_REGISTER_READ, CPU_EVENT_REGISTER_READ_STALL},
		{PIPELINE_SERIALIZED, CPU_EVENT_SERIALIZED},
		{PIPELINE_DIVIDES, CPU_EVENT_DIVIDER_BUSY},
		{PIPELINE_PARTIAL_FLAGS, CPU_EVENT_PARTIAL_FLAGS_STALL},
		{PIPELINE_PARTIAL, CPU_EVENT_PARTIAL_STALL},
		{PIPELINE_CONTROL_WORD, CPU_EVENT_CONTROL_WORD_STALL},
		{PIPELINE_MXCSR, CPU_EVENT_MXCSR_STALL},
		{PIPELINE_CLEARS, CPU_EVENT_CLEARING},
	};
	const struct signals *s = &c->core->signals;
	const struct occurrence o = {.thread = (uint8_t)c->vpmu.thread,
				     .level = (uint8_t)c->vpmu.level};
	struct {
		enum cpu_event what;
		unsigned n;
	} numbers[] = {
		{CPU_EVENT_UOP_ISSUED, cycle->issued}, {CPU_EVENT_UOP_ISSUED_FUSED, cycle->pairs},
		{CPU_EVENT_LOOP_UOP, cycle->states & PIPELINE_LOOP ? cycle->issued : 0},
		{CPU_EVENT_FILL_PENDING, 0}, {CPU_EVENT_FILL_FULL, 0},
		{CPU_EVENT_LOAD_ALIAS, cycle->aliases}, {CPU_EVENT_LOAD_BLOCKED, cycle->blocked},
		{CPU_EVENT_LOAD_DISPATCHED,
		 (cycle->executed >> PROCESSOR_LOAD & 1u) - cycle->blocked},
	};
	uint64_t until;
	size_t count = 0;

	if (t->flights && (s->counted[CPU_EVENT_FILL_PENDING] || s->counted[CPU_EVENT_FILL_FULL])) {
		numbers[3].n = flights_count(t->flights, t->pipeline->taken, &until);
		numbers[4].n = numbers[3].n >= processor->queue[QUEUE_FILL];
	}
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (numbers[i].n)
			count = signals_raise(s, numbers[i].what, numbers[i].n, 0, &o, false, to,
					      count);
	for (unsigned port = 0; port < PIPELINE_PORTS; port++)
		if (cycle->executed >> port & 1)
			count = signals_raise(s, CPU_EVENT_UOP_PORT_0 + port, 1, 0, &o, false, to,
					      count);
	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		if (cycle->states & states[i].state)
			count = signals_raise(s, states[i].raises, 1, 0, &o, false, to, count);
	return count;
}

static size_t raise_front(const struct cpu *c, const struct pipeline_front *front,
			  struct occurrence *to)
{
	const struct occurrence o = {.thread = (uint8_t)c->vpmu.thread,
				     .level = (uint8_t)c->vpmu.level};
	size_t count = 0;

	for (unsigned i = 0; i < FRONT_EVENTS; i++)
		if (front->n[i])
			count = signals_raise(&c->core->signals, CPU_EVENT_FRONT_WRITTEN + i,
					      front->n[i], 0, &o, false, to, count);
	return count;
}

// Passes the final cycles to late counters, and to the package.
static void pass_late(struct cpu *c, struct timed *t)
{
	const struct model_machine *machine = c->vpmu.model->machine;
	struct occurrence late[SIGNALS_MOST];
	const struct pipeline_cycle *cycle;
	const struct pipeline_front *front;
	uint64_t cycles = 0;

	for (; (cycle = pipeline_take(t->pipeline)); cycles++)
		if (t->late)
			machine->count_late(c->vpmu.state, t->late, late,
					    raise_late(c, t, cycle, late));
	while ((front = pipeline_take_front(t->pipeline)))
		machine->count_late(c->vpmu.state, t->front, late, raise_front(c, front, late));
	vpmu_package_run(&c->vpmu, cycles);
	if (cycles && pmus_packages_count())
		packages_follow();
}

// Runs the pipeline empty, to cycle `until` at least.
static void drain(struct cpu *c, struct timed *t, uint64_t until)
{
	pipeline_drain(t->pipeline, until > t->retiring ? until : t->retiring + 1);
	pass(c, t, t->pipeline->now - 1);
	pass_late(c, t);
}

static void settle(struct timed *t)
{
	drain(t->cpu, t, 0);
	t->settled = true;
	vpmu_resume(&t->cpu->vpmu);
}

static void select_late(const struct cpu *c, struct timed *t)
{
	const struct signals *s = &c->core->signals;
	const uint32_t late = vpmu_outputs(&c->vpmu)->late & s->late[c->vpmu.thread];

	t->late = late & ~s->front;
	t->front = late & s->front;
	pipeline_follow_front(t->pipeline, t->front);
}

// Switches to a vCPU. Its cycles continue after the last cycle of the previous one. If its pipeline
// is empty, registers may have changed.
static struct timed *run(const struct cpu *c)
{
	struct timed *t = &times[c->number];

	if (t != running && running->pipeline && !running->settled)
		settle(running);
	if (!t->pipeline) {
		t->pipeline = allocate(sizeof *t->pipeline);
		t->cpu = &cpus[c->number];
		pipeline_begin(t->pipeline, processor);
	}
	if (t->settled)
		select_late(c, t);
	if (t != running) {
		t->passed = running->passed;
		pipeline_skip(t->pipeline, t->passed + 1);
	}
	return running = t;
}

void timed_settle(struct cpu *c)
{
	settle(run(c));
}

//
// Instructions
//

// An overflow in the last cycle stops the guest before the next instruction, although that one
// could still retire in the cycle.
static void pass_overflow(struct cpu *c, struct timed *t)
{
	if (!t->retiring)
		return;
	connect(c, t, t->retired, t->raised, t->count);
	if (!vpmu_outputs(&c->vpmu)->headroom || vpmu_outputs(&c->vpmu)->records)
		pass(c, t, t->retiring);
}

void timed_issue(struct cpu *c)
{
	struct timed *t = run(c);

	if (c->vpmu.level != c->current->level || t->locks)
		timed_settle(c);
	vpmu_set_level(&c->vpmu, c->current->level);
	if (t->locks)
		vpmu_bus_lock(&c->vpmu);
	t->locks = false;
	pass_overflow(c, t);
}

void timed_drop(const struct cpu *c)
{
	struct pipeline_run *executed = &times[c->number].executed;

	executed->fetch = executed->loads = executed->stores = 0;
	executed->clears = false;
}

// After its last iteration, QEMU begins a repeated string once more, to find that none is left: no
// micro-ops.
static const struct pipeline_instruction *uops_executed(const struct timed *t,
							const struct instruction *i)
{
	static struct pipeline_instruction none;

	if (!(i->is.kinds & CLASS_REPEATED) || t->executed.loads || t->executed.stores)
		return i->uops;
	none = (struct pipeline_instruction){.length = i->size, .repeats = true};
	return &none;
}

// Returns the cycle in which the instruction retires.
static uint64_t add(struct cpu *c, struct timed *t, const struct instruction *i, uint64_t next)
{
	uint64_t cycle;

	t->executed.instruction = uops_executed(t, i);
	t->executed.address = c->address;
	t->executed.next = next;
	t->executed.mispredicted = c->mispredicted;
	t->executed.redirected = c->redirected;
	cycle = pipeline_add(t->pipeline, &t->executed);
	unknown += i->uops->unknown;
	timed_drop(c);
	return cycle;
}

// Appends the signals of the instruction's micro-ops. Returns the number of signals.
static size_t raise_retired(const struct cpu *c, const struct timed *t, struct occurrence *to,
			    size_t count)
{
	const struct signals *s = &c->core->signals;
	const struct occurrence o = {.thread = (uint8_t)c->vpmu.thread, .ip = c->address,
				     .level = (uint8_t)c->vpmu.level};
	const struct pipeline_instruction *i = t->executed.instruction;
	const unsigned slots = pipeline_slots(i) + t->pipeline->inserted,
		uops = i->count + t->pipeline->inserted;

	if (slots)
		count = signals_raise(s, CPU_EVENT_UOP_SLOT_RETIRED, slots, 0, &o, false, to,
				      count);
	return uops ? signals_raise(s, CPU_EVENT_UOP_RETIRED, uops, 0, &o, false, to, count) :
	       count;
}

// Returns the cycle in which the model sees an instruction retire: an overflow in an earlier cycle,
// in which nothing retires, stops the guest after the instruction, which QEMU has executed.
static uint64_t stops_at(struct cpu *c, struct timed *t, uint64_t cycle)
{
	uint64_t left;

	if (cycle <= t->passed + 1)
		return cycle;
	connect(c, t, 0, NULL, 0);
	left = vpmu_outputs(&c->vpmu)->steady;
	return left < cycle - 1 - t->passed ? t->passed + left + 1 : cycle;
}

// Micro-ops retire that end so many instructions, 1 or 0.
static void retire(struct cpu *c, const struct instruction *i, uint64_t next, unsigned instructions,
		   const struct occurrence *signals, size_t count)
{
	struct timed *t = run(c);
	uint64_t cycle;

	t->settled = false;
	cycle = add(c, t, i, next);
	if (cycle <= t->passed)		// it has passed with an overflow
		cycle = t->passed + 1;
	if (t->retiring && (t->retiring < cycle || t->count + count > 2 * SIGNALS_MOST - 4))
		pass(c, t, t->retiring);
	t->retiring = t->retiring ? t->retiring : stops_at(c, t, cycle);
	t->retired += instructions;
	if (count)
		memcpy(t->raised + t->count, signals, count * sizeof *signals);
	t->count = raise_retired(c, t, t->raised, t->count + count);
	pass(c, t, t->retiring < cycle ? cycle : cycle - 1);
	pass_late(c, t);
}

void timed_retire(struct cpu *c, const struct instruction *i, uint64_t next,
		  const struct occurrence *signals, size_t count)
{
	retire(c, i, next, 1, signals, count);
}

void timed_iterate(struct cpu *c, const struct instruction *i)
{
	retire(c, i, c->address, 0, NULL, 0);
}

void timed_connect_write(struct cpu *c, const struct instruction *i,
			 const struct occurrence *signals, size_t count)
{
	struct timed *t = run(c);
	const uint64_t cycle = add(c, t, i, c->address + i->size);

	pass(c, t, cycle - 1);
	pipeline_drain(t->pipeline, 0);
	pass_late(c, t);
	if (count)
		memcpy(t->raised, signals, count * sizeof *signals);
	connect(c, t, 1, t->raised, raise_retired(c, t, t->raised, count));
	t->passed = cycle;
	t->settled = true;
}

//
// Memory references
//

uint64_t timed_now(const struct cpu *c)
{
	return timed_is_used ? run(c)->pipeline->now : 0;
}

uint64_t timed_load(const struct cpu *c)
{
	return pipeline_executes_load(run(c)->pipeline, c->current->uops);
}

static void add_reference(struct pipeline_reference *references, unsigned *count, uint64_t linear,
			  unsigned size, unsigned latency)
{
	if (*count < PIPELINE_REFERENCES)
		references[(*count)++] = (struct pipeline_reference){linear, size, latency};
}

void timed_refer(const struct cpu *c, enum access access, uint64_t linear, unsigned size,
		 const struct reached *reached)
{
	struct pipeline_run *executed = &times[c->number].executed;
	const unsigned hit = processor->latency[LATENCY_L1D],
		latency = reached ? reached->latency : hit,
		more = latency > hit ? latency - hit : 0;

	executed->clears |= reached && reached->clears;
	if (access == ACCESS_FETCH)
		executed->fetch += more;
	if (access == ACCESS_LOAD || access == ACCESS_LOCK)
		add_reference(executed->load, &executed->loads, linear, size, latency);
	if (access == ACCESS_STORE || access == ACCESS_STREAM || access == ACCESS_LOCK)
		add_reference(executed->store, &executed->stores, linear, size, more);
}

void timed_wait(const struct cpu *c, uint64_t until)
{
	if (timed_is_used)
		pipeline_wait(run(c)->pipeline, until);
}

void timed_lock_bus(const struct cpu *c, uint64_t until)
{
	timed_wait(c, until);
	times[c->number].locks = timed_is_used;
}

void timed_happens(void *context, unsigned package, enum cpu_event what, uint64_t address,
		   uint64_t cycle)
{
	const uint64_t final = running->pipeline->taken;

	(void)context;
	packages_at(package, what, address, 0, cycle > final ? cycle - final : 0);
}
