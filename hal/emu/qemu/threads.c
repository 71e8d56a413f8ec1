// SPDX-License-Identifier: BSD-2-Clause
// The timed clock of threads that share an in-order core: threads.h.
//
//	cycle    passed              open         next
//	---------|-------------------|------------|-------> time
//	         the model knows     the issued   the earliest next issue
//	                             instruction  of a thread
//	                             or pair

#include "threads.h"

#include <string.h>

#include "../model/inorder.h"
#include "allocate.h"
#include "unpromised.h"

bool threads_are_used;

// A core.
struct shared {
	struct inorder pipes;
	struct cpu *cpu[INORDER_THREADS];	// by thread; NULL: there is none
	struct cpu *any;			// one of them
	uint64_t passed;		// last cycle that the model knows

	// The last issue, which the model does not know yet; `cpu` NULL: none.
	struct {
		struct cpu *cpu;
		struct pipes_class pipes;	// `kinds` 0: no instruction can join
		uint64_t cycle;
		unsigned instructions;
		uint64_t access;	// linear address of its first reference; 0: none
		size_t count;
		struct occurrence raised[3 * SIGNALS_MOST];
	} open;

	// Two buffers of signals: the model reads the connected one until the next connect.
	struct occurrence signals[2][INORDER_THREADS * VPMU_CLOCK_MOST + 4 * SIGNALS_MOST];
	unsigned buffer;
};

// A vCPU's current instruction.
static struct current {
	struct shared *core;
	const struct instruction *is;	// NULL: not yet considered
	uint64_t address;
	uint64_t wanted;		// the cycle of its issue, or of its pair's, before any wait
	bool joins;			// the open issue
	unsigned waited;		// INORDER_*
	bool flushed;			// the interruption before it has flushed the pipeline
	unsigned late;			// cycles by which its loads are late
	uint64_t iterations;
} currents[CPUS_MOST];
static bool running[CPUS_MOST];		// by vCPU: it was not halted when QEMU was last asked
static unsigned running_count;

static const struct processor *processor;
static uint64_t unknown;
static uint64_t now;			// last cycle that some core has passed

bool threads_begin(const struct processor *described, struct processor_error *error)
{
	static const struct processor_needs needs = {.latencies = INORDER_LATENCIES};

	processor = described;
	return processor_has(described, &needs, error);
}

uint64_t threads_unknown(void)
{
	return unknown;
}

static struct shared *shared_of(const struct cpu *c)
{
	struct shared *s = currents[c->number].core;

	if (s)
		return s;
	for (const struct cpu *other = cpus; other < &cpus[cpus_count]; other++)
		if (other->core == c->core && currents[other->number].core)
			s = currents[other->number].core;
	if (!s) {
		s = allocate(sizeof *s);
		inorder_begin(&s->pipes, processor);
	}
	s->cpu[c->vpmu.thread] = s->any = &cpus[c->number];
	return currents[c->number].core = s;
}

static uint64_t when(const struct cpu *c)
{
	const struct shared *s = shared_of(c);
	const uint64_t next = inorder_when(&s->pipes, c->vpmu.thread);

	return currents[c->number].joins ? s->open.cycle : next > s->passed ? next : s->passed + 1;
}

//
// Cycles
//

// Writes the signals of a cycle of each thread that runs, and of the one in stage E.
static size_t connect_clock(const struct shared *s, unsigned instructions, bool staged,
			    struct occurrence *to)
{
	size_t connected = 0;

	for (unsigned thread = 0; thread < INORDER_THREADS; thread++) {
		const struct cpu *c = s->cpu[thread];
		const struct model_machine *machine = c ? c->vpmu.model->machine : NULL;
		const bool runs_now = c && running[c->number];
		const struct occurrence *clock;
		size_t count = 0;

		if (!runs_now && !(staged && thread == s->pipes.last))
			continue;
		clock = model_clock(c->vpmu.model, thread, c->vpmu.level, &count);
		for (size_t i = 0; i < count; i++) {
			const bool of_cycle = i >= count - machine->clock_cycles;
			const bool of_stage = i >= count - machine->clock_cycles -
				machine->clock_stages;
			const unsigned n = of_cycle ? runs_now :
				thread != s->pipes.last ? 0 : of_stage ? staged : instructions;

			to[connected] = clock[i];
			to[connected].n *= n;
			connected += n > 0;
		}
	}
	return connected;
}

static size_t raise_stalls(const struct shared *s, unsigned stalled, struct occurrence *to,
			   size_t count)
{
	for (; stalled; stalled &= stalled - 1) {
		const struct cpu *c = s->cpu[__builtin_ctz(stalled)];
		const struct occurrence o = {.thread = (uint8_t)c->vpmu.thread,
					     .level = (uint8_t)c->vpmu.level};

		count = signals_raise(&c->core->signals, CPU_EVENT_FRONT_END_STALLED, 1, 0, &o,
				      false, to, count);
	}
	return count;
}

static void end_cycles(struct shared *s, uint64_t cycles)
{
	s->buffer = !s->buffer;
	s->passed += cycles;
	now = s->passed > now ? s->passed : now;
}

// Writes the signals of the open issue's cycle.
static size_t connect_open(const struct shared *s, struct occurrence *to)
{
	const size_t count = connect_clock(s, s->open.instructions, true, to);

	memcpy(to + count, s->open.raised, s->open.count * sizeof *to);
	return count + s->open.count;
}

// The open issue's cycle has passed.
static void end_open(struct shared *s)
{
	s->open.cpu = NULL;
	s->open.pipes.kinds = 0;
	end_cycles(s, 1);
}

// Returns the threads whose front ends stall in the next cycle, if nothing issues: each thread
// could issue again. *until: the last cycle for which that is so, at most.
static unsigned stalls(const struct shared *s, uint64_t *until)
{
	unsigned stalled = 0;

	for (unsigned thread = 0; thread < INORDER_THREADS; thread++) {
		const uint64_t free = s->pipes.thread[thread].issued + INORDER_DISTANCE;

		if (!s->cpu[thread] || !running[s->cpu[thread]->number])
			continue;
		if (s->passed + 1 >= free)
			stalled |= 1u << thread;
		else if (free - 1 < *until)
			*until = free - 1;
	}
	return stalled;
}

// Passes the cycles up to `to`, in which nothing issues.
static void pass(struct shared *s, uint64_t to)
{
	while (s->passed < to) {
		struct occurrence *const signals = s->signals[s->buffer];
		const bool staged = s->passed < s->pipes.busy;
		uint64_t until = staged && s->pipes.busy < to ? s->pipes.busy : to;
		const unsigned stalled = stalls(s, &until);
		size_t count = connect_clock(s, 0, staged, signals);

		count = raise_stalls(s, stalled, signals, count);
		vpmu_advance(&s->any->vpmu, until - s->passed, signals, count);
		end_cycles(s, until - s->passed);
	}
}

// Passes the open issue's cycle.
static void close_open(struct shared *s)
{
	struct occurrence *const signals = s->signals[s->buffer];

	if (!s->open.cpu)
		return;
	vpmu_advance(&s->any->vpmu, 1, signals, connect_open(s, signals));
	end_open(s);
}

static bool runs(const struct shared *s)
{
	bool any = false;

	for (unsigned thread = 0; thread < INORDER_THREADS; thread++)
		any |= s->cpu[thread] && running[s->cpu[thread]->number];
	return any;
}

// A thread that wakes begins in the next cycle. If its core was idle, that is the other cores'.
static void wake(const struct cpu *c, struct shared *s)
{
	if (!runs(s) && s->passed < now)
		s->passed = now;
	inorder_delay(&s->pipes, c->vpmu.thread, s->passed + 1);
}

static void see_thread(const struct cpu *c, bool runs_now)
{
	if (runs_now && !running[c->number])
		wake(c, shared_of(c));
	running_count += runs_now - running[c->number];
	running[c->number] = runs_now;
}

// Asks QEMU which threads run while `c` does. QEMU answers slowly for a halted thread, so that it
// wakes up to WAKING instructions late.
#define WAKING 64
static void see_threads(const struct cpu *executes)
{
	static unsigned instructions;
	const bool all = !(instructions++ % WAKING);

	see_thread(executes, true);
	if (running_count == 1 && !all)
		return;
	for (const struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		if (c != executes && c->core && (all || running[c->number]))
			see_thread(c, !unpromised_waits(c->qemu));
}

// Returns true if `c` issues before `other`. Threads of a core that could issue in the same cycle
// take turns.
static bool precedes(const struct cpu *c, const struct cpu *other)
{
	const unsigned both = 1u << c->vpmu.thread | 1u << other->vpmu.thread;
	const uint64_t one = when(c), two = when(other);

	if (one != two || c->core != other->core || currents[other->number].joins)
		return one < two;
	return currents[c->number].joins ||
	       inorder_next(&shared_of(c)->pipes, both) == c->vpmu.thread;
}

const struct cpu *threads_next(void)
{
	const struct cpu *first = NULL;

	for (const struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		if (running[c->number] && (!first || precedes(c, first)))
			first = c;
	return first;
}

//
// Instructions
//

static bool can_join(const struct shared *s, const struct cpu *c, const struct instruction *i)
{
	uint64_t until;

	return s->open.cpu == c && c->last_next == c->address && !c->interrupted &&
	       c->vpmu.level == i->level && pipes_pair(&s->open.pipes, &i->is.pipes) &&
	       !inorder_waits(&s->pipes, c->vpmu.thread, &i->stages, s->open.cycle, &until);
}

// Decides, once, when the instruction issues, and whether in a pair.
static void consider(struct cpu *c, const struct instruction *i)
{
	struct current *const k = &currents[c->number];
	struct shared *s = shared_of(c);
	const unsigned thread = c->vpmu.thread;
	uint64_t until;

	if (k->is == i && k->address == c->address)
		return;
	k->is = i;
	k->address = c->address;
	k->joins = can_join(s, c, i);
	if (k->joins) {
		k->waited = inorder_waits(&s->pipes, thread, &i->stages, k->wanted, &until);
		return;
	}
	close_open(s);
	if (c->interrupted && !k->flushed)
		inorder_flush(&s->pipes, thread);
	k->flushed = c->interrupted;
	k->wanted = when(c);
	k->waited = inorder_waits(&s->pipes, thread, &i->stages, k->wanted, &until);
	inorder_delay(&s->pipes, thread, until);
}

void threads_issue(struct cpu *c)
{
	struct shared *s = shared_of(c);

	see_threads(c);
	if (s->open.cpu != c)
		close_open(s);
	consider(c, c->current);
	if (!currents[c->number].joins && threads_next() == c)
		pass(s, when(c) - 1);
}

void threads_drop(const struct cpu *c)
{
	currents[c->number].late = 0;
	currents[c->number].iterations = 0;
}

static void flush_after(struct cpu *c, struct shared *s, const struct instruction *i)
{
	if (c->prediction.branch || c->prediction.raises & CPU_EVENT_SET(MISSED_TAKEN) ||
	    i->is.branch == OCCURRENCE_KIND_FAR)
		inorder_flush(&s->pipes, c->vpmu.thread);
}

// Appends the signals of the pipes to those of the open issue.
static void raise(struct cpu *c, struct shared *s, enum cpu_event what, bool happens)
{
	const struct occurrence o = {.thread = (uint8_t)c->vpmu.thread, .ip = c->address,
				     .level = (uint8_t)c->vpmu.level};

	if (happens)
		s->open.count = signals_raise(&c->core->signals, what, 1, 0, &o, false,
					      s->open.raised, s->open.count);
}

// Closes the open issue and opens one, of this instruction.
static void open_issue(const struct cpu *c, struct shared *s)
{
	close_open(s);
	s->open.cycle = when(c);
	s->open.instructions = 0;
	s->open.count = 0;
	s->open.access = c->first_access;
	pass(s, s->open.cycle - 1);
}

// Adds the instruction to the open issue.
static void add(struct cpu *c, struct shared *s, const struct instruction *i)
{
	const struct current *k = &currents[c->number];
	const bool both = k->joins && s->open.pipes.kinds & i->is.pipes.kinds & PIPES_REFERS;
	const bool conflicts = both && s->open.access && c->first_access &&
		pipes_conflict(s->open.access, c->first_access);

	inorder_issue(&s->pipes, c->vpmu.thread, &i->stages, s->open.cycle,
		      k->iterations + conflicts, k->late);
	s->open.cpu = c;
	s->open.pipes = k->joins ? (struct pipes_class){0} : i->is.pipes;
	s->open.instructions++;
	raise(c, s, CPU_EVENT_PAIRED, k->joins);
	raise(c, s, CPU_EVENT_PAIRED_REFERENCES, both);
	raise(c, s, CPU_EVENT_BANK_CONFLICT, conflicts);
	raise(c, s, CPU_EVENT_INTERLOCKED, k->waited & INORDER_ADDRESS);
	raise(c, s, CPU_EVENT_VECTOR_WAITS, k->waited & INORDER_VECTOR);
	unknown += i->lacks_row;
}

static void end_current(struct cpu *c)
{
	threads_drop(c);
	currents[c->number].is = NULL;
	currents[c->number].joins = false;
}

void threads_retire(struct cpu *c, const struct instruction *i, uint64_t next,
		    const struct occurrence *signals, size_t count)
{
	struct shared *s = shared_of(c);

	(void)next;
	consider(c, i);
	if (!currents[c->number].joins)
		open_issue(c, s);
	add(c, s, i);
	if (count)
		memcpy(s->open.raised + s->open.count, signals, count * sizeof *signals);
	s->open.count += count;
	flush_after(c, s, i);
	end_current(c);
}

// The vCPU that executes knows the cycles before its current instruction, if it is followed.
void threads_settle(struct cpu *c)
{
	struct shared *s = shared_of(c);

	if (s->open.cpu == c && !currents[c->number].joins)
		close_open(s);
	if (currents[c->number].is && threads_next() == c)
		pass(s, when(c) - 1);
	vpmu_resume(&c->vpmu);
}

void threads_connect_write(struct cpu *c, const struct instruction *i,
			   const struct occurrence *signals, size_t count)
{
	struct shared *s = shared_of(c);

	threads_retire(c, i, c->address + i->size, signals, count);
	vpmu_connect(&c->vpmu, s->signals[s->buffer], connect_open(s, s->signals[s->buffer]));
	end_open(s);
}

void threads_iterate(struct cpu *c)
{
	currents[c->number].iterations++;
	c->core->ticks++;
}

//
// Memory references
//

uint64_t threads_now(const struct cpu *c)
{
	return when(c);
}

// `more`: cycles by which the reference takes longer than a hit of the L1 caches. An instruction
// whose line is fetched late does not pair. Stores wait in buffers.
void threads_refer(const struct cpu *c, enum access access, unsigned more)
{
	struct shared *s = shared_of(c);

	if (access == ACCESS_FETCH && more) {
		inorder_delay(&s->pipes, c->vpmu.thread, when(c) + more);
		s->open.pipes.kinds = s->open.cpu == c ? 0 : s->open.pipes.kinds;
	}
	if ((access == ACCESS_LOAD || access == ACCESS_LOCK) && more > currents[c->number].late)
		currents[c->number].late = more;
}

void threads_wait(const struct cpu *c, uint64_t until)
{
	inorder_delay(&shared_of(c)->pipes, c->vpmu.thread, until);
}
