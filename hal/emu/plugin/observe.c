// SPDX-License-Identifier: BSD-2-Clause
// What the CPUs' guests execute. The emulator says which block comes next, and its blocks count the instructions that
// have begun. So of the block before it is known how much of it has executed, and where its end has led: what has begun
// last has retired if what follows is where it leads. Else it has faulted, or an interruption has come behind it.

#include "observe.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "guest.h"
#include "model.h"

struct observed {
	uint64_t frame;			// 0: it has no monitor yet
	bool inside;			// its guest executes
	bool leaving;			// no more
	bool is_stopped;		// inside `last` another CPU has executed; of it so many have begun:
	const struct block *last;	// the guest's; NULL: none in this quantum
	uint64_t begun, accesses;	// when it began

	// The quantum.
	uint64_t clock;			// the guest's, at its begin
	uint64_t offset, address;	// at its end (guest.h)
	uint64_t counted;		// instructions that have begun
	uint64_t faulted, doubtful;	// of those: have not retired; perhaps
	bool idle;			// it has waited
	bool beside;			// others have executed meanwhile
	bool unchecked;
};

uint64_t observe_begun, observe_accesses;

#define CPUS_MOST 256	// of QEMU's PC; those beyond VPMU_CPUS have no monitor

static struct observed cpus[CPUS_MOST];
static unsigned running;
static uint64_t changed;	// when it began to
static uint64_t miscount;

void observe_start(unsigned cpu, uint64_t frame)
{
	cpus[cpu] = (struct observed){.frame = frame};
}

void observe_miscount(uint64_t quanta)
{
	miscount = quanta;
}

//
// Blocks
//

// Whether the block's branch has gone where it can go. Without access to memory it cannot fault but where it goes.
static bool has_branched(const struct observed *o, uint64_t next)
{
	const struct classes *c = &o->last->instruction[o->last->count - 1];

	if (c->branch == OCCURRENCE_KIND_FAR)
		return false;
	if (c->target && next != o->last->target && next != o->last->behind)
		return false;
	return !(c->loads || c->stores) || observe_accesses != o->accesses;
}

// What has begun last in the block may not have retired: next is not where it leads.
static void doubt(struct observed *o, size_t begun, uint64_t next)
{
	const bool whole = begun == o->last->count;
	const struct classes *c = &o->last->instruction[begun - 1];

	if (whole && c->branch && has_branched(o, next))
		return;
	if (whole && !o->leaving && c->kinds & CLASS_REPEATED && next == block_address(o->last, begun - 1))
		return;
	if (whole)
		o->doubtful++;
	else
		o->faulted++;
}

// The guest has been in a block up to here, and `next` follows.
static void settle(struct observed *o, uint64_t next)
{
	const size_t begun = (size_t)(o->is_stopped ? o->begun : observe_begun - o->begun);

	if (!o->last || !begun)
		return;
	o->counted += begun;
	o->idle |= o->last->instruction[begun - 1].kinds & CLASS_HALT;
	if (next != (begun == o->last->count ? o->last->behind : block_address(o->last, begun)))
		doubt(o, begun, next);
}

// Another CPU executes.
static void change_cpu(unsigned cpu)
{
	struct observed *o = &cpus[running];

	if (o->inside && o->last && !o->is_stopped) {
		o->begun = observe_begun - o->begun;
		o->is_stopped = true;
	}
	for (o = cpus; o < &cpus[VPMU_CPUS]; o++)
		o->beside |= o->inside;
	running = cpu;
	changed = observe_begun;
}

void observe_block(unsigned cpu, void *block)
{
	struct observed *o = &cpus[cpu];

	if (cpu != running)
		change_cpu(cpu);
	if (!o->inside)
		return;
	settle(o, ((const struct block *)block)->address);
	o->last = block;
	o->begun = observe_begun;
	o->accesses = observe_accesses;
	o->is_stopped = false;
}

int observe_needs(const struct block *block)
{
	for (const struct observed *o = cpus; o < &cpus[VPMU_CPUS]; o++)
		if (o->last == block)
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

	(void)unused;
	if (!view.is_there)
		return;
	observe_check(cpu);
	block_expect_width(view.bits);
	*o = (struct observed){.frame = o->frame, .inside = true, .clock = view.clock};
	o->beside = observe_begun - changed < CLOCK_TO_VMRUN;
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
	o->leaving = true;
	settle(o, view.address);
	o->offset = view.offset;
	o->address = view.address;
	o->inside = false;
	o->last = NULL;
	o->unchecked = true;
	if (miscount && !--miscount)
		o->counted++;
}

// The clock is that of all CPUs. It does not count what has not retired; but it does if that is known when it is
// translated, as of an undefined instruction.
void observe_check(unsigned cpu)
{
	struct observed *o = &cpus[cpu];
	uint64_t most, least, clock;

	if (!o->unchecked || o->beside)
		return;
	o->unchecked = false;
	clock = guest_look(o->frame).left + o->offset - o->clock;
	most = o->counted - o->faulted;
	least = most - o->doubtful;
	if (clock >= least && (clock <= most || o->idle))
		return;
	fprintf(stderr, "palmon plugin: CPU %u: %" PRIu64 " instructions have executed, the instruction clock says %"
		PRIu64 "; up to address 0x%" PRIx64 "\n", cpu, most, clock, o->address);
	fflush(stderr);
	_exit(1);
}
