// SPDX-License-Identifier: BSD-2-Clause
// The monitor: what happens on each trap of the guest's. The guest is the program that started the monitor; all that it
// lacks is a PMU, and all traps but those that serve to give it one go on to its own tables.

#include "exit.h"

#include "arch.h"
#include "decode.h"
#include "hal.h"
#include "sparc64/registers.h"
#include "sparc64/traps.h"

struct hyper_monitor hyper_monitor;

#define TT_PRIVILEGED_OPCODE	0x11
#define TT_FP_DISABLED		0x20

#define SOFTINT_ALL		0x1FFFFULL

#define TSTATE_PSTATE		8		/* where it has PSTATE */
#define TSTATE_GL		40
#define TSTATE_IE		((uint64_t)PSTATE_IE << TSTATE_PSTATE)
#define TSTATE_KEPT		0xFFFF0000FFULL	/* CCR, ASI, CWP: a trap does not change them */

#define QUANTUM_MOST		(1ULL << 40)
#define QUANTUM_NONE		UINT64_MAX	/* no alarm: not at a level that takes it */
#define PRIVILEGED_MOST		64		/* instructions of a privileged trap handler */
#define DESCENT_MOST		16		/* privileged ones on the way down from hyperprivileged mode */
#define SPURIOUS_MOST		16		/* ticks of the way in before SOFTINT is read */

static void print(const char *text, uint64_t value)
{
	for (; *text; text++)
		hal_console_put(*text);
	for (int shift = 60; shift >= 0; shift -= 4)
		hal_console_put("0123456789abcdef"[value >> shift & 15]);
}

// What prints uses register windows: from here on all are its own.
static noreturn void stop(const struct hyper_frame *frame, const char *why)
{
	__asm__ volatile("wrpr %%g0, 0, %%otherwin; wrpr %%g0, 0, %%canrestore; wrpr %%g0, %0, %%cansave; "
			 "wrpr %%g0, %1, %%cleanwin" : : "i"(WINDOWS - 2), "i"(WINDOWS - 1) : "memory");
	print("\nmonitor: ", hyper_monitor.exits);
	print(why, frame->trap.tl_or_tt);
	print(", trap level ", frame->entry.tl_or_tt - 1);
	print(", pc ", frame->trap.tpc);
	print("\n", 0);
	hal_exit(1);
}

//
// Time
//

// Instructions that trap because of what they are. The emulator counts them as executed, but they have not been.
static bool is_counted(uint64_t type)
{
	return type == TT_ILLEGAL_INSTRUCTION || type == TT_PRIVILEGED_OPCODE || type == TT_FP_DISABLED ||
	       type == TT_PRIVILEGED_ACTION || type >= TT_SOFTWARE;
}

// The first of these instructions has been reported. Apart, so that the other case needs no frame.
__attribute__((noinline)) static void account_reported(struct hyper_monitor *m, uint64_t executed)
{
	m->reported[m->trap_level].reported = m->reported_next = false;
	hyper_pmu_drop_reported();
	if (executed > 1)
		hyper_pmu_run(executed - 1);
}

// Reports that the guest has executed so many instructions at its level. The first may have been reported already.
static void account(struct hyper_monitor *m, uint64_t executed)
{
	m->guest += executed;
	if (!executed)
		return;
	if (m->reported_next)
		account_reported(m, executed);
	else
		hyper_pmu_run(executed);
}

static void set_level(struct hyper_monitor *m, unsigned level)
{
	if (level == m->level)
		return;
	m->level = level;
	hyper_pmu_set_level(level);
}

// The trap level at which the guest's trap happened.
static unsigned guest_level(const struct hyper_frame *frame)
{
	return (unsigned)frame->entry.tl_or_tt - 2;
}

static void change_level(struct hyper_monitor *m, unsigned level)
{
	m->guest++;
	m->level = level;
	hyper_pmu_change_level(level);
}

static uint32_t last_instruction(const struct hyper_frame *frame)
{
	return instruction_at(frame->trap.tpc - 4);
}

// Whether the guest has gone to where it is by RETRY or DONE: a handler has left a trap that came from there.
static bool has_returned(struct hyper_monitor *m, const struct hyper_frame *frame)
{
	const struct hyper_left left = m->left[guest_level(frame)];

	for (unsigned i = guest_level(frame); i < TRAP_LEVELS; i++)
		m->left[i] = (struct hyper_left){1, 1};
	return frame->trap.tpc == left.pc || frame->trap.tpc == left.npc;
}

// How many of the last instructions, which are in a row, have followed the WRHPR %hpstate that led out of
// hyperprivileged mode. False: it is not among them.
static bool find_wrhpr(const struct hyper_frame *frame, uint64_t executed, uint64_t *behind)
{
	for (*behind = 0; *behind < DESCENT_MOST && *behind < executed; ++*behind)
		if (decode_is_wrhpr_hpstate(instruction_at(frame->trap.tpc - 4 * (*behind + 1))))
			return true;
	return false;
}

// The last of these instructions has left privileged mode, or gone on in it with interrupts on. It is a next-to-commit
// one.
static void account_wrpr(struct hyper_monitor *m, const struct hyper_frame *frame, uint64_t executed, unsigned level)
{
	account(m, executed - 1);
	change_level(m, level);
	m->trap_level = guest_level(frame);
	m->reported[m->trap_level] = (struct hyper_report){
		.trap_behind = hyper_pmu_take_precise(), .pc = frame->trap.tpc - 4,
	};
}

// The guest has gone down, by RETRY or DONE, or by WRHPR %hpstate and then, in privileged mode, WRPR %pstate. Behind
// the one or the other the monitor's interrupt comes.
static void account_descent(struct hyper_monitor *m, const struct hyper_frame *frame, uint64_t executed,
			     unsigned level)
{
	const bool returned = has_returned(m, frame), wrpr = decode_is_wrpr_pstate(last_instruction(frame));
	uint64_t behind;

	if (returned || !(wrpr || decode_is_wrhpr_hpstate(last_instruction(frame)))) {
		account(m, executed);
		return;
	}
	if (find_wrhpr(frame, executed, &behind)) {
		account(m, executed - behind - 1);
		change_level(m, LEVEL_PRIVILEGED);
	} else {
		behind = 1;
		account(m, executed - 1);
		set_level(m, LEVEL_PRIVILEGED);
	}
	if (wrpr)
		account_wrpr(m, frame, behind, level);
}

// The guest is at a level below the highest.
__attribute__((noinline)) static void account_below(struct hyper_monitor *m, const struct hyper_frame *frame,
						    uint64_t executed, unsigned level)
{
	if (m->level == LEVEL_HYPERPRIVILEGED && executed)
		account_descent(m, frame, executed, level);
	else if (m->leaving && level == LEVEL_USER && executed == 1)
		account_wrpr(m, frame, executed, level);
	else
		account(m, executed);
	m->leaving = false;
	set_level(m, level);
}

// What the guest has executed since it was left, and the level it was at last.
static void account_quantum(struct hyper_monitor *m, const struct hyper_frame *frame)
{
	const uint64_t resumed = hyper_instructions(frame->exit_tick) + HYPER_OUT + m->slide;
	const uint64_t type = frame->trap.tl_or_tt;
	const uint64_t executed = hyper_instructions(frame->entry_tick) - HYPER_IN - resumed - is_counted(type);
	const bool user = !(frame->trap.tstate >> TSTATE_PSTATE & PSTATE_PRIV);
	// In hyperprivileged mode no interrupt comes.
	const unsigned level = user ? LEVEL_USER : type == TT_INTERRUPT_LEVEL_14 ? LEVEL_PRIVILEGED : m->level;

	if (!m->running) {
		m->running = true;
		m->entered = hyper_instructions(frame->entry_tick);
		return;
	}
	m->executed += executed;
	hyper_pmu_say_executed(m->executed);
	m->own += resumed - m->entered;
	m->entered = hyper_instructions(frame->entry_tick) - HYPER_IN;
	// The alarm of the quantum before, whose time has come on the monitor's last way out, comes at once.
	if (type == TT_INTERRUPT_LEVEL_14 && frame->softint == SOFTINT_ALARM && m->quantum != QUANTUM_NONE &&
	    executed != m->quantum && executed)
		stop(frame, "the alarm came on another instruction, trap type ");
	if (level == LEVEL_HYPERPRIVILEGED)
		account(m, executed);
	else
		account_below(m, frame, executed, level);
}

//
// Privileged code
//

// Privileged trap handlers have interrupts off. With interrupts on in the state that is returned to, `tstate`, the
// monitor's comes in them.
static void start_stepping(struct hyper_monitor *m, uint64_t *tstate)
{
	m->stepping = true;
	*tstate |= TSTATE_IE;
}

static void stop_stepping(struct hyper_monitor *m, struct hyper_frame *frame)
{
	if (!m->stepping || m->level == LEVEL_HYPERPRIVILEGED)
		return;
	m->stepping = false;
	if (m->level == LEVEL_PRIVILEGED)
		frame->trap.tstate &= ~TSTATE_IE;
	frame->softint |= m->kept_softint;
	m->kept_softint = 0;
}

// The guest goes to a higher level. If it was in a privileged handler, the monitor must see its return there.
static void go_up(struct hyper_monitor *m, struct hyper_frame *frame)
{
	if (m->level == LEVEL_PRIVILEGED && !(frame->trap.tstate & TSTATE_IE))
		start_stepping(m, &frame->trap.tstate);
	set_level(m, LEVEL_HYPERPRIVILEGED);
}

//
// Overflow traps
//

// Whether a due disrupting trap is taken now: always below hyperprivileged mode, in it only with interrupts on.
static bool is_disrupting_taken(const struct hyper_monitor *m, const struct hyper_frame *frame)
{
	return hyper_pmu_has_request() && (m->level != LEVEL_HYPERPRIVILEGED || frame->trap.tstate & TSTATE_IE);
}

// The guest goes to a trap handler, which may return to this place: remembers it.
static void remember_left(struct hyper_monitor *m, const struct hyper_frame *frame)
{
	if (m->level != LEVEL_HYPERPRIVILEGED)
		m->left[guest_level(frame)] = (struct hyper_left){frame->trap.tpc, frame->trap.tnpc};
}

// Makes the guest's trap one of `type`, which the processor takes hyperprivileged.
static void deliver(struct hyper_monitor *m, struct hyper_frame *frame, uint64_t type)
{
	const uint64_t gl = (frame->trap.tstate >> TSTATE_GL & 7) + 1;

	remember_left(m, frame);
	if (type == TT_DISRUPTING_PERFORMANCE_EVENT) {
		hyper_pmu_take_request();
		m->interrupted_pc = frame->trap.tpc;
	}
	frame->trap.tl_or_tt = type;
	frame->entry.tpc = m->htba + (type << HYPER_ENTRY_SHIFT);
	frame->entry.tnpc = frame->entry.tpc + 4;
	frame->entry.tstate = (frame->trap.tstate & TSTATE_KEPT) | gl << TSTATE_GL |
			      (uint64_t)(PSTATE_PEF | PSTATE_PRIV) << TSTATE_PSTATE;
	frame->leave_tl = frame->entry.tl_or_tt;
	frame->raise = true;
	m->quantum = QUANTUM_NONE;
	m->reported_next = false;
	go_up(m, frame);
}

// The guest's FSR. With its FPU off it has none to branch by.
static void save_fsr(struct hyper_frame *frame)
{
	uint64_t fprs;

	__asm__ volatile("rd %%fprs, %0" : "=r"(fprs));
	if (fprs & FPRS_FEF)
		__asm__ volatile("stx %%fsr, %0" : "=m"(frame->fsr));
}

// The next instruction raises the line. It is reported to the PMU before it executes, so that the trap can come before
// it; of an access to a PIC, when that is carried out. True: the trap has been delivered.
static bool report_next(struct hyper_monitor *m, struct hyper_frame *frame)
{
	const uint32_t instruction = instruction_at(frame->trap.tpc);
	const uint8_t asi = (uint8_t)(frame->trap.tstate >> 24);
	struct hyper_report *reported = &m->reported[m->trap_level];
	struct access access;
	bool commit;

	if (decode_access(instruction, asi, &access) && access.alternate && access.asi == ASI_OF_PIC)
		return false;
	reported->reported = m->reported_next = true;
	reported->pc = frame->trap.tpc;
	if (decode_is_floating_branch(instruction))
		save_fsr(frame);
	commit = hyper_pmu_report_next(instruction);
	reported->trap_behind = commit && hyper_pmu_take_precise();
	if (!hyper_pmu_take_precise())
		return false;
	deliver(m, frame, TT_PRECISE_PERFORMANCE_EVENT);
	return true;
}

// The instruction that had been reported to the PMU has executed, and its trap is due: it is at that instruction all
// the same.
static void deliver_behind(struct hyper_monitor *m, struct hyper_frame *frame, struct hyper_report *reported)
{
	reported->trap_behind = false;
	frame->trap.tnpc = frame->trap.tpc;
	frame->trap.tpc = reported->pc;
	deliver(m, frame, TT_PRECISE_PERFORMANCE_EVENT);
}

//
// Exit and entry
//

// %stick_cmpr's interrupt, if it has come on the monitor's way in: the guest is not there yet, and it comes again.
static void drop_early_interrupt(const struct hyper_monitor *m, struct hyper_frame *frame)
{
	uint64_t now = ticks(m->guest);

	if (is_armed(frame) && frame->stick_cmpr > now && frame->stick_cmpr - now <= SPURIOUS_MOST)
		frame->softint &= ~(uint64_t)SOFTINT_STICK;
}

// Privileged handlers have interrupts off, and what is after them shows when they return. Where the line might rise in
// one, it is executed instruction by instruction, with interrupts on in `tstate`.
static void go_on_privileged(struct hyper_monitor *m, struct hyper_frame *frame, uint64_t *tstate, uint64_t quantum)
{
	if (hyper_pmu_headroom() > PRIVILEGED_MOST && !m->reported_next)
		return;
	start_stepping(m, tstate);
	m->kept_softint = frame->softint & ~SOFTINT_ALARM;
	frame->softint = 0;
	m->quantum = quantum;
}

// Of the instructions that have been reported to the PMU: whether the guest goes on with the one of its trap level. It
// may have gone elsewhere; what was reported at trap levels above is no more.
static void find_reported(struct hyper_monitor *m, const struct hyper_frame *frame)
{
	const unsigned level = guest_level(frame);

	m->trap_level = level;
	m->reported_next = m->reported[level].reported && frame->trap.tpc == m->reported[level].pc;
	for (unsigned i = m->reported_next ? level + 1 : level; i < TRAP_LEVELS; i++)
		m->reported[i].reported = m->reported[i].trap_behind = false;
}

// The guest goes on where it was, at its level.
static void go_back(struct hyper_monitor *m, struct hyper_frame *frame)
{
	bool privileged_alarm = m->level == LEVEL_PRIVILEGED && !(frame->trap.tstate & TSTATE_IE);

	frame->leave_tl = frame->entry.tl_or_tt - 1;
	m->reported_next = false;
	if (m->level != LEVEL_HYPERPRIVILEGED)
		find_reported(m, frame);
	if (hyper_pmu_take_precise()) {
		deliver(m, frame, TT_PRECISE_PERFORMANCE_EVENT);
		return;
	}
	if (is_disrupting_taken(m, frame) && !m->reported_next) {
		deliver(m, frame, TT_DISRUPTING_PERFORMANCE_EVENT);
		return;
	}
	if (m->level == LEVEL_HYPERPRIVILEGED)
		return;
	if (hyper_pmu_headroom() == 1 && !m->reported_next && report_next(m, frame))
		return;
	if (privileged_alarm) {
		go_on_privileged(m, frame, &frame->trap.tstate, 1);
		return;
	}
	if (m->reported_next)
		m->quantum = m->reported[m->trap_level].trap_behind || hyper_pmu_has_request() ? 1 :
			     hyper_pmu_headroom();
	else
		m->quantum = hyper_pmu_headroom() > 1 ? hyper_pmu_headroom() - 1 : 1;
	// Where the monitor stands right before a WRPR %pstate it sees where that leads.
	m->leaving = m->level == LEVEL_PRIVILEGED && !m->reported_next &&
		     decode_is_wrpr_pstate(instruction_at(frame->trap.tpc));
	if (m->leaving)
		m->quantum = 1;
}

// The guest goes on in its own trap table.
static void go_on(struct hyper_monitor *m, struct hyper_frame *frame, bool privileged)
{
	const uint32_t *own = privileged ? hyper_privileged_table : hyper_hyperprivileged_table;

	m->reported_next = false;
	remember_left(m, frame);
	frame->entry.tpc += (privileged ? m->tba : m->htba) - (uintptr_t)own;
	frame->entry.tnpc = frame->entry.tpc + 4;
	frame->leave_tl = frame->entry.tl_or_tt;
	if (!privileged) {
		go_up(m, frame);
		return;
	}
	set_level(m, LEVEL_PRIVILEGED);
	go_on_privileged(m, frame, &frame->entry.tstate, 0);
}

// When the guest is to be left again: by the alarm, or, without one, by an interrupt that waits until it is at a level
// that takes it.
static void prepare_entry(struct hyper_monitor *m, struct hyper_frame *frame)
{
	const uint64_t clock = m->guest - HYPER_OUT_STICK;
	uint64_t softint = frame->softint & ~SOFTINT_ALARM;

	if (m->quantum == QUANTUM_NONE)
		softint |= SOFTINT_ALARM;
	m->slide = clock % 5;
	frame->sled = (uintptr_t)hyper_sled_end - 4 * m->slide;
	frame->stick = ticks(clock - m->slide);
	frame->alarm = HYPER_OUT + m->slide + (m->quantum < QUANTUM_MOST ? m->quantum : QUANTUM_MOST);
	frame->clear_softint = SOFTINT_ALL & ~softint;
	frame->set_softint = softint;
	frame->reported = m->reported_next;
	frame->keep_stick_cmpr = is_armed(frame) && frame->stick_cmpr <= ticks(m->guest) && !m->woken;
	m->woken = false;
}

// Traps of instructions that are carried out for the guest. In hyperprivileged mode they are where the monitor learns
// that interrupts are on: what has waited for that comes before them, but not again and again, so that a program goes
// on whose handler cannot end it.
static bool is_intercepted(const struct hyper_frame *frame)
{
	const uint64_t type = frame->trap.tl_or_tt;

	return type == TT_DATA_ACCESS_ERROR ||
	       (type == TT_ILLEGAL_INSTRUCTION && decode_is_halt(instruction_at(frame->trap.tpc)));
}

static enum outcome exit_trap(struct hyper_monitor *m, struct hyper_frame *frame)
{
	struct hyper_report *reported = &m->reported[m->trap_level];

	if (reported->trap_behind && !reported->reported) {
		deliver_behind(m, frame, reported);
		return OUTCOME_DELIVERED;
	}
	if (m->level == LEVEL_HYPERPRIVILEGED && is_disrupting_taken(m, frame) && is_intercepted(frame) &&
	    frame->trap.tpc != m->interrupted_pc) {
		deliver(m, frame, TT_DISRUPTING_PERFORMANCE_EVENT);
		return OUTCOME_DELIVERED;
	}
	switch (frame->trap.tl_or_tt) {
	case TT_INTERRUPT_LEVEL_14:
		return frame->softint & ~SOFTINT_ALARM && frame->trap.tstate & TSTATE_IE ? OUTCOME_FORWARD :
			OUTCOME_RETURN;
	case TT_DATA_ACCESS_ERROR:
		return hyper_exit_access(m, frame);
	case TT_ILLEGAL_INSTRUCTION:
		if (m->level == LEVEL_HYPERPRIVILEGED && decode_is_halt(instruction_at(frame->trap.tpc)))
			return hyper_exit_halt(m, frame);
		return OUTCOME_FORWARD;
	default:
		return OUTCOME_FORWARD;
	}
}

void hyper_exit(struct hyper_frame *frame)
{
	struct hyper_monitor *m = &hyper_monitor;
	const bool privileged = frame->entry.tpc - (uintptr_t)hyper_privileged_table <
		HYPER_PRIVILEGED_ENTRIES << HYPER_ENTRY_SHIFT;
	enum outcome outcome;

	m->exits++;
	account_quantum(m, frame);
	drop_early_interrupt(m, frame);
	stop_stepping(m, frame);
	if (!hyper_pmu_has_request())
		m->interrupted_pc = 0;
	m->quantum = QUANTUM_NONE;
	frame->raise = false;
	outcome = exit_trap(m, frame);
	if (__builtin_expect(outcome == OUTCOME_RETURN, true))
		go_back(m, frame);
	else if (outcome == OUTCOME_FORWARD)
		go_on(m, frame, privileged);
	else if (outcome != OUTCOME_DELIVERED)
		deliver(m, frame, outcome == OUTCOME_PRECISE ? TT_PRECISE_PERFORMANCE_EVENT : TT_PRIVILEGED_ACTION);
	prepare_entry(m, frame);
}
