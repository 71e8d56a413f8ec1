// SPDX-License-Identifier: BSD-2-Clause
// Decides which callbacks translated code needs: follow.h.

#include "follow.h"

#include "batch.h"
#include "block.h"
#include "parallel.h"
#include "pmus.h"
#include "timed.h"
#include "turns.h"
#include "unpromised.h"

enum follows followed;

static enum follows wanted;
static bool changes;			// a flush of all translated code is pending
static const struct isa *isa;

// Near an overflow a block may not execute as a block, only instruction by instruction. If that
// happens often, following each instruction is cheaper.
#define VAIN_BLOCK	80	/* instructions executed in blocks that offset one such block */
#define VAIN_MANY	500000
static uint64_t vain_blocks;
static bool blocks_are_vain;

// Counters often stop briefly, e.g. in their overflow handler, and retranslating all code is slow.
// So the plugin keeps following code for PATIENCE instructions after the need ends. It follows
// references for exactly that long, so that caches have the same contents with batch=off.
#define PATIENCE	1000000	/* instructions */
static uint64_t wanted_until;	// progress when `followed` last equalled `wanted`
static uint64_t referred_until;	// progress when references were last wanted
bool follow_refers;

static uint64_t progress(void)
{
	uint64_t sum = 0;

	for (const struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		sum += cpu_progress(c);
	return sum;
}

// Returns for how many more instructions the plugin follows references after the last counter of
// references has stopped.
static uint64_t references_left(void)
{
	const uint64_t in_vain = progress() - referred_until;

	return follows_references(followed) && in_vain < PATIENCE ? PATIENCE - in_vain : 0;
}

// Call after a change of `followed` or `wanted`, and as progress is made.
static void set_refers(void)
{
	follow_refers = follows_references(followed) &&
			(follows_references(wanted) || references_left());
}

// Returns the level for which code should be translated: `wanted`, or more while references are
// still followed.
static enum follows find_target(void)
{
	if (!references_left())
		return wanted;
	return wanted == NOTHING ? followed : wanted == BLOCKS ? REFERRING_BLOCKS :
	       wanted == INSTRUCTIONS ? REFERENCES : wanted;
}

// Sets the level for which code is translated from now on. Call while no vCPU executes.
static void follow(enum follows what)
{
	followed = what;
	set_refers();
	wanted_until = progress();
	for (struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		if (c->core)
			unpromised_own_code(c->qemu, c->number, what != NOTHING);
}

static void forget_code(void *unused)
{
	(void)unused;
	block_forget_all();
}

// Runs while no vCPU executes. A second request finds `changes` already cleared.
static void throw_away(void *qemu, union run_on_cpu_data unused)
{
	(void)qemu, (void)unused;
	if (!changes)
		return;
	tb_flush__exclusive_or_serial();
	changes = false;
	follow(find_target());
	if (followed == NOTHING)
		block_add_up_nothing();
}

// Requests a flush of all translated code, which lacks callbacks. If one thread executes all vCPUs,
// QEMU proceeds to the next vCPU before it does this work, unless that vCPU has work, too
// (turns_pause). In parallel the executing vCPU waits for it.
static void translate_anew(void)
{
	if (changes && !parallel_is_used)
		return;
	changes = true;
	async_safe_run_on_cpu(current_cpu ? current_cpu : cpus[0].qemu, throw_away,
			      (union run_on_cpu_data){0});
	turns_pause();
}

// Returns true if blocks can sum the vCPU's events. A counter of all threads' events is stopped
// during its handler, so the order of threads then matters.
static bool blocks_will_do(const struct cpu *c)
{
	return isa->goes_on_at && !blocks_are_vain && !c->core->signals.any_thread &&
	       batch_allowed(c);
}

// Returns true if blocks can sum the events of memory references. Not if a package counts each in
// its cycle, if a bus lock must drain queues at once, or for refetches of the last line, which
// cause no callback.
static bool references_add_up(void)
{
	bool matter = pmus_wanted[CPU_EVENT_L1I_AGAIN] || pmus_packages_count();

	for (const struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		matter |= c->core && vpmu_locks_matter(&c->vpmu);
	return !matter;
}

// Returns the level that all counters together need. Sets *lacks if translated blocks do not sum
// all their events.
static enum follows find_wanted(bool *lacks)
{
	const bool refers = timed_is_used || isa->references_matter();
	bool counts = false, blocks = !refers || references_add_up();

	for (struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		if (c->core && pmus_count(c)) {
			counts = true;
			blocks &= blocks_will_do(c);
		}
	for (struct cpu *c = cpus; blocks && c < &cpus[cpus_count]; c++)
		if (c->core && pmus_count(c))
			*lacks |= block_add_up(c->core->signals.counted_set,
					       c->core->signals.branches_ask ||
					       vpmu_outputs(&c->vpmu)->recording);
	return !counts ? NOTHING : blocks ? refers ? REFERRING_BLOCKS : BLOCKS :
	       refers ? REFERENCES : INSTRUCTIONS;
}

// Returns true if code translated for `one` reports everything that `other` needs.
static bool will_do(enum follows one, enum follows other)
{
	return one >= other && follows_references(one) >= follows_references(other);
}

// Returns true if some counter counts events of several vCPUs, or their PMU has one shared clock
// register.
static bool order_matters(void)
{
	bool matters = pmus_packages_count();

	for (struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		matters |= c->core && (c->core->signals.any_thread ||
				       c->vpmu.model->clock_address);
	return matters;
}

void follow_counting(void)
{
	const bool referred = follows_references(wanted);
	bool lacks = false;

	wanted = find_wanted(&lacks);
	if (referred || follows_references(wanted))
		referred_until = progress();
	set_refers();
	turns_set(follows_references(wanted) ? TURNS_REFERRING : order_matters() ? TURNS_SHORT :
		  TURNS_LONG);
	if (wanted == followed)
		wanted_until = progress();
	if (lacks || !will_do(followed, find_target()))
		translate_anew();
}

bool follow_is_wanted(void)
{
	return wanted != NOTHING;
}

void follow_executed(uint64_t instructions)
{
	const uint64_t well = blocks_are_vain ? 1 : instructions - 1;

	vain_blocks -= well < vain_blocks ? well : vain_blocks;
	blocks_are_vain &= vain_blocks != 0;
	if (wanted == followed)
		return;
	set_refers();
	if (progress() - wanted_until >= PATIENCE && find_target() != followed)
		translate_anew();
}

uint64_t follow_left(void)
{
	return changes ? 0 : !follow_refers || follows_references(wanted) ? UINT64_MAX :
	       references_left();
}

void follow_block_in_vain(void)
{
	vain_blocks += VAIN_BLOCK;
	if (vain_blocks < VAIN_MANY || blocks_are_vain)
		return;
	blocks_are_vain = true;
	follow_counting();
}

void follow_join(struct cpu *c)
{
	if (c->outside)
		wanted = isa->references_matter() ? REFERENCES : INSTRUCTIONS;
	follow(c->outside ? wanted : followed);
}

void follow_begin(qemu_plugin_id_t id, const struct isa *of)
{
	isa = of;
	qemu_plugin_register_flush_cb(id, forget_code, NULL);
}
