// SPDX-License-Identifier: BSD-2-Clause
// Numbers of instructions (numbers.h). An instruction that the emulator calls for has not been counted when it does.

#include "numbers.h"

#include <stddef.h>

#include "feed.h"
#include "guest.h"
#include "memory.h"
#include "observe.h"
#include "quantum.h"
#include "reports.h"

static struct numbered {
	uint64_t frame;			// 0: it has no monitor yet
	bool inside;			// its guest executes
	bool watched;			// any interruption ends the quantum;
	bool followed;			// any change of the level but those of numbers_cross, too;
	bool returns;			// and those of numbers_pop
	uint64_t clock;			// the guest's, when its quantum began
	uint64_t begun;			// observe_begun before its first instruction
	uint64_t handed;		// cycles of it that the model knows
	uint64_t repeats;		// a string instruction's address, whose iteration may not be its last; 0: none
	uint64_t behind;		// observe_begun behind that
	uint64_t returned;		// observe_begun behind a return from an interrupt
	unsigned popped;		// words that it has read

	// At the quantum's end.
	struct guest_view left;
	uint64_t executed;
	bool unchecked;
	bool was_counted;		// observe_check
} cpus[VPMU_CPUS];

static struct mailbox *boxes[VPMU_CPUS];

// Of each CPU the last string instructions behind whose iterations interrupts came that have not returned.
#define INTERRUPTED_MOST 4
static struct interrupted {
	uint64_t string[INTERRUPTED_MOST];
	unsigned next;
	bool returned;			// one has returned with the quantum's end
} interrupted[VPMU_CPUS];

static bool has_others;		// CPUs, which can begin

void numbers_begin(int count)
{
	has_others = count > 1;
}

void numbers_start(unsigned cpu, uint64_t frame, struct mailbox *box)
{
	cpus[cpu] = (struct numbered){.frame = frame};
	boxes[cpu] = box;
}

void numbers_enter(unsigned cpu, void *unused)
{
	const struct guest_view view = cpu < VPMU_CPUS ? guest_look(cpus[cpu].frame) : (struct guest_view){0};

	(void)unused;
	if (!view.is_there)
		return;
	numbers_check(cpu);
	block_expect_width(view.bits);
	cpus[cpu] = (struct numbered){
		.frame = cpus[cpu].frame, .inside = true, .watched = view.is_watched,
		.followed = view.is_followed, .returns = view.returns, .clock = view.clock, .begun = observe_begun + 1,
		.returned = interrupted[cpu].returned ? observe_begun + 1 : 0,
	};
	quantum_enter(cpu, view.address);
}

// NULL: its guest does not execute.
static struct numbered *inside(unsigned cpu)
{
	return cpu < VPMU_CPUS && cpus[cpu].inside ? &cpus[cpu] : NULL;
}

// Behind what has executed up to `begun`, which observe_begun is there.
static void cross(unsigned cpu, struct numbered *n, uint64_t begun, unsigned to)
{
	const uint64_t cycles = begun - n->begun - n->handed;

	if (feeds[cpu].v->level == to || !quantum_can_cross(cpu, to))
		return;
	n->handed += cycles;
	quantum_cross(cpu, cycles, to);
}

void numbers_cross(unsigned cpu, void *level)
{
	struct numbered *n = inside(cpu);

	if (n && n->followed)
		cross(cpu, n, observe_begun + 1, (unsigned)(uintptr_t)level);
}

// If it faults, its handler's first instruction at level 0 is not counted instead.
void numbers_pop(unsigned cpu, uint64_t physical)
{
	struct numbered *n = inside(cpu);
	const uint16_t *selector;

	if (!n || !n->returns || observe_begun != n->returned || ++n->popped != 2)
		return;
	selector = memory_at(physical, sizeof *selector);
	if (selector)
		cross(cpu, n, observe_begun, *selector & 3);
	boxes[cpu]->returned = true;
}

//
// Repeated string instructions
//

static bool is_behind(uint64_t address, uint64_t string)
{
	return string && address - string - 1 < CLASSIFY_LONGEST;
}

static void remember(struct interrupted *of, uint64_t string)
{
	of->string[of->next++ % INTERRUPTED_MOST] = string;
}

// An interrupt has returned to this address, of a string instruction or behind one. Whether it is known of that.
static bool forget(struct interrupted *of, uint64_t address, bool behind)
{
	for (uint64_t *string = of->string; string < &of->string[INTERRUPTED_MOST]; string++)
		if (behind ? is_behind(address, *string) : *string == address) {
			*string = 0;
			return true;
		}
	return false;
}

// Behind an iteration, if what is behind the instruction does not follow, comes the next iteration; or an interrupt,
// which most often comes before the next iteration; or, where exceptions do not end the quantum, this one has faulted.
static void settle(unsigned cpu, struct numbered *n, uint64_t next)
{
	const bool at_once = observe_begun == n->behind, same = next == n->repeats;

	if (n->repeats && (at_once ? same : n->watched)) {
		feeds[cpu].again++;
		if (!at_once && !(same && observe_begun == n->returned))
			remember(&interrupted[cpu], n->repeats);
	}
	n->repeats = 0;
}

void numbers_repeat(unsigned cpu, void *address)
{
	struct numbered *n = inside(cpu);

	if (!n)
		return;
	if (observe_begun == n->returned)
		forget(&interrupted[cpu], (uintptr_t)address, false);
	settle(cpu, n, (uintptr_t)address);
	n->repeats = (uintptr_t)address;
	n->behind = observe_begun + 1;
}

// If an interrupt has come behind the last iteration after all, it has not been one of those that do not retire.
void numbers_go_on(unsigned cpu, void *address)
{
	struct numbered *n = inside(cpu);

	if (!n)
		return;
	if (observe_begun == n->behind)
		n->repeats = 0;
	else if (observe_begun == n->returned && is_behind((uintptr_t)address, n->repeats))
		n->repeats = 0;
	else if (observe_begun == n->returned)
		feeds[cpu].again -= forget(&interrupted[cpu], (uintptr_t)address, true);
}

void numbers_return(unsigned cpu, void *unused)
{
	struct numbered *n = inside(cpu);

	(void)unused;
	if (!n)
		return;
	n->returned = observe_begun + 1;
	n->popped = 0;
}

void numbers_leave(unsigned cpu)
{
	struct numbered *n = inside(cpu);

	if (!n)
		return;
	n->left = guest_look(n->frame);
	n->executed = observe_begun - n->begun + observe_miscounts();
	if (n->left.is_interrupted || observe_begun != n->behind)
		settle(cpu, n, n->left.address);
	interrupted[cpu].returned = observe_begun == n->returned;
	n->inside = false;
	n->unchecked = true;
}

void numbers_end(void)
{
	reports_add(REPORTS_BLOCKS);
	for (unsigned cpu = 0; cpu < VPMU_CPUS; cpu++)
		if (cpus[cpu].inside)
			quantum_end(cpu);
}

// An instruction that the guest is left for, and tries again, has begun. The clock has counted it only if it was known
// to fault when it was translated. If it could not be fetched it has not begun. The emulator begins an instruction anew
// that changes its own block, or that a breakpoint of data is for: the clock is right then, and blocks tell from there
// on. They do, too, if another CPU has begun meanwhile: its reset is to the clock as if it had executed all it could.
bool numbers_check(unsigned cpu)
{
	struct numbered *n = &cpus[cpu];
	const bool tried = n->unchecked && !n->left.is_interrupted;
	uint64_t clock;

	if (!n->unchecked)
		return n->was_counted;
	n->unchecked = false;
	clock = guest_look(n->frame).left + n->left.offset - n->clock;
	n->was_counted = tried && clock && clock == n->executed && !n->left.is_restored;
	if (!n->watched || clock == n->executed || (tried && clock + 1 == n->executed))
		return n->was_counted;
	if (clock < n->executed || has_others) {
		reports_add(REPORTS_BLOCKS);
		return n->was_counted;
	}
	observe_disagree(cpu, n->executed, clock, n->left.address);
}
