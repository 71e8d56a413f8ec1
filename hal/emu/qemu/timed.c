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
#include "batch.h"
#include "packages.h"
#include "pmus.h"
#include "signals.h"
#include "threads.h"

#define LATENCY(name)	(1ull << LATENCY_##name)
#define QUEUE(name)	(1u << QUEUE_##name)

// Needs of the pipeline, and of the packages' queues.
static const struct processor_needs needs = {
	.latencies = PIPELINE_LATENCIES | LATENCY(L2) | LATENCY(L3) | LATENCY(L3_SHARED) |
		LATENCY(L3_MODIFIED) | LATENCY(MEMORY) | LATENCY(REMOTE_CACHE) |
		LATENCY(REMOTE_MEMORY),
	.widths = PIPELINE_WIDTHS,
	.queues = PIPELINE_QUEUES | QUEUE(FILL) | QUEUE(GQ_READ) | QUEUE(GQ_WRITE) |
		QUEUE(GQ_PEER) | QUEUE(QHL_LOCAL) | QUEUE(QHL_ALONE) | QUEUE(QHL_REMOTE) |
		QUEUE(IMC_READ) | QUEUE(IMC_WRITE),
};

// The late events of a cycle, compared as words: the pipeline's; micro-ops from the LSD; lines in
// flight, and whether they occupy all fill buffers.
struct activity {
	_Alignas(uint64_t) struct pipeline_cycle cycle;
	uint8_t looped, dispatched, fills, fills_full;
};
#define ACTIVITY_WORDS	(sizeof(struct activity) / sizeof(uint64_t))

// Late cycles that the model does not know yet: their number, by activity.
#define ALIKE		512	// 2^n
struct alike {
	uint64_t activity[ACTIVITY_WORDS], cycles;
};

// Cycles up to `passed` that the model does not know yet, because no overflow is near; the
// instructions that retired in them, with their micro-ops and slots. `left`: instructions and
// cycles that may still be deferred; 0: everything is passed to the model.
struct deferred {
	uint64_t left, cycles, instructions, uops, slots;
	size_t count;				// sums of event signals, in struct timed
};

static struct timed {
	struct pipeline *pipeline;		// NULL: not yet begun
	uint64_t passed;			// last cycle that has passed
	uint64_t retiring;			// cycle of the last retired instructions; 0: none
	unsigned retired;			// instructions retired in that cycle
	unsigned uops, slots;			// their micro-ops and slots, not yet signals
	uint64_t ip;				// address of the first one
	size_t count;				// number of their event signals, `raised`
	bool settled;				// no instruction has retired since
	bool locks;				// a bus lock has emptied the package's queues
	// Determined after each settling: late counters of the core that are enabled; whether they
	// count edges or lines in flight; whether counters of packages count; whether all other
	// counters need sums only.
	uint32_t late, front;			// all but those of fetch and decode; those
	bool edges, fills, packages, sums;
	uint64_t late_left;			// as deferred.left, of late cycles
	unsigned waited;			// instructions that did not find enough `left`
	unsigned next;				// index of `signals`
	struct deferred deferred;
	struct pipeline_run executed;		// the current instruction, so far
	uint64_t fused_at;			// address of the branch that fuses with the last
						// instruction; 0: none

	struct cpu *cpu;
	const struct flights *flights;
	uint64_t counted[ACTIVITY_WORDS];	// bits of the activity that late counters count
	struct alike alike[ALIKE];
	struct occurrence raised[2 * SIGNALS_MOST], sum[SIGNALS_MOST];
	// Two buffers of signals: the model reads the connected one until the next connect.
	struct occurrence signals[2][VPMU_CLOCK_MOST + 2 * SIGNALS_MOST];
} times[CPUS_MOST];
static struct timed *running = times;
static const struct processor *processor;
static uint64_t unknown;	// instructions that the description lacks

bool timed_begin(const struct processor *described, struct processor_error *error)
{
	processor = described;
	threads_are_used = timed_is_used && !described->queue[QUEUE_REORDER];
	if (threads_are_used)
		return threads_begin(described, error);
	return !timed_is_used || processor_has(described, &needs, error);
}

void timed_end(void)
{
	const uint64_t lacking = threads_are_used ? threads_unknown() : unknown;

	if (lacking)
		fprintf(stderr, "palmon: not modelled: %" PRIu64 " instructions that the "
			"processor's description lacks; each took one %s\n", lacking,
			threads_are_used ? "cycle" : "micro-op");
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

// Appends the signals of micro-ops of instructions, the first of them at `ip`. Returns the number
// of signals.
static size_t raise_uops(const struct cpu *c, uint64_t ip, uint64_t uops, uint64_t slots,
			 struct occurrence *to, size_t count)
{
	const struct signals *s = &c->core->signals;
	const struct occurrence o = {.thread = (uint8_t)c->vpmu.thread, .ip = ip,
				     .level = (uint8_t)c->vpmu.level};

	if (slots)
		count = signals_raise(s, CPU_EVENT_UOP_SLOT_RETIRED, (uint32_t)slots, 0, &o, false,
				      to, count);
	return uops ? signals_raise(s, CPU_EVENT_UOP_RETIRED, (uint32_t)uops, 0, &o, false, to,
				    count) : count;
}

static void connect_retiring(struct cpu *c, struct timed *t)
{
	t->count = raise_uops(c, t->ip, t->uops, t->slots, t->raised, t->count);
	t->uops = t->slots = 0;
	connect(c, t, t->retired, t->raised, t->count);
}

static void pass_retiring(struct cpu *c, struct timed *t)
{
	connect_retiring(c, t);
	pass_cycles(c, t, 1);
	t->retiring = t->retired = t->count = 0;
}

// Adds to the sum of the same event. False: there is none.
static bool add_to_sum(struct timed *t, const struct occurrence *o)
{
	for (struct occurrence *sum = t->sum; sum < t->sum + t->deferred.count; sum++)
		if (sum->code == o->code && sum->sub == o->sub && sum->opcode == o->opcode &&
		    sum->level == o->level) {
			sum->n += o->n;
			return true;
		}
	return false;
}

static void defer_retiring(struct timed *t)
{
	struct deferred *const d = &t->deferred;

	for (const struct occurrence *o = t->raised; o < t->raised + t->count; o++)
		if (!add_to_sum(t, o)) {
			t->sum[d->count] = *o;
			t->sum[d->count++].many = 1;
		}
	d->instructions += t->retired;
	d->uops += t->uops;
	d->slots += t->slots;
	d->left -= t->retired;
	t->retiring = t->retired = t->uops = t->slots = t->count = 0;
}

// Passes the cycles up to `to`.
static void pass_to_model(struct cpu *c, struct timed *t, uint64_t to)
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

static inline void pass(struct cpu *c, struct timed *t, uint64_t to)
{
	if (!t->deferred.left)
		pass_to_model(c, t, to);
	if (t->passed >= to)
		return;
	if (t->retiring && t->retiring <= to)
		defer_retiring(t);
	t->deferred.cycles += to - t->passed;
	t->deferred.left -= to - t->passed;
	t->passed = to;
}

// Ends deferring. The sums pass in the last one of the deferred cycles.
static void pass_deferred(struct cpu *c, struct timed *t)
{
	struct deferred *const d = &t->deferred;
	const uint64_t cycles = d->cycles;

	d->left = d->cycles = 0;
	if (!cycles)
		return;
	t->passed -= cycles;
	if (cycles > 1) {
		connect(c, t, 0, NULL, 0);
		pass_cycles(c, t, cycles - 1);
	}
	d->count = raise_uops(c, 0, d->uops, d->slots, t->sum, d->count);
	connect(c, t, (unsigned)d->instructions, t->sum, d->count);
	pass_cycles(c, t, 1);
	d->instructions = d->uops = d->slots = d->count = 0;
}

//
// Late events
//

#define STATE(state, name)								\
	{CPU_EVENT_##name, offsetof(struct activity, cycle.states) + (PIPELINE_##state > 0xFF),	\
	 PIPELINE_##state > 0xFF ? PIPELINE_##state >> 8 : PIPELINE_##state}
#define PORT(n) {CPU_EVENT_UOP_PORT_##n, offsetof(struct activity, cycle.executed), 1u << (n)}
#define NUMBER(member, name) {CPU_EVENT_##name, offsetof(struct activity, member), 0}

// The cpu events of an activity: once if one of the bits is set, or, without bits, as often as the
// member says.
static const struct late_event {
	uint16_t what;
	uint8_t member, bits;
} late_events[] = {
	NUMBER(cycle.issued, UOP_ISSUED), NUMBER(cycle.pairs, UOP_ISSUED_FUSED),
	NUMBER(looped, LOOP_UOP), NUMBER(cycle.aliases, LOAD_ALIAS),
	NUMBER(cycle.blocked, LOAD_BLOCKED), NUMBER(dispatched, LOAD_DISPATCHED),
	NUMBER(fills, FILL_PENDING), NUMBER(fills_full, FILL_FULL),
	PORT(0), PORT(1), PORT(2), PORT(3), PORT(4), PORT(5),
	STATE(ROB_FULL, REORDER_FULL), STATE(RS_FULL, SCHEDULER_FULL),
	STATE(LOADS_FULL, LOADS_FULL), STATE(STORES_FULL, STORES_FULL),
	STATE(REGISTER_READ, REGISTER_READ_STALL), STATE(SERIALIZED, SERIALIZED),
	STATE(DIVIDES, DIVIDER_BUSY), STATE(PARTIAL_FLAGS, PARTIAL_FLAGS_STALL),
	STATE(PARTIAL, PARTIAL_STALL), STATE(CONTROL_WORD, CONTROL_WORD_STALL),
	STATE(MXCSR, MXCSR_STALL), STATE(CLEARS, CLEARING),
};
#define LATE_EVENTS	(sizeof late_events / sizeof *late_events)

static void select_activity(const struct cpu *c, struct timed *t)
{
	uint8_t *const counted = (uint8_t *)t->counted;

	memset(counted, 0, sizeof t->counted);
	for (const struct late_event *l = late_events; l < late_events + LATE_EVENTS; l++)
		if (c->core->signals.counted[l->what])
			counted[l->member] |= l->bits ? l->bits : 0xFF;
}

static size_t raise_late(const struct cpu *c, const uint64_t *activity, struct occurrence *to)
{
	const uint8_t *const member = (const uint8_t *)activity;
	const struct occurrence o = {.thread = (uint8_t)c->vpmu.thread,
				     .level = (uint8_t)c->vpmu.level};
	size_t count = 0;

	for (const struct late_event *l = late_events; l < late_events + LATE_EVENTS; l++) {
		const unsigned n = l->bits ? (member[l->member] & l->bits) != 0 :
			member[l->member];

		if (n && c->core->signals.counted[l->what])
			count = signals_raise(&c->core->signals, (enum cpu_event)l->what, n, 0, &o,
					      false, to, count);
	}
	return count;
}

static void count_late(const struct cpu *c, const struct timed *t, const struct alike *alike)
{
	struct occurrence late[SIGNALS_MOST];

	c->vpmu.model->machine->count_late(c->vpmu.state, t->late, alike->cycles, late,
					   raise_late(c, alike->activity, late));
}

// Gives the late counters all cycles that they lack.
static void count_alike(const struct cpu *c, struct timed *t)
{
	for (struct alike *a = t->alike; a < t->alike + ALIKE; a++)
		if (a->cycles) {
			count_late(c, t, a);
			a->cycles = 0;
		}
}

static struct alike activity_of(const struct timed *t, const struct pipeline_cycle *cycle)
{
	struct activity activity = {
		.cycle = *cycle,
		.looped = pipeline_states(cycle) & PIPELINE_LOOP ? cycle->issued : 0,
		.dispatched = (uint8_t)((cycle->executed >> PROCESSOR_LOAD & 1) - cycle->blocked),
	};
	struct alike alike = {.cycles = 1};
	uint64_t until;

	if (t->fills) {
		activity.fills = (uint8_t)flights_count(t->flights, t->pipeline->taken, &until);
		activity.fills_full = activity.fills >= processor->queue[QUEUE_FILL];
	}
	memcpy(alike.activity, &activity, sizeof activity);
	for (unsigned i = 0; i < ACTIVITY_WORDS; i++)
		alike.activity[i] &= t->counted[i];
	return alike;
}

static void add_alike(const struct cpu *c, struct timed *t, const struct alike *cycle)
{
	uint64_t hash = 0;
	struct alike *a;

	for (unsigned i = 0; i < ACTIVITY_WORDS; i++)
		hash = (hash ^ cycle->activity[i]) * 0x9E3779B97F4A7C15u;
	a = &t->alike[t->edges ? 0 : hash >> 32 & (ALIKE - 1)];
	if (memcmp(a->activity, cycle->activity, sizeof a->activity)) {
		if (a->cycles)
			count_late(c, t, a);
		*a = *cycle;
	} else {
		a->cycles++;
	}
	t->late_left--;
}

// An overflow may freeze all counters.
static void count_exactly(struct cpu *c, struct timed *t, const struct alike *cycle)
{
	pass_deferred(c, t);
	count_alike(c, t);
	count_late(c, t, cycle);
}

// Returns true if the final cycles can wait: neither a late counter nor a package may overflow in
// them.
#define LATE_MOST	256	// cycles
static bool late_can_wait(const struct timed *t)
{
	const uint64_t cycles = pipeline_final(t->pipeline);

	return cycles < LATE_MOST && !t->packages && !t->front &&
	       (!t->late || (cycles < t->late_left && !t->fills));
}

static void count_front(const struct cpu *c, const struct timed *t,
			const struct pipeline_front *front)
{
	const struct occurrence o = {.thread = (uint8_t)c->vpmu.thread,
				     .level = (uint8_t)c->vpmu.level};
	struct occurrence late[SIGNALS_MOST];
	size_t count = 0;

	for (unsigned i = 0; i < FRONT_EVENTS; i++)
		if (front->n[i])
			count = signals_raise(&c->core->signals, CPU_EVENT_FRONT_WRITTEN + i,
					      front->n[i], 0, &o, false, late, count);
	c->vpmu.model->machine->count_late(c->vpmu.state, t->front, 1, late, count);
}

// Passes the final cycles to late counters, and to the package.
static void pass_late(struct cpu *c, struct timed *t)
{
	const struct pipeline_cycle *cycle;
	const struct pipeline_front *front;
	uint64_t cycles = 0;

	for (; (cycle = pipeline_take(t->pipeline)); cycles++) {
		struct alike alike;

		if (!t->late)
			continue;
		alike = activity_of(t, cycle);
		if (t->late_left)
			add_alike(c, t, &alike);
		else
			count_exactly(c, t, &alike);
	}
	while ((front = pipeline_take_front(t->pipeline)))
		count_front(c, t, front);
	vpmu_package_run(&c->vpmu, cycles);
	if (cycles && pmus_packages_count())
		packages_follow();
}

//
// Deferring
//

#define WAITS	64	// instructions before the next attempt to defer

// Determines how many instructions and cycles may be deferred. The model knows all others.
static void begin_deferring(const struct cpu *c, struct timed *t)
{
	t->late_left = batch_is_used && !t->packages && !t->front ? batch_left(c) : 0;
	t->deferred.left = t->sums ? t->late_left : 0;
	t->waited = 0;
}

// Registers may have changed, while the pipeline was empty.
static void renew(const struct cpu *c, struct timed *t)
{
	const struct model_outputs *outputs = vpmu_outputs(&c->vpmu);
	const bool *counted = c->core->signals.counted;

	t->late = outputs->late & ~c->core->signals.front;
	t->front = outputs->late & c->core->signals.front;
	pipeline_follow_front(t->pipeline, t->front);
	t->edges = outputs->late_edges;
	t->fills = t->flights && (counted[CPU_EVENT_FILL_PENDING] || counted[CPU_EVENT_FILL_FULL]);
	t->packages = pmus_packages_count();
	t->sums = !outputs->comparing && !outputs->records && !outputs->recording;
	select_activity(c, t);
	begin_deferring(c, t);
}

// Runs the pipeline empty, to cycle `until` at least.
static void drain(struct cpu *c, struct timed *t, uint64_t until)
{
	pass_deferred(c, t);
	pipeline_drain(t->pipeline, until > t->retiring ? until : t->retiring + 1);
	pass(c, t, t->pipeline->now - 1);
	pass_late(c, t);
	count_alike(c, t);
}

static void settle(struct timed *t)
{
	drain(t->cpu, t, 0);
	t->settled = true;
	vpmu_resume(&t->cpu->vpmu);
}

// Another CPU executes from now on. While PEBS is enabled, cycles have passed before the pipeline
// reached them: late counters follow.
static void leave(struct timed *t)
{
	if (!t->settled)
		settle(t);
	pipeline_drain(t->pipeline, t->passed + 1);
	t->late_left = 0;	// registers may have changed
	select_activity(t->cpu, t);
	pass_late(t->cpu, t);
	count_alike(t->cpu, t);
}

// Switches to a vCPU. Its cycles continue after the last cycle of the previous one. If its pipeline
// is empty, registers may have changed.
static struct timed *switch_to(const struct cpu *c, struct timed *t)
{
	if (t != running && running->pipeline)
		leave(running);
	if (!t->pipeline) {
		t->pipeline = allocate(sizeof *t->pipeline);
		t->cpu = &cpus[c->number];
		t->settled = true;
		pipeline_begin(t->pipeline, processor);
	}
	if (t->settled)
		renew(c, t);
	if (t != running) {
		t->passed = running->passed;
		pipeline_skip(t->pipeline, t->passed + 1);
	}
	return running = t;
}

static inline struct timed *run(const struct cpu *c)
{
	struct timed *t = &times[c->number];

	return __builtin_expect(t == running && t->pipeline && !t->settled, true) ? t :
	       switch_to(c, t);
}

void timed_settle(struct cpu *c)
{
	if (threads_are_used)
		threads_settle(c);
	else
		settle(run(c));
}

//
// Instructions
//

// If the instruction that retires in this cycle could raise the line, everything before it passes
// to the model.
static void follow_deferring(struct cpu *c, struct timed *t, uint64_t cycle)
{
	const uint64_t takes = t->retired + 1 + (cycle > t->passed ? cycle - t->passed : 1);

	if (takes < t->deferred.left && t->count + t->deferred.count <= SIGNALS_MOST)
		return;
	pass_deferred(c, t);
	if (++t->waited < WAITS || (!t->sums && t->late_left))
		return;
	count_alike(c, t);
	begin_deferring(c, t);
	if (takes >= t->deferred.left)
		t->deferred.left = 0;
}

// An overflow in the last cycle stops the guest before the next instruction, although that one
// could still retire in the cycle.
static void pass_overflow(struct cpu *c, struct timed *t)
{
	if (!t->retiring || t->deferred.left)
		return;
	connect_retiring(c, t);
	if (!vpmu_outputs(&c->vpmu)->headroom || vpmu_outputs(&c->vpmu)->records)
		pass(c, t, t->retiring);
}

void timed_issue(struct cpu *c)
{
	struct timed *t;

	if (threads_are_used) {
		threads_issue(c);
		return;
	}
	t = run(c);
	if (c->vpmu.level != c->current->level || t->locks)
		timed_settle(c);
	vpmu_set_level(&c->vpmu, c->current->level);
	if (t->locks)
		vpmu_bus_lock(&c->vpmu);
	t->locks = false;
	__builtin_prefetch(c->current->uops);
	pass_overflow(c, t);
}

static void drop(struct pipeline_run *executed)
{
	executed->fetch = executed->loads = executed->stores = 0;
	executed->clears = false;
}

void timed_drop(const struct cpu *c)
{
	if (threads_are_used)
		threads_drop(c);
	else
		drop(&times[c->number].executed);
}

// After its last iteration, QEMU begins a repeated string once more, to find that none is left: no
// micro-ops.
static const struct pipeline_instruction *uops_executed(const struct timed *t,
							const struct instruction *i)
{
	static struct pipeline_instruction none;

	if (i->fused && t->fused_at == t->executed.address)
		return i->fused;
	if (!(i->is.kinds & CLASS_REPEATED) || t->executed.loads || t->executed.stores)
		return i->uops;
	none = (struct pipeline_instruction){.length = i->size, .repeats = true};
	return &none;
}

// Returns the cycle in which the instruction retires.
static uint64_t add(struct cpu *c, struct timed *t, const struct instruction *i, uint64_t next)
{
	uint64_t cycle;

	t->executed.address = c->address;
	t->executed.instruction = uops_executed(t, i);
	t->fused_at = t->executed.instruction->leads ? next : 0;
	t->executed.next = next;
	t->executed.mispredicted = c->prediction.branch;
	t->executed.redirected = c->prediction.raises & CPU_EVENT_SET(REDIRECTED);
	cycle = pipeline_add(t->pipeline, &t->executed);
	unknown += i->uops->unknown;
	drop(&t->executed);
	return cycle;
}

// Adds the micro-ops of an instruction that retires, if they are counted.
static void add_uops(const struct cpu *c, struct timed *t)
{
	const struct pipeline_instruction *i = t->executed.instruction;
	const bool *counted = c->core->signals.counted;

	if (t->retired <= 1)
		t->ip = c->address;
	if (counted[CPU_EVENT_UOP_RETIRED])
		t->uops += i->count + t->pipeline->inserted;
	if (counted[CPU_EVENT_UOP_SLOT_RETIRED])
		t->slots += pipeline_slots(i) + t->pipeline->inserted;
}

// Returns the cycle in which the model sees an instruction retire: an overflow in an earlier cycle,
// in which nothing retires, stops the guest after the instruction, which QEMU has executed.
static uint64_t stops_at(struct cpu *c, struct timed *t, uint64_t cycle)
{
	uint64_t left;

	if (cycle <= t->passed + 1 || t->deferred.left)
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
	follow_deferring(c, t, cycle);
	if (cycle <= t->passed)		// it has passed with an overflow
		cycle = t->passed + 1;
	if (t->retiring && (t->retiring < cycle || t->count + count > 2 * SIGNALS_MOST - 4))
		pass(c, t, t->retiring);
	t->retiring = t->retiring ? t->retiring : stops_at(c, t, cycle);
	t->retired += instructions;
	if (count)
		memcpy(t->raised + t->count, signals, count * sizeof *signals);
	t->count += count;
	add_uops(c, t);
	pass(c, t, t->retiring < cycle ? cycle : cycle - 1);
	if (!late_can_wait(t))
		pass_late(c, t);
}

void timed_retire(struct cpu *c, const struct instruction *i, uint64_t next,
		  const struct occurrence *signals, size_t count)
{
	if (threads_are_used)
		threads_retire(c, i, next, signals, count);
	else
		retire(c, i, next, 1, signals, count);
}

void timed_iterate(struct cpu *c, const struct instruction *i)
{
	c->prediction = (struct prediction){0};		// of the instruction before
	if (threads_are_used)
		threads_iterate(c);
	else
		retire(c, i, c->address, 0, NULL, 0);
}

void timed_connect_write(struct cpu *c, const struct instruction *i,
			 const struct occurrence *signals, size_t count)
{
	struct timed *t;
	uint64_t cycle;

	if (threads_are_used) {
		threads_connect_write(c, i, signals, count);
		return;
	}
	t = run(c);
	cycle = add(c, t, i, c->address + i->size);
	pass_deferred(c, t);
	if (cycle <= t->passed)		// it has passed while PEBS was enabled
		cycle = t->passed + 1;
	pass(c, t, cycle - 1);
	pipeline_drain(t->pipeline, cycle + 1);
	pass_late(c, t);
	count_alike(c, t);
	if (count)
		memcpy(t->raised, signals, count * sizeof *signals);
	t->retired = 1;
	t->count = count;
	add_uops(c, t);
	connect_retiring(c, t);
	t->retired = t->count = 0;
	t->passed = cycle;
	t->settled = true;
}

//
// Memory references
//

uint64_t timed_now(const struct cpu *c)
{
	return threads_are_used ? threads_now(c) : timed_is_used ? run(c)->pipeline->now : 0;
}

uint64_t timed_load(const struct cpu *c)
{
	return threads_are_used ? threads_now(c) :
	       pipeline_executes_load(run(c)->pipeline, c->current->uops);
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

	if (threads_are_used) {
		threads_refer(c, access, more);
		return;
	}
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
	if (threads_are_used)
		threads_wait(c, until);
	else if (timed_is_used)
		pipeline_wait(run(c)->pipeline, until);
}

void timed_lock_bus(const struct cpu *c, uint64_t until)
{
	timed_wait(c, until);
	times[c->number].locks = timed_is_used && !threads_are_used;
}

void timed_happens(void *context, unsigned package, enum cpu_event what, uint64_t address,
		   uint64_t cycle)
{
	const uint64_t final = running->pipeline->taken;

	(void)context;
	packages_at(package, what, address, 0, cycle > final ? cycle - final : 0);
}
