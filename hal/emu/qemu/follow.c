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
// each instruction.
#define VAIN_BLOCK	80	/* instructions that execute in blocks, for each block that begins in vain */
#define VAIN_MANY	500000
static uint64_t vain_blocks;

// Counters often stop for a short time, as in their overflow handler. Translating code anew takes long.
#define PATIENCE	1000000	/* instructions */
static uint64_t in_vain;	// that are followed since nothing wants that any more

// From here on code is translated for this. No vCPU executes.
static void follow(enum follows what)
{
	followed = what;
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
	follow(wanted);
	if (followed == NOTHING) {
		vain_blocks = 0;
		block_add_up_nothing();
	}
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
	return isa->goes_on_at && vain_blocks < VAIN_MANY && !c->core->signals.any_thread && batch_allowed(c);
}

// Whether what has been translated does not do: it does not follow all that is wanted, or not all that `c` counts.
static bool want(enum follows what, const struct cpu *c)
{
	const struct signals *s = &c->core->signals;
	const bool adds = what == BLOCKS && block_add_up(s->counted_set, s->branches_ask ||
							 vpmu_outputs(&c->vpmu)->recording);

	if (what > wanted)
		wanted = what;
	return what > followed || adds;
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
	bool lacks = false;

	wanted = NOTHING;
	for (struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		if (c->core && pmus_count(c))
			lacks |= want(timed_is_used || isa->references_matter() ? REFERENCES :
				      blocks_will_do(c) ? BLOCKS : INSTRUCTIONS, c);
	turns_set(wanted == REFERENCES ? TURNS_REFERRING : order_matters() ? TURNS_SHORT : TURNS_LONG);
	if (wanted >= followed)
		in_vain = 0;
	if (lacks)
		translate_anew();
}

bool follow_is_wanted(void)
{
	return wanted != NOTHING;
}

bool follow_changes(void)
{
	return changes;
}

void follow_executed(uint64_t instructions)
{
	vain_blocks -= instructions - 1 < vain_blocks ? instructions - 1 : vain_blocks;
	if (wanted >= followed)
		return;
	in_vain += instructions;
	if (in_vain >= PATIENCE)
		translate_anew();
}

void follow_block_in_vain(void)
{
	vain_blocks += VAIN_BLOCK;
	if (vain_blocks >= VAIN_MANY)
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
