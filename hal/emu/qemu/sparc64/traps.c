// SPDX-License-Identifier: BSD-2-Clause
// SPARC: overflow traps (SPARC T4 Supplement, section 10.3), and which instructions have retired
// when another trap occurs.
//
// A precise overflow trap precedes the execution of the overflowing instruction. So that
// instruction counts before it executes (it is "reported"), and not again when the handler returns
// to it. All other instructions count after they have retired. Near the end of a counter, the
// instruction's cycle is tried on a copy of the model's state.
//
//	before an instruction, in this order:
//		the previous next-to-commit instruction has overflowed	-> trap at its address
//		the instruction has already been reported		-> it does not count again
//		a disrupting trap is due				-> trap
//		no counter can overflow yet (`safe`)			-> execute it
//		it would overflow a counter with a precise trap		-> report it; trap
//
// QEMU takes trap types 6Ah and 6Bh to hyperprivileged mode, as a T4 takes both overflow traps.

#include "operands.h"
#include "class.h"
#include "../plugin.h"
#include "../timeline.h"
#include "../unpromised.h"
#include "references.h"
#include "sparc64.h"

#define NOWHERE	1	/* never an instruction's address */
#define EACH	16	/* largest number of one event from an instruction's references */

// A vCPU's overflow traps.
static struct traps {
	uint64_t safe;			// instructions that can execute without an overflow
	unsigned level;			// privilege level for which `safe` is valid
	bool is_reported;		// `reported` has an entry
	uint64_t reported[SPARC64_TRAP_LEVELS];
	// address of the executing instruction if it was reported; else NOWHERE
	uint64_t counted;
	unsigned raising;		// type of the trap that the plugin raises; 0: none
} all[CPUS_MOST];

static struct traps *traps_of(const struct cpu *c)
{
	return &all[c->number];
}

static unsigned trap_level(const struct cpu *c)
{
	return *SPARC64_STATE(c->qemu, uint32_t, tl) % SPARC64_TRAP_LEVELS;
}

void sparc64_look_again(const struct cpu *c)
{
	traps_of(c)->safe = 0;
}

//
// Instructions that count before they execute
//

static void put_reported(struct traps *t, unsigned level, uint64_t address)
{
	if (!t->is_reported)
		for (unsigned i = 0; i < SPARC64_TRAP_LEVELS; i++)
			t->reported[i] = NOWHERE;
	t->is_reported = true;
	t->reported[level] = address;
}

// Returns true if the next instruction was reported. Clears its entry and those of higher trap
// levels. `counted` keeps it, because QEMU restarts an instruction that accesses a device.
static bool take_reported(struct traps *t, unsigned level, uint64_t address)
{
	bool is = t->counted == address;

	t->counted = NOWHERE;
	if (t->is_reported) {
		is |= t->reported[level] == address;
		for (unsigned i = level; i < SPARC64_TRAP_LEVELS; i++)
			t->reported[i] = NOWHERE;
		t->is_reported = false;
		for (unsigned i = 0; i < level; i++)
			t->is_reported |= t->reported[i] != NOWHERE;
	}
	if (is)
		t->counted = address;
	return is;
}

//
// Traps
//

_Noreturn void sparc64_raise(struct cpu *c, unsigned type)
{
	const uintptr_t here = c->here;

	c->here = 0;
	c->current = NULL;
	traps_of(c)->raising = type;
	cpu_raise_exception_ra(sparc64_env(c), type == TT_PRIVILEGED_ACTION ? TT_DISRUPTING_EVENT :
			       (int)type, here);
}

static void take_precise(struct cpu *c)
{
	vpmu_outputs(&c->vpmu)->precise &= ~(1u << c->vpmu.thread);
}

static bool is_precise(const struct cpu *c)
{
	return vpmu_outputs(&c->vpmu)->precise >> c->vpmu.thread & 1;
}

// Raises the precise trap at the last executed instruction, a next-to-commit one.
_Noreturn static void raise_after(struct cpu *c)
{
	take_precise(c);
	plugin_restore(c);
	*SPARC64_STATE(c->qemu, uint64_t, npc) = *SPARC64_STATE(c->qemu, uint64_t, pc);
	*SPARC64_STATE(c->qemu, uint64_t, pc) = c->retired_at;
	sparc64_raise(c, TT_PRECISE_EVENT);
}

// Hyperprivileged code takes the trap only with PSTATE.ie set.
bool sparc64_is_interrupted(const struct cpu *c, unsigned level)
{
	return vpmu_is_due(&c->vpmu) &&
	       (level != SPARC64_HYPERPRIVILEGED ||
		*SPARC64_STATE(c->qemu, uint32_t, pstate) & PSTATE_IE);
}

//
// Overflows
//

// Writes every event that one cycle may raise. Returns their number.
static size_t all_that_happens(const struct cpu *c, struct occurrence to[VPMU_KINDS_MOST])
{
	const struct signals *s = &c->core->signals;
	size_t count = 0;

	for (size_t i = 0; s->model->machine->raised[i].cpu_event != CPU_EVENT_COUNT &&
	     count < VPMU_KINDS_MOST; i++)
		if (s->selected[i])
			to[count++] = (struct occurrence){
				.code = s->model->machine->raised[i].code,
				.sub = s->model->machine->raised[i].sub,
				.n = s->model->machine->raised[i].cpu_event <
					CPU_EVENT_INSTRUCTIONS ? 1 : EACH,
				.thread = (uint8_t)c->vpmu.thread, .level = (uint8_t)c->vpmu.level,
			};
	return count;
}

// Returns the number of instructions before one that may overflow a counter.
static uint64_t find_safe(struct cpu *c)
{
	static struct occurrence everything[VPMU_KINDS_MOST];
	const uint64_t headroom = vpmu_headroom_with(&c->vpmu, everything,
						     all_that_happens(c, everything));

	timeline_resume(c);
	return headroom - 1;
}

// Computes the outcome and the destination of a branch from the registers.
static void follow_branch(struct cpu *c, const struct instruction *i)
{
	const struct sparc64_class class = sparc64_classify(i->code, i->asi);
	struct sparc64_state state = {.ccr = 0};
	const uint64_t after = c->address + i->size + i->slot;

	sparc64_registers(c, state.registers);
	if (class.goes == SPARC64_IF) {
		state.ccr = (uint8_t)cpu_get_ccr(sparc64_env(c));
		state.fsr = cpu_get_fsr(sparc64_env(c));
	}
	c->goes = sparc64_goes(i->code, &state);
	c->leads_to = !c->goes ? after : class.displacement ? c->address +
		(uint64_t)(int64_t)class.displacement :
		      sparc64_access_address(i->code, state.registers);
}

// Returns true if only the clock's events happen in the instruction's cycle, and none of them can
// overflow.
static bool raises_nothing(const struct cpu *c, const struct instruction *i)
{
	const uint64_t counted = c->core->signals.counted_set;

	return !(i->is.raises & counted) && !(i->is.branch && counted) &&
	       !sparc64_references_mattered() &&
	       c->vpmu.level == i->level && c->quiet + 1 < c->quiet_left;
}

// Checks an instruction that may overflow a counter.
static void look_closely(struct cpu *c, const struct instruction *i)
{
	if (i->commits || i->level == SPARC64_HYPERPRIVILEGED)
		return;
	sparc64_refer_early(c, i);
	timeline_prepare(c);
	if (!timeline_would_trap(c)) {
		timeline_resume(c);
		return;
	}
	timeline_retire(c, c->address + i->size);
	take_precise(c);
	put_reported(traps_of(c), trap_level(c), c->address);
	sparc64_raise(c, TT_PRECISE_EVENT);
}

void sparc64_before(struct cpu *c, const struct instruction *i)
{
	struct traps *t = traps_of(c);

	if (__builtin_expect(is_precise(c), false))
		raise_after(c);
	if (take_reported(t, trap_level(c), c->address)) {
		c->current = NULL;
		return;
	}
	if (__builtin_expect(sparc64_is_interrupted(c, i->level), false)) {
		vpmu_take_request(&c->vpmu);
		sparc64_raise(c, TT_DISRUPTING_EVENT);
	}
	if (i->slot && c->core->signals.counted_set)
		follow_branch(c, i);
	if (__builtin_expect(t->safe && t->level == i->level, true)) {
		t->safe--;
		return;
	}
	if (t->level == i->level && raises_nothing(c, i))
		return;
	timeline_begin_read(c);
	t->level = i->level;
	t->safe = find_safe(c);
	if (t->safe)
		t->safe--;
	else
		look_closely(c, i);
}

//
// The guest's handlers
//

// Changes the trap that QEMU has taken to another type, which enters hyperprivileged mode.
static void redirect(const struct cpu *c, unsigned type)
{
	const uint64_t entry = (*SPARC64_STATE(c->qemu, uint64_t, htba) & ~0x3FFFULL) | type << 5;

	sparc64_saved(c)->type = type;
	*SPARC64_STATE(c->qemu, uint64_t, hpstate) |= HPSTATE_HPRIV;
	*SPARC64_STATE(c->qemu, uint32_t, pstate) = PSTATE_PEF | PSTATE_PRIV;
	*SPARC64_STATE(c->qemu, uint64_t, pc) = entry;
	*SPARC64_STATE(c->qemu, uint64_t, npc) = entry + SPARC64_INSTRUCTION;
}

static bool is_interrupt(unsigned type)
{
	return type > 0x40 && type < 0x50;
}

// Returns true if a trap occurs between instructions: an interrupt, or a fault of the next
// instruction's fetch (08h to 0Ah, 64h to 67h).
static bool is_between(unsigned type)
{
	return is_interrupt(type) || (type >= 0x08 && type <= 0x0A) ||
	       (type >= 0x64 && type <= 0x67);
}

// Returns true if QEMU's instruction clock counts the trapping instruction: one that traps by its
// kind (illegal, privileged, FPU disabled, software trap), not by the state that it meets.
static bool takes_time(unsigned type)
{
	return type == TT_ILLEGAL_INSTRUCTION || type == TT_PRIVILEGED_OPCODE ||
	       type == TT_FP_DISABLED ||
	       type == TT_PRIVILEGED_ACTION || type >= TT_SOFTWARE;
}

static uint8_t level_before(const struct cpu *c)
{
	const uint64_t tstate = sparc64_saved(c)->tstate;

	if (SPARC64_STATE(c->qemu, uint64_t, htstate)[trap_level(c)] & HPSTATE_HPRIV)
		return SPARC64_HYPERPRIVILEGED;
	return tstate >> 8 & PSTATE_PRIV ? SPARC64_PRIVILEGED : SPARC64_USER;
}

// An overflow of the instruction before an interrupt traps first; the interrupt stays pending. A
// precise trap occurs at that instruction, a next-to-commit one.
static void put_overflow_first(struct cpu *c)
{
	struct sparc64_saved *saved = sparc64_saved(c);

	if (is_precise(c)) {
		take_precise(c);
		saved->npc = saved->pc;
		saved->pc = c->retired_at;
		redirect(c, TT_PRECISE_EVENT);
	} else if (is_interrupt(saved->type) && sparc64_is_interrupted(c, level_before(c))) {
		vpmu_take_request(&c->vpmu);
		redirect(c, TT_DISRUPTING_EVENT);
	}
}

// QEMU has taken a trap. Determines whether the instruction at the saved address had executed
// before.
void sparc64_entered(struct cpu *c)
{
	struct traps *t = traps_of(c);
	const struct sparc64_saved saved = *sparc64_saved(c);
	const unsigned raised = t->raising;
	const uint64_t counted = t->counted;

	t->raising = 0;
	t->counted = NOWHERE;
	if (raised) {
		if (raised != saved.type)
			redirect(c, raised);
		return;
	}
	if (takes_time(saved.type))
		unpromised_take_back_instruction();
	if (!c->current) {
		if (counted == saved.pc && trap_level(c))
			put_reported(t, trap_level(c) - 1, saved.pc);
	} else if (saved.pc != c->address || (is_between(saved.type) && c->current->is.branch)) {
		c->next_level = level_before(c);
		timeline_retire(c, saved.pc);
		put_overflow_first(c);
	} else {
		timeline_drop(c);
	}
}
