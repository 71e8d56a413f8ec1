// SPDX-License-Identifier: BSD-2-Clause
// The callbacks by which QEMU reports its vCPUs' execution.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "cycle.h"
#include "follow.h"
#include "isa.h"
#include "outside.h"
#include "parallel.h"
#include "plugin.h"
#include "pmus.h"
#include "qemu_plugin.h"
#include "report.h"
#include "threads.h"
#include "timed.h"
#include "timeline.h"
#include "translate.h"
#include "turns.h"
#include "unpromised.h"

bool plugin_announces;

static const struct isa *isa;
static bool any_processor;	// -cpu need not match the PMU
static const char *(*choose)(const struct cpu *first);	// as in plugin_begin

_Noreturn static void fail(const char *problem)
{
	if (*problem)
		fprintf(stderr, "palmon: %s\n", problem);
	exit(1);
}

struct cpu *plugin_running(void)
{
	struct cpu *c = cpus;

	while (c < &cpus[CPUS_MOST - 1] && c->qemu != current_cpu)
		c++;
	return c;
}

// With -icount and several vCPUs, QEMU passes the number of the vCPU that translated the block.
// Only while code is followed does each vCPU have its own translations.
struct cpu *plugin_cpu(unsigned number)
{
	return followed == NOTHING ? plugin_running() : &cpus[number];
}

//
// Interrupts
//

static void deliver(void *qemu, union run_on_cpu_data number)
{
	struct cpu *c = &cpus[number.number];
	void *before = current_cpu;

	current_cpu = qemu;
	if (vpmu_is_due(&c->vpmu))
		isa->interrupt(c);
	current_cpu = before;
}

// Requests the due interrupts of all vCPUs: an event may overflow counters of the core's other
// threads and of the whole package. Returns true if `c` itself gets one.
static bool request_interrupts(const struct cpu *c)
{
	bool own = false;

	if (!isa->interrupt)
		return false;
	for (struct cpu *other = cpus; other < &cpus[cpus_count]; other++) {
		if (!other->core || !vpmu_is_due(&other->vpmu))
			continue;
		async_run_on_cpu(other->qemu, deliver,
				 (union run_on_cpu_data){.number = (int)other->number});
		own |= other == c;
		turns_give_to(other);
	}
	return own;
}

bool plugin_has_idle_time(void)
{
	return isa->ticks_are_instructions && !timed_is_used && unpromised_takes_turns();
}

//
// Instructions
//

void plugin_restore(struct cpu *c)
{
	const uintptr_t here = c->here;

	c->here = 0;
	if (here)
		cpu_restore_state(current_cpu, here);
}

_Noreturn static void leave_block(struct cpu *c)
{
	plugin_restore(c);
	cpu_loop_exit(current_cpu);
}

// QEMU cannot restore the flags before a repeated string within a block: its record of the flags
// becomes valid only when the string begins (guests/flags.c of the tests). So the instruction
// before the string, and the string, get blocks of one instruction.
static void let_be_alone(struct cpu *c, unsigned instructions)
{
	c->alone = instructions;
	unpromised_single_instructions(c->qemu, true);
}

static bool begins_alone(struct cpu *c, const struct instruction *i)
{
	if (c->alone && !--c->alone)
		unpromised_single_instructions(c->qemu, false);
	if (i->before_string)
		let_be_alone(c, 2);
	return i->before_string;
}

// HLT at level 0 cannot fault. It retires before the vCPU waits, so that its own overflow ends the
// wait.
static void halt(struct cpu *c)
{
	if (c->current->level)
		return;
	timeline_retire(c, c->address + c->current->size);
	timeline_settle(c);
	c->halts = true;
	if (vpmu_outputs(&c->vpmu)->requests)
		request_interrupts(c);
}

// Begins the current instruction.
static void begin_instruction(struct cpu *c, const struct instruction *i)
{
	if (c->outside)
		c->unwatched = !outside_wants(isa->address_space(c));
	if (follow_refers && c->fetched != c->address + 1)
		isa->fetch(c, i);
	c->fetched = 0;
	timeline_issue(c);
	if (isa->before)
		isa->before(c, i);
	if (__builtin_expect(vpmu_outputs(&c->vpmu)->requests != 0, false) && request_interrupts(c))
		plugin_restore(c);
	if (turns_end(c))
		plugin_restore(c);
	if (__builtin_expect(!c->here, false)) {
		c->fetched = c->address + 1;
		timeline_interrupt(c);
		leave_block(c);
	}
	c->here = 0;
	if (i->is.kinds & (CLASS_HALT | CLASS_PAUSE))
		turns_give_up(c);
	if (__builtin_expect(i->is.kinds & CLASS_HALT, false))
		halt(c);
}

// Leaves the block if another vCPU must continue first; the instruction begins later.
static void wait_for_turn(struct cpu *c)
{
	if (__builtin_expect(turns_wait(c), false))
		leave_block(c);
}

// Callback before each instruction, while a counter counts and some time after. Each vCPU then has
// its own translations, each for one linear address (unpromised_own_code).
static void step(unsigned number, void *data)
{
	const bool entered = parallel_enter();
	struct cpu *c = plugin_cpu(number);
	const struct instruction *i = data;

	c->here = (uintptr_t)__builtin_return_address(0);
	wait_for_turn(c);
	block_settle(c, i->translated_at);
	if (__builtin_expect(begins_alone(c, i), false))
		leave_block(c);
	follow_executed(1);
	timeline_begin(c, i, i->translated_at);
	begin_instruction(c, i);
	parallel_leave(entered);
}

// The block needs callbacks: its first instruction executes in a block of its own.
static void begin_alone(struct cpu *c)
{
	follow_block_in_vain();
	let_be_alone(c, 1);
	timeline_interrupt(c);
	leave_block(c);
}

// Returns the number of instructions that the vCPU may execute without a callback, from this block
// on; 0 if that is less than the block.
static uint64_t may_execute(struct cpu *c, const struct block *b)
{
	const struct instruction *const first = b->instruction;
	const uint64_t in_turn = turns_left(c), followed_as_now = follow_left();
	const uint64_t most = in_turn < followed_as_now ? in_turn : followed_as_now;
	uint64_t left;

	if (most < b->count || vpmu_outputs(&c->vpmu)->requests ||
	    classify_is_pair(cycle_kinds_before(c), &first->is))
		return 0;
	left = timeline_left_to_add(c, first->level, b->count);
	return left < most ? left : most;
}

// Callback before the first instruction of a block, in block mode, unless the vCPU still has enough
// room.
static void begin_block(unsigned number, void *data)
{
	const bool entered = parallel_enter();
	const struct block *b = data;
	struct cpu *c = b->of;
	const struct instruction *const first = b->instruction;
	uint64_t executed, may;

	(void)number;
	c->here = (uintptr_t)__builtin_return_address(0);
	wait_for_turn(c);
	executed = block_settle(c, first->translated_at);
	if (c->alone)
		begins_alone(c, first);
	follow_executed(executed + 1);
	timeline_begin(c, first, first->translated_at);
	may = may_execute(c, b);
	if (may >= b->count) {
		block_open(c, b, may);
		c->here = 0;
		parallel_leave(entered);
		return;
	}
	if (b->count > 1 && turns_left(c))
		begin_alone(c);
	begin_instruction(c, first);
	parallel_leave(entered);
}

// Callback before the first instruction of every block, while the targets of branches matter.
static void begin_after_branch(unsigned number, void *data)
{
	const bool entered = parallel_enter();
	const struct block *b = data;

	(void)number;
	block_branched(b->of, b);
	parallel_leave(entered);
}

// Callback before an instruction of a block that may be the first one in its line of code.
static void fetch_line(unsigned number, void *data)
{
	const bool entered = parallel_enter();
	struct cpu *c = plugin_cpu(number);

	if (block_refers(c, data) && follow_refers)
		isa->fetch(c, data);
	parallel_leave(entered);
}

void plugin_changed(const struct cpu *c)
{
	request_interrupts(c);
	follow_counting();
}

static void access_pmu(unsigned number, void *data)
{
	const bool entered = parallel_enter();
	struct cpu *c = plugin_cpu(number);
	const struct instruction *i = data;

	c->here = (uintptr_t)__builtin_return_address(0);
	if (followed == NOTHING) {
		timeline_begin(c, i, isa->address(c, i));
		if (!threads_are_used)		// their cycles pass only while code is followed
			timeline_issue(c);
	}
	isa->access(c, i);
	c->here = 0;
	if (followed == NOTHING)
		timeline_drop(c);
	parallel_leave(entered);
}

// Returns true if the current instruction had retired when QEMU entered a handler from the linear
// address `from`. If `from` is another address, it had. If not: a software interrupt had, unless it
// faulted in turn; so had a branch to itself, before an interrupt. Any other instruction has
// faulted, or is an incomplete repeated string.
static bool retires(const struct cpu *c, const struct instruction *i, uint64_t from)
{
	if (from != c->address)
		return true;
	return c->exceptions ? c->exceptions == 1 && i->traps : i->is.branch;
}

// Returns true for a software interrupt, which is an instruction and interrupts none. INTO is a
// conditional trap and not included.
static bool is_software_interrupt(const struct cpu *c, const struct instruction *i, uint64_t from)
{
	return i && from == c->address && c->exceptions == 1 && i->traps &&
	       !(i->is.kinds & CLASS_TRAP);
}

static void discontinue(struct cpu *c, enum qemu_plugin_discon_type type, uint64_t from,
			uint64_t to)
{
	const struct instruction *i;

	if (isa->entered) {
		isa->entered(c);
		return;
	}
	if (type == QEMU_PLUGIN_DISCON_EXCEPTION) {
		block_take(c);
		c->exceptions++;
		return;
	}
	block_settle(c, from);
	if (c->halts)
		cycle_skip_references(c);
	c->halts = false;
	i = c->current;
	c->interrupted_level = i ? i->level : (uint8_t)c->vpmu.level;
	if (c->vpmu.model->machine->interruptions_count && !c->exceptions)
		c->interrupted_level = isa->interrupted_level(c);
	if (i && retires(c, i, from))
		timeline_retire(c, i->traps && c->exceptions ? to : from);
	else if (i)
		timeline_drop(c);
	if (c->vpmu.package && plugin_has_idle_time() && follow_is_wanted()) {
		timeline_settle(c);
		timeline_pass_idle(unpromised_ticks(c->qemu));
	}
	c->interrupted |= !is_software_interrupt(c, i, from);
	c->exceptions = 0;
}

// Callback after a fault of an instruction, or an interrupt before one.
static void discontinuity(unsigned number, enum qemu_plugin_discon_type type, uint64_t from,
			  uint64_t to, void *unused)
{
	const bool entered = parallel_enter();

	(void)unused;
	discontinue(plugin_cpu(number), type, from, to);
	parallel_leave(entered);
}

static void translate_block(struct qemu_plugin_tb *qemu, void *unused)
{
	static const struct callbacks before = {begin_block, begin_after_branch, step, fetch_line,
						access_pmu};

	(void)unused;
	translate(qemu, plugin_running(), isa, followed, &before);
}

static void end(void *unused)
{
	(void)unused;
	if (reporting) {
		timeline_settle_all();
		outside_write(report_print());
		report_close();
	}
	timed_end();
}

//
// Start
//

static void reset(void *unused)
{
	(void)unused;
	timeline_settle_all();
	if (reporting)
		report_before_reset();
	pmus_reset();
	for (struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		if (c->core)
			timeline_forget(c);
	if (reporting)
		report_after_reset();
	follow_counting();
}

static void begin(unsigned number, void *unused)
{
	struct cpu *c = &cpus[number];
	struct isa_place place;
	const char *problem;

	(void)unused;
	if (number >= CPUS_MOST)
		fail("this machine has too many CPUs");
	c->number = number;
	c->qemu = qemu_get_cpu((int)number);
	problem = isa->begin(c);
	if (!problem && !pmus_model())
		problem = choose(c);
	if (problem)
		fail(problem);
	problem = isa->mismatch && !any_processor ? isa->mismatch(c, pmus_model()) : NULL;
	if (problem)
		fail(problem);
	place = isa->place(c);
	problem = pmus_join(c, &place, isa->around);
	if (problem)
		fail(problem);
	isa->begin_predictions(c);
	if (reporting)
		report_begin(c);
	problem = outside_begin(c);
	if (problem)
		fail(problem);
	block_begin(c);
	parallel_is_used = !unpromised_takes_turns();
	c->vpmu.references_separate = parallel_is_used;
	if (!number)
		unpromised_refuse_saving();
	if (cpus_count <= number)
		cpus_count = number + 1;
	follow_join(c);
}

void plugin_begin(qemu_plugin_id_t id, const struct isa *of, bool with_any_processor,
		  const char *(*with_choose)(const struct cpu *first))
{
	isa = of;
	choose = with_choose;
	any_processor = with_any_processor;
	block_goes_on_at = isa->goes_on_at;
	block_left_at = isa->left_at;
	translate_begin();
	qemu_register_reset(reset, NULL);
	qemu_plugin_register_vcpu_init_cb(id, begin, NULL);
	follow_begin(id, isa);
	if (reporting || timed_is_used)
		qemu_plugin_register_atexit_cb(id, end, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate_block, NULL);
	qemu_plugin_register_vcpu_discon_cb(id, QEMU_PLUGIN_DISCON_INTERRUPT |
					    QEMU_PLUGIN_DISCON_EXCEPTION, discontinuity, NULL);
}
