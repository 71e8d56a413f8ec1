// SPDX-License-Identifier: BSD-2-Clause
// What QEMU reports of code: follow.h.

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
static bool changes;			// QEMU has been asked to translate all code anew
static const struct isa *isa;

// Near an overflow blocks begin in vain, and their instructions execute alone. If that is often, it is better to follow
// each instruction for a time.
#define VAIN_BLOCK	80	/* instructions that execute in blocks, for each block that begins in vain */
#define VAIN_MANY	500000
static uint64_t vain_blocks;
static bool blocks_are_vain;

// Counters often stop for a short time, as in their overflow handler. Translating code anew takes long. So the plugin
// follows code for some time after it is needed, and references for exactly that time, whatever else it follows: then
// caches have the same contents with batch=off.
#define PATIENCE	1000000	/* instructions */
static uint64_t wanted_until;	// progress when `followed` was last equal to `wanted`
static uint64_t referred_until;	// progress when references were last wanted
bool follow_refers;

static uint64_t progress(void)
{
	uint64_t sum = 0;

	for (const struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		sum += cpu_progress(c);
	return sum;
}

// Returns how many instructions' references the plugin still follows after no counter counts references.
static uint64_t references_left(void)
{
	const uint64_t in_vain = progress() - referred_until;

	return follow_refers && in_vain < PATIENCE ? PATIENCE - in_vain : 0;
}

// Returns what QEMU should translate code for: what is wanted, and references for some time after that.
static enum follows find_target(void)
{
	if (!references_left())
		return wanted;
	return wanted == NOTHING ? followed : wanted == BLOCKS ? REFERRING_BLOCKS :
	       wanted == INSTRUCTIONS ? REFERENCES : wanted;
}

// From here on code is translated for this. No vCPU executes.
static void follow(enum follows what)
{
	followed = what;
	follow_refers = follows_references(what);
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

// No vCPU executes. Another one may have asked for the same before.
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

// No vCPU may execute what has been translated for less. With one thread for all of them, QEMU goes on to the next vCPU
// before it does this work, unless there is work for that one, too. Otherwise the vCPU that executes waits for it.
static void translate_anew(void)
{
	if (changes && !parallel_is_used)
		return;
	changes = true;
	async_safe_run_on_cpu(current_cpu ? current_cpu : cpus[0].qemu, throw_away, (union run_on_cpu_data){0});
	turns_pause();
}

// What the vCPU's instructions raise may be added up. A counter of all threads' events stands still in its handler:
// then it matters who executes meanwhile.
static bool blocks_will_do(const struct cpu *c)
{
	return isa->goes_on_at && !blocks_are_vain && !c->core->signals.any_thread && batch_allowed(c);
}

// Whether blocks may add up the events of references to memory. A package counts each in its cycle, a bus lock changes
// its queues at once, and no callback reports an instruction in the line that was fetched last.
static bool references_add_up(void)
{
	bool matter = pmus_wanted[HAPPENING_L1I_AGAIN] || pmus_packages_count();

	for (const struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		matter |= c->core && vpmu_locks_matter(&c->vpmu);
	return !matter;
}

// Returns what the plugin must follow for all counters. Sets `lacks` if translated blocks do not add up all of their
// events.
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
			*lacks |= block_add_up(c->core->signals.counted_set, c->core->signals.branches_ask ||
					       vpmu_outputs(&c->vpmu)->recording);
	return !counts ? NOTHING : blocks ? refers ? REFERRING_BLOCKS : BLOCKS : refers ? REFERENCES : INSTRUCTIONS;
}

// Whether code that was translated for `one` reports all that `other` needs.
static bool will_do(enum follows one, enum follows other)
{
	return one >= other && follows_references(one) >= follows_references(other);
}

// Some counter counts what several vCPUs execute; or their PMU has one clock, which is a register.
static bool order_matters(void)
{
	bool matters = pmus_packages_count() || pmus_model()->clock_address;

	for (struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		matters |= c->core && c->core->signals.any_thread;
	return matters;
}

void follow_counting(void)
{
	const bool referred = follows_references(wanted);
	bool lacks = false;

	wanted = find_wanted(&lacks);
	if (referred || follows_references(wanted))
		referred_until = progress();
	turns_set(follows_references(wanted) ? TURNS_REFERRING : order_matters() ? TURNS_SHORT : TURNS_LONG);
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
	follow_refers &= follows_references(wanted) || references_left();
	if (progress() - wanted_until >= PATIENCE && find_target() != followed)
		translate_anew();
}

uint64_t follow_left(void)
{
	return changes ? 0 : !follow_refers || follows_references(wanted) ? UINT64_MAX : references_left();
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
