// SPDX-License-Identifier: BSD-2-Clause
// What the CPUs' guests execute. The emulator says which block comes next, and its blocks count the instructions that
// have begun. So of the block before it is known how much of it has executed, and where its end has led: what has begun
// last has retired if what follows is where it leads. Else it has faulted, or an interruption has come behind it.

#include "observe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "feed.h"
#include "guest.h"
#include "model.h"
#include "quantum.h"
#include "retire.h"
#include "timed.h"

struct observed {
	uint64_t frame;			// 0: it has no monitor yet
	bool locks;			// its PMU must be told of them
	bool inside;			// its guest executes
	bool watched;			// any exception ends the quantum
	bool followed;			// any change of its level but those of observe_cross, too
	bool crosses;			// the guest's instruction does, unless it is left for that:
	unsigned level;			// to this level
	bool left_for_it;		// no more, for what its instruction has raised, or is
	bool is_stopped;		// inside `last` another CPU has executed; of it so many have begun:
	const struct block *last;	// the guest's; NULL: none in this quantum
	uint64_t begun, accesses;	// when it began
	struct retires retires;		// what has retired before it

	// The quantum.
	uint64_t clock, entry;		// the guest's, and its address, at its begin
	uint64_t offset, address;	// at its end (guest.h)
	uint64_t left;			// observe_begun then
	uint64_t counted;		// instructions that have begun
	uint64_t faulted, tried;	// of those have not retired: the clock has not counted them; perhaps
	uint64_t perhaps;		// of the faulted have retired: they may have accessed a device
	uint64_t doubtful;		// may have retired or not; the last one
	bool trapped;			// is INTO, which has; or
	const struct block *doubt;	// ends this block, NULL: there is none,
	uint64_t doubt_to;		// and has led there
	bool interrupted;		// an exception or an interrupt has come behind what has begun last
	bool idle;			// it has waited
	bool beside;			// others have executed meanwhile
	bool unchecked;
	bool was_counted;		// the clock has counted what has been tried
};

uint64_t observe_begun, observe_accesses;

#define CPUS_MOST 256	// of QEMU's PC; those beyond VPMU_CPUS have no monitor

static struct observed cpus[CPUS_MOST];
static unsigned running;
static uint64_t changed;	// when it began to
static uint64_t executed;	// by all guests, up to their last blocks
static uint64_t miscount;

void observe_start(unsigned cpu, uint64_t frame)
{
	cpus[cpu] = (struct observed){.frame = frame};
}

void observe_miscount(uint64_t quanta)
{
	miscount = quanta;
}

bool observe_miscounts(void)
{
	miscount -= miscount > 1;
	return miscount == 1;
}

void observe_for(unsigned cpu, bool locks)
{
	cpus[cpu].locks = locks;
}

//
// Blocks
//

// Whether the block's near branch has gone where it can go. Without access to memory it cannot fault but where it goes.
static bool has_branched(const struct observed *o, const struct classes *c, uint64_t next)
{
	if (c->target && (next ^ o->last->target) & o->last->target_bits)
		return false;
	return !(c->loads || c->stores) || observe_accesses != o->accesses;
}

// What the guest is left for, and tries again, has not retired.
static void try_again(struct observed *o, struct feed *f)
{
	o->tried++;
	feed_unretire(f, 1);
}

// What raises its exception once more comes from where the guest was left for it.
static bool is_certain(const struct observed *o, const struct classes *c, uint64_t next)
{
	return c->branch == OCCURRENCE_KIND_FAR ? o->watched || o->crosses : c->branch && has_branched(o, c, next);
}

// The block's last instruction does not lead to what comes next by itself. Whether it has retired, which it has if it
// is a branch; an iteration of a repeated string has not. If that is not certain, the clock will say it.
static bool retires_elsewhere(struct observed *o, struct feed *f, const struct classes *c, uint64_t next)
{
	if (next == o->last->end && o->left_for_it) {
		try_again(o, f);
	} else if (next == o->last->end && c->kinds & CLASS_REPEATED) {
		f->again++;
		f->position--;
	} else if (is_certain(o, c, next)) {
		return true;
	} else {
		o->doubtful++;
		o->interrupted = true;
		o->trapped = c->kinds & CLASS_TRAP;
		o->doubt = o->last;
		o->doubt_to = next;
	}
	return false;
}

// INTO has trapped: the clock counts all of its block. Where it ends the quantum, as INT n does, it is tried again.
static bool retires_trapping(struct observed *o, struct feed *f, uint64_t not_begun)
{
	o->counted += not_begun;
	f->again += not_begun;
	o->interrupted = !o->left_for_it;
	if (o->left_for_it)
		try_again(o, f);
	return !o->left_for_it;
}

// The guest is gone from the midst of a block: whether the instruction that has begun last has retired. The emulator
// ends a block behind an access to a device, where an interruption can come: the clock will say how many were such.
static bool retires_early(struct observed *o, struct feed *f, size_t begun, uint64_t next)
{
	if (next == block_address(o->last, begun))
		return true;
	if (o->last->instruction[begun - 1].kinds & CLASS_TRAP)
		return retires_trapping(o, f, o->last->count - begun);
	o->interrupted = !o->left_for_it;
	o->faulted++;
	o->perhaps += o->last->instruction[begun - 1].loads || o->last->instruction[begun - 1].stores;
	feed_unretire(f, 1);
	return false;
}

//
// What retires
//

// The guest has executed the whole of its last block, and `next`, where that leads by itself, follows.
static inline void settle_block(struct observed *o, struct feed *f, const struct classes *last, uint64_t next)
{
	const size_t count = o->last->count;
	struct feed_instruction branch;

	o->counted += count;
	executed += count;
	if (last->kinds & CLASS_HALT)
		o->idle = true;
	f->position += count;
	if (f->only_sums && !block_depends(o->last, &o->retires.before)) {
		feed_block(f, o->last);
		if (last->branch && f->predicted) {
			branch = retire_last_of((unsigned)(o - cpus), o->last, count - 1, next);
			feed_branch(f, &branch);
		} else if (last->branch) {
			feed_sum(f, 1ULL << o->last->branches[next != o->last->behind]);
		}
	} else if (feed_matters(f) || f->predicted) {
		retire((unsigned)(o - cpus), &o->retires, o->last, count, next, false);
	}
	o->retires.before.interrupted = false;
	o->retires.before.behind = o->last->behind;
	o->retires.before.kinds = last->kinds;
	if (o->last->numbers < count)
		block_retires(o->last, count, &o->retires.before);
	issued_begin_block();
}

// The guest has been in a block up to here, and `next` follows.
static void settle(struct observed *o, struct feed *f, uint64_t next, bool is_last)
{
	const struct block *block = o->last;
	const size_t begun = (size_t)(o->is_stopped ? o->begun : observe_begun - o->begun);
	const struct classes *c;
	size_t retired;
	bool retires = true;

	if (!block)
		o->retires.before.interrupted |= !is_last && next != o->entry;
	if (!block || !begun)
		return;
	if (timed_is_used) {
		timed_follow((unsigned)(o - cpus), block, begun);
		timed_leave_block((unsigned)(o - cpus));
	}
	c = &block->instruction[begun - 1];
	o->counted += begun;
	executed += begun;
	o->idle |= c->kinds & CLASS_HALT;
	f->position += begun;
	if (begun < block->count)
		retires = retires_early(o, f, begun, next);
	else if (next != block->behind)
		retires = retires_elsewhere(o, f, c, next);
	retired = begun - !retires;
	if (retired && (feed_matters(f) || f->predicted))
		retire((unsigned)(o - cpus), &o->retires, block, retired, next, is_last);
	if (retired)
		block_retires(block, retired, &o->retires.before);
	o->retires.before.interrupted |= o->interrupted;
	o->interrupted = false;
	issued_begin_block();
	if (o->crosses && !is_last)
		quantum_cross((unsigned)(o - cpus), f->position + (uint64_t)f->again, o->level);
	o->crosses = false;
}

// Instructions from the guest's end up to the reading of the clock (switch.S).
#define VMEXIT_TO_CLOCK 2

// Another CPU executes.
static void change_cpu(unsigned cpu)
{
	struct observed *o = &cpus[running];

	if (o->inside && o->last && !o->is_stopped) {
		o->begun = observe_begun - o->begun;
		o->is_stopped = true;
	}
	o->beside |= o->unchecked && observe_begun - o->left < VMEXIT_TO_CLOCK;
	for (o = cpus; o < &cpus[VPMU_CPUS]; o++)
		o->beside |= o->inside;
	running = cpu;
	changed = observe_begun;
	issued_begin_block();
}

// Whether the last instruction of the guest's last block has retired for sure, as most do: it leads there.
static inline bool leads(const struct observed *o, const struct classes *last, uint64_t next)
{
	return next == o->last->behind ||
	       (last->branch && last->branch != OCCURRENCE_KIND_FAR && has_branched(o, last, next));
}

void observe_block(unsigned cpu, void *block)
{
	struct observed *o = &cpus[cpu];
	const uint64_t next = ((const struct block *)block)->address;
	const struct classes *last;

	if (cpu != running)
		change_cpu(cpu);
	if (!o->inside)
		return;
	last = o->last ? &o->last->instruction[o->last->count - 1] : NULL;
	if (last && observe_begun - o->begun == o->last->count && !(o->is_stopped | o->crosses) &&
	    leads(o, last, next) && !timed_is_used)
		settle_block(o, &feeds[cpu], last, next);
	else
		settle(o, &feeds[cpu], next, false);
	o->last = block;
	o->begun = observe_begun;
	o->accesses = observe_accesses;
	o->is_stopped = false;
	if (__builtin_expect(feeds[cpu].position >= feeds[cpu].look_at, false))
		quantum_look(cpu, block);
}

void observe_cross(unsigned cpu, void *level)
{
	struct observed *o = &cpus[cpu];

	o->level = (unsigned)(uintptr_t)level;
	o->crosses = o->inside && o->followed && feeds[cpu].v->level != o->level && quantum_can_cross(cpu, o->level);
}

void observe_translated(const struct block *block)
{
	struct observed *o = &cpus[running];

	if (o->crosses)
		o->crosses = quantum_can_cross(running, o->level);
	else if (o->inside)
		quantum_translated(running, o->last, block);
}

void observe_reset(unsigned cpu, void *unused)
{
	(void)unused;
	for (const struct observed *o = cpus; o < &cpus[VPMU_CPUS]; o++)
		if (o->frame) {
			fprintf(stderr, "palmon plugin: CPU %u begins again, without its monitor\n", cpu);
			fflush(stderr);
			_exit(1);
		}
}

void observe_bus_lock(unsigned cpu)
{
	if (cpus[cpu].locks) {
		feed_bus_lock(&feeds[cpu], observe_position(cpu));
		quantum_follow(cpu);
	}
}

uint64_t observe_now(unsigned cpu)
{
	const struct observed *o = &cpus[cpu];

	return executed + (o->inside && o->last && !o->is_stopped ? observe_begun - o->begun : 0);
}

uint64_t observe_cycle(unsigned cpu)
{
	const struct observed *o = &cpus[cpu];

	return timed_follow(cpu, o->last, o->last ? (size_t)(observe_begun - o->begun) : 0);
}

bool observe_is_inside(unsigned cpu)
{
	return cpus[cpu].inside;
}

uint64_t observe_position(unsigned cpu)
{
	return feeds[cpu].position + observe_begun - cpus[cpu].begun;
}

int observe_needs(const struct block *block)
{
	for (const struct observed *o = cpus; o < &cpus[VPMU_CPUS]; o++)
		if (o->last == block || o->doubt == block)
			return true;
	return false;
}

//
// Quanta
//

// Instructions from the reading of the clock up to VMRUN, at most (switch.S).
#define CLOCK_TO_VMRUN 64

void observe_enter(unsigned cpu, void *unused)
{
	struct observed *o = &cpus[cpu];
	const struct guest_view view = guest_look(o->frame);
	const bool stepped = view.address != o->address;	// the monitor has carried out an instruction
	const struct pipes pipes = o->retires.issuing.pipes;

	(void)unused;
	if (!view.is_there)
		return;
	observe_check(cpu);
	block_expect_width(view.bits);
	*o = (struct observed){
		.frame = o->frame, .locks = o->locks, .retires.before = o->retires.before,
		.inside = true, .watched = view.is_watched, .followed = view.is_followed && !view.returns,
		.clock = view.clock, .entry = view.address,
	};
	o->beside = observe_begun - changed < CLOCK_TO_VMRUN;
	if (!stepped)
		o->retires.issuing.pipes = pipes;
	quantum_enter(cpu, view.address);
}

void observe_leave(unsigned cpu, void *unused)
{
	struct observed *o = &cpus[cpu];
	struct guest_view view;

	(void)unused;
	if (cpu != running)
		change_cpu(cpu);
	if (!o->inside)
		return;
	view = guest_look(o->frame);
	o->left_for_it = !view.is_interrupted;
	settle(o, &feeds[cpu], view.address, true);
	o->offset = view.offset;
	o->address = view.address;
	o->left = observe_begun;
	o->inside = false;
	o->last = NULL;
	o->unchecked = true;
	o->counted += observe_miscounts();
}

// What the clock says of what is not certain.
static void resolve(struct observed *o, struct feed *f, uint64_t retired, uint64_t clock)
{
	o->was_counted = clock > retired && o->tried;
	if (clock > retired && !o->idle)
		f->position += clock - retired - o->was_counted;
	if (clock < retired && o->trapped)
		f->again -= (int64_t)(retired - clock);
	else if (clock < retired)
		feed_unretire(f, retired - clock);
	else if (o->doubt && feed_matters(f))
		retire_late((unsigned)(o - cpus), &o->retires, o->doubt, o->doubt_to);
}

void observe_disagree(unsigned cpu, uint64_t executed, uint64_t clock, uint64_t address)
{
	fprintf(stderr, "palmon plugin: CPU %u: %" PRIu64 " instructions have executed, the instruction clock says %"
		PRIu64 "; up to address 0x%" PRIx64 "\n", cpu, executed, clock, address);
	fflush(stderr);
	_exit(1);
}

// The clock is that of all CPUs. It does not count what has not retired; but it does if that is known when it is
// translated, as of an undefined instruction.
bool observe_check(unsigned cpu)
{
	struct observed *o = &cpus[cpu];
	uint64_t retired, clock;

	if (!o->unchecked || o->beside)
		return o->was_counted;
	o->unchecked = false;
	clock = guest_look(o->frame).left + o->offset - o->clock;
	retired = o->counted - o->faulted - o->tried;
	if (clock >= retired - o->doubtful && (clock <= retired + o->tried + o->perhaps || o->idle)) {
		resolve(o, &feeds[cpu], retired, clock);
		return o->was_counted;
	}
	observe_disagree(cpu, retired, clock, o->address);
}
