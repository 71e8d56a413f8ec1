// SPDX-License-Identifier: BSD-2-Clause
// Time slices of vCPUs: turns.h.

#include "turns.h"

#include "threads.h"

// Lengths of time slices. REFERRING_TURN is prime, so that slices do not synchronize with the
// guest's loops.
#define LONG_TURN	20000	/* instructions; also while all other vCPUs halt, so that one of
				 * them wakes at most this much later */
#define SHORT_TURN	250
#define REFERRING_TURN	97

static const uint64_t length_of[] = {
	[TURNS_LONG] = LONG_TURN, [TURNS_SHORT] = SHORT_TURN, [TURNS_REFERRING] = REFERRING_TURN,
};
static enum turns turns;
// the vCPU whose time slice it is; NULL: whichever executes next
static const struct cpu *executes;
static uint64_t ends;			// its cpu_progress at the end of the slice
// number of times that other vCPUs have waited for it to continue
static unsigned waits;

// Times that each other vCPU waits. Then the slice ends, because its vCPU may have stopped, e.g. by
// INIT.
#define WAITS_MOST	4

static bool others_wait(const struct cpu *c)
{
	bool wait = true;

	for (const struct cpu *other = cpus; other < &cpus[cpus_count]; other++)
		wait &= other == c || !other->qemu || unpromised_waits(other->qemu);
	return wait;
}

// A vCPU that executes an instruction although another one's turn has come, because that one does
// not continue.
static const struct cpu *forced;

static void begin(const struct cpu *c)
{
	executes = c;
	ends = cpu_progress(c) + (others_wait(c) ? LONG_TURN : length_of[turns]);
	waits = 0;
}

// The next vCPU after this one that does not wait has the next slice. NULL: all wait, and the first
// one that wakes has it.
static void pass_on(const struct cpu *c)
{
	executes = NULL;
	for (unsigned n = 1; n < cpus_count; n++) {
		const struct cpu *const other = &cpus[(c->number + n) % cpus_count];

		if (other->qemu && !unpromised_waits(other->qemu)) {
			begin(other);
			return;
		}
	}
}

// The current vCPU keeps its time slice, restarted with the new length. At this point QEMU may
// itself switch to another vCPU, e.g. when it flushes translated code; the order must not depend on
// that.
void turns_set(enum turns now)
{
	if (turns == now)
		return;
	turns = now;
	if (executes)
		begin(executes);
}

static bool are_used(void)
{
	return cpus_count > 1 && unpromised_takes_turns();
}

uint64_t turns_left(const struct cpu *c)
{
	if (!are_used())
		return UINT64_MAX;
	if (executes == c && ends <= cpu_progress(c) && others_wait(c))
		begin(c);
	return executes == c && ends > cpu_progress(c) ? ends - cpu_progress(c) : 0;
}

static void nothing(void *qemu, union run_on_cpu_data unused)
{
	(void)qemu, (void)unused;
}

// Any queued work makes a vCPU leave its block.
static void leave(const struct cpu *c)
{
	async_run_on_cpu(c->qemu, nothing, (union run_on_cpu_data){0});
}

// By the clock of threads.h, the vCPU executes whose next instruction issues first.
static bool ends_by_cycle(const struct cpu *c)
{
	const struct cpu *first = threads_next();

	if (!are_used() || !first || first == c || forced == c) {
		forced = NULL;
		return false;
	}
	begin(first);
	return true;
}

bool turns_end(const struct cpu *c)
{
	if (threads_are_used ? !ends_by_cycle(c) : turns_left(c))
		return false;
	if (!threads_are_used)
		pass_on(c);
	leave(c);
	return true;
}

void turns_give_up(const struct cpu *c)
{
	if (are_used())
		pass_on(c);
}

void turns_give_to(const struct cpu *c)
{
	if (are_used())
		begin(c);
}

void turns_pause(void)
{
	for (struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		leave(c);
}

bool turns_wait(const struct cpu *c)
{
	if (!are_used())
		return false;
	if (executes && executes != c && waits == WAITS_MOST * cpus_count)
		begin(forced = c);
	if (!executes)
		begin(c);
	if (executes == c) {
		waits = 0;
		return false;
	}
	waits++;
	leave(c);
	return true;
}
