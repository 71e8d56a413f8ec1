// SPDX-License-Identifier: BSD-2-Clause
// The monitor: what happens on each exit from the guest. The guest is the program that started the monitor; all
// that it lacks is a PMU, and all that is intercepted serves to give it one.

#include "monitor.h"

#include <stdnoreturn.h>

#include "arch.h"
#include "entry.h"
#include "frame.h"
#include "hal.h"
#include "layout.h"
#include "model.h"
#include "run_token.h"
#include "world.h"
#include "x86/apic.h"
#include "x86/cpu.h"
#include "x86/msr.h"

// None takes a prefix that matters, an operand, or an immediate.
#define INTERCEPTED_LENGTH 2	/* RDMSR, WRMSR, RDPMC, CPUID, PAUSE */
#define HLT_LENGTH 1

//
// Time
//

// What the guest has executed since the last time, for the PMU. One instruction is one cycle.
static uint64_t not_accounted(struct svm_monitor *m, uint64_t guest_clock)
{
	const uint64_t cycles = guest_clock - m->accounted;

	m->accounted = guest_clock;
	return cycles;
}

static void account(struct svm_monitor *m, uint64_t guest_clock)
{
	svm_pmu_run(&m->pmu, not_accounted(m, guest_clock));
}

// The guest's intercepted instruction, `length` bytes long, has been carried out for it and counted.
static void step_over(struct svm_monitor *m, struct svm_frame *frame, unsigned length)
{
	frame->vmcb->rip += length;
	frame->guest_clock++;
	m->accounted++;
}

void svm_end_halt(struct svm_monitor *m, struct svm_frame *frame)
{
	// An interrupt that was there before, in STI's shadow, ends the HLT without its execution.
	if (frame->vmcb->rip == m->halt_rip) {
		frame->vmcb->rip += HLT_LENGTH;
		frame->guest_clock = m->accounted;
	}
	svm_pmu_set_halted(&m->pmu, false);
	m->halting = false;
	run_token_wake(frame);
}

// The halted guest has been idle up to now. With several CPUs that is not reported to the model; if it has the core's
// clock, it is when all are idle, and what passes while one looks for an interrupt beside others that execute has not
// passed.
__attribute__((noinline)) static void account_idle(struct svm_monitor *m, struct svm_frame *frame)
{
	const bool core_clock = svm_pmu_is.clock_address;

	if (!run_token_is_shared || (core_clock && run_token_is_idle()))
		account(m, frame->guest_clock);
	else if (core_clock)
		m->slice_end = frame->guest_clock = m->accounted;
	else
		m->accounted = frame->guest_clock;
}

// The halted guest's quantum has ended. The alarm does not wake it.
static void continue_halt(struct svm_monitor *m, struct svm_frame *frame)
{
	if (frame->vmcb->rip != m->halt_rip)
		account_idle(m, frame);
	if (frame->vmcb->exit_code == SVM_EXIT_NMI)
		frame->vmcb->rip = m->halt_rip;
	else
		svm_end_halt(m, frame);
}

//
// Interrupts
//

// The PMU's line has risen: the guest's own local vector table says what becomes of it (SDM volume 3A, "Local
// Vector Table"). Masked, or with a vector below 16 ("Valid Interrupt Vectors"), it is lost; delivered, the entry is
// masked.
static void deliver_pmi(struct svm_monitor *m, struct svm_frame *frame)
{
	volatile uint32_t *lvtpc = x86_apic_register(APIC_LVTPC);
	uint32_t entry = *lvtpc;

	if (entry & APIC_LVT_MASKED)
		return;
	if ((entry & APIC_LVT_DELIVERY) == APIC_LVT_FIXED) {
		if (!(entry & APIC_LVT_VALID))
			return;
		x86_apic_raise(entry & APIC_LVT_VECTOR);
	} else if ((entry & APIC_LVT_DELIVERY) == APIC_LVT_NMI) {
		m->nmi_pending = true;
	} else {
		return;
	}
	*lvtpc = entry | APIC_LVT_MASKED;
	if (run_token_is_shared)
		run_token_keep(frame);
}

static void inject_fault(struct svm_frame *frame)
{
	frame->vmcb->event_injection =
		SVM_INJECT_VALID | SVM_INJECT_EXCEPTION | SVM_INJECT_ERROR_CODE | VECTOR_GENERAL_PROTECTION;
}

//
// Exits
//

// Together with what is not accounted for yet. A record that the write lets be made is of the state behind it.
static inline void write_msr(struct svm_monitor *m, struct svm_frame *frame)
{
	const uint64_t value = frame->rdx << 32 | (uint32_t)frame->vmcb->rax, clock = frame->guest_clock;

	frame->vmcb->rip += INTERCEPTED_LENGTH;
	frame->guest_clock = clock + 1;
	if (__builtin_expect(svm_pmu_write(&m->pmu, (uint32_t)frame->rcx, value, clock + 1 - m->accounted), true)) {
		m->accounted = clock + 1;
		return;
	}
	frame->vmcb->rip -= INTERCEPTED_LENGTH;
	frame->guest_clock = m->accounted = clock;
	inject_fault(frame);
}

static enum outcome exit_msr(struct svm_monitor *m, struct svm_frame *frame)
{
	uint64_t value;

	if (frame->vmcb->exit_info1) {
		write_msr(m, frame);
		return OUTCOME_CONTINUE;
	}
	if (!svm_pmu_read(&m->pmu, 0, (uint32_t)frame->rcx, &value))
		return OUTCOME_FAULT;
	svm_give_value(frame, value);
	return OUTCOME_RETIRED;
}

static enum outcome exit_rdpmc(struct svm_monitor *m, struct svm_frame *frame)
{
	uint64_t value;

	if (!svm_pmu_read_counter(&m->pmu, 0, (uint32_t)frame->rcx, &value))
		return OUTCOME_FAULT;
	svm_give_value(frame, value);
	return OUTCOME_RETIRED;
}

static enum outcome exit_cpuid(struct svm_monitor *m, struct svm_frame *frame)
{
	uint32_t leaf = (uint32_t)frame->vmcb->rax, registers[4];
	uint64_t own = frame->host_clock - frame->guest_clock - m->away;

	world_identify(frame, registers);
	svm_pmu_identify(&m->pmu, leaf, registers);
	if (leaf == SVM_CPUID_EVENT)
		registers[0] = svm_pmu_event_happens(&m->pmu, (uint32_t)frame->rcx);
	if (leaf == SVM_CPUID_MONITOR) {
		registers[0] = (uint32_t)m->exits;
		registers[1] = (uint32_t)(m->exits >> 32);
		registers[2] = (uint32_t)own;
		registers[3] = (uint32_t)(own >> 32);
	}
	svm_give_registers(frame, registers);
	return OUTCOME_RETIRED;
}

// The guest goes to sleep: its coming quantum is the HLT at its instruction pointer, which counts now, and what
// passes until an interrupt is idle. Until the HLT has executed, the guest's clock is one short of that.
static enum outcome exit_hlt(struct svm_monitor *m, struct svm_frame *frame)
{
	m->halt_rip = frame->vmcb->rip;
	frame->vmcb->rip += HLT_LENGTH;
	svm_pmu_run(&m->pmu, 1);
	frame->vmcb->rip = m->halt_rip;
	m->accounted++;
	svm_pmu_set_halted(&m->pmu, true);
	m->halting = true;
	run_token_halt(frame);
	return OUTCOME_CONTINUE;
}

// It waits for another CPU.
static enum outcome exit_pause(struct svm_monitor *m, struct svm_frame *frame)
{
	(void)m;
	run_token_yield(frame);
	return OUTCOME_RETIRED;
}

static enum outcome exit_iret(struct svm_monitor *m, struct svm_frame *frame)
{
	(void)frame;
	m->returning = m->nmi_blocked;
	return OUTCOME_STEP;
}

static enum outcome exit_int(struct svm_monitor *m, struct svm_frame *frame)
{
	(void)m;
	(void)frame;
	return OUTCOME_STEP;
}

// The alarm, taken by the world switch.
static enum outcome exit_nmi(struct svm_monitor *m, struct svm_frame *frame)
{
	(void)m;
	(void)frame;
	return OUTCOME_CONTINUE;
}

static enum outcome exit_interrupt(struct svm_monitor *m, struct svm_frame *frame)
{
	(void)m;
	(void)frame;
	return OUTCOME_DELIVERED;
}

// The guest's exception is delivered as soon as it goes on: it is not intercepted again, and the instruction faults
// again, an IRET without being intercepted itself. But what is undefined is always intercepted if the model has
// instructions that the processor has not: it is one of those, or else the exception is injected.
static enum outcome exit_exception(struct svm_monitor *m, struct svm_frame *frame)
{
	const bool model_has = frame->vmcb->exit_code == SVM_EXIT_UNDEFINED && svm_pmu_is.has_lacking;
	const unsigned length = m->pmu.box.lacking;

	if (model_has && length && svm_pmu_execute(&m->pmu, 1)) {
		step_over(m, frame, length);
		return OUTCOME_CONTINUE;
	}
	if (model_has)
		frame->vmcb->event_injection = SVM_INJECT_VALID | SVM_INJECT_EXCEPTION | VECTOR_UNDEFINED;
	m->stepping = m->pmu.box.branch == OCCURRENCE_KIND_FAR;
	return OUTCOME_DELIVERED;
}

__attribute__((noinline)) static noreturn void exit_unexpected(const struct svm_frame *frame)
{
	static const char text[] = "\nmonitor: the guest left for a reason nobody provided for: ";
	const struct vmcb *vmcb = frame->vmcb;
	const struct arch_frame guest = {
		.rax = vmcb->rax, .rbx = frame->rbx, .rcx = frame->rcx, .rdx = frame->rdx,
		.rsi = frame->rsi, .rdi = frame->rdi, .rbp = frame->rbp, .rsp = vmcb->rsp,
		.r8 = frame->r8, .r9 = frame->r9, .r10 = frame->r10, .r11 = frame->r11,
		.r12 = frame->r12, .r13 = frame->r13, .r14 = frame->r14, .r15 = frame->r15,
		.rip = vmcb->rip, .cs = vmcb->cs.selector, .rflags = vmcb->rflags, .ss = vmcb->ss.selector,
		.vector = vmcb->exit_code, .error = vmcb->exit_info1,
	};

	for (const char *c = text; *c; c++)
		hal_console_put(*c);
	arch_frame_print(&guest, hal_console_put);
	hal_exit(1);
}

// Of each exit code behind those of exceptions.
static enum outcome (*const handlers[])(struct svm_monitor *m, struct svm_frame *frame) = {
	[SVM_EXIT_INTR - SVM_EXIT_INTR] = exit_interrupt,
	[SVM_EXIT_NMI - SVM_EXIT_INTR] = exit_nmi,
	[SVM_EXIT_RDPMC - SVM_EXIT_INTR] = exit_rdpmc,
	[SVM_EXIT_CPUID - SVM_EXIT_INTR] = exit_cpuid,
	[SVM_EXIT_IRET - SVM_EXIT_INTR] = exit_iret,
	[SVM_EXIT_SWINT - SVM_EXIT_INTR] = exit_int,
	[SVM_EXIT_PAUSE - SVM_EXIT_INTR] = exit_pause,
	[SVM_EXIT_HLT - SVM_EXIT_INTR] = exit_hlt,
	[SVM_EXIT_MSR - SVM_EXIT_INTR] = exit_msr,
};

static enum outcome handle(struct svm_monitor *m, struct svm_frame *frame)
{
	const uint64_t code = frame->vmcb->exit_code, behind = code - SVM_EXIT_INTR;

	if (behind < sizeof handlers / sizeof *handlers && handlers[behind])
		return handlers[behind](m, frame);
	if (code - SVM_EXIT_EXCEPTION >= 32)
		exit_unexpected(frame);
	return exit_exception(m, frame);
}

//
// Short paths, and the long one
//

// Writing a register in plain circumstances, or in watched ones, which it may end.
__attribute__((noinline)) static bool exit_write(struct svm_monitor *m, struct svm_frame *frame)
{
	write_msr(m, frame);
	if (__builtin_expect(m->pmu.box.demands.all != m->prepared.all, false)) {
		if (svm_pmu_take_request(&m->pmu))
			deliver_pmi(m, frame);
		svm_prepare_entry(frame, frame->vmcb->cpl);
	} else {
		svm_set_deadline(m, frame, m->pmu.box.headroom);
	}
	return false;
}

// The instruction itself is handed to the PMU with the next quantum.
static inline bool end_read(const struct svm_monitor *m, struct svm_frame *frame, bool exists, uint64_t value)
{
	if (exists) {
		svm_give_value(frame, value);
		frame->vmcb->rip += INTERCEPTED_LENGTH;
		frame->guest_clock++;
	} else {
		inject_fault(frame);
	}
	frame->alarm_after = m->deadline - frame->guest_clock;
	return false;
}

// Reading one: the most frequent exit, and the one a program waits for.
__attribute__((noinline)) static bool exit_read(struct svm_monitor *m, struct svm_frame *frame)
{
	uint64_t value;
	bool exists;

	exists = svm_pmu_read(&m->pmu, not_accounted(m, frame->guest_clock), (uint32_t)frame->rcx, &value);
	return end_read(m, frame, exists, value);
}

__attribute__((noinline)) static bool exit_read_counter(struct svm_monitor *m, struct svm_frame *frame)
{
	uint64_t value;
	bool exists;

	exists = svm_pmu_read_counter(&m->pmu, not_accounted(m, frame->guest_clock), (uint32_t)frame->rcx, &value);
	return end_read(m, frame, exists, value);
}

// Accounts for what the guest has executed up to the exit.
static void end_quantum(struct svm_monitor *m, struct svm_frame *frame)
{
	// The emulator's clock has counted INT n, which has not executed.
	if (frame->vmcb->exit_code == SVM_EXIT_SWINT)
		frame->guest_clock--;
	if (m->halting)
		continue_halt(m, frame);
	else
		account(m, frame->guest_clock);
	if (m->returning | m->pmu.box.returned)
		m->nmi_blocked = false;
	m->pmu.box.returned = false;
	m->stepping = m->returning = false;
}

// Does what is left to do of the exit. Returns the level that the guest is at from here on.
static unsigned conclude(struct svm_monitor *m, struct svm_frame *frame, enum outcome outcome)
{
	switch (outcome) {
	case OUTCOME_RETIRED:
		step_over(m, frame, INTERCEPTED_LENGTH);
		svm_pmu_run(&m->pmu, 1);
		break;
	case OUTCOME_FAULT:
		inject_fault(frame);
		break;
	case OUTCOME_STEP:
		m->stepping = true;
		break;
	case OUTCOME_DELIVERED:
		m->interrupted = m->watching;
		return 0;
	case OUTCOME_CONTINUE:
	case OUTCOME_UNHANDLED:
		break;
	}
	return frame->vmcb->event_injection ? 0 : frame->vmcb->cpl;	// 0: where its handler is
}

// `outcome`: of who has handled the exit already.
__attribute__((noinline)) static bool exit_long(struct svm_monitor *m, struct svm_frame *frame, enum outcome outcome)
{
	unsigned level;

	end_quantum(m, frame);
	if (outcome == OUTCOME_UNHANDLED)
		outcome = handle(m, frame);
	level = conclude(m, frame, outcome);
	if (run_token_is_shared && run_token_is_due(frame)) {
		run_token_pass(frame);
		svm_pmu_resume(&m->pmu);
	}
	if (svm_pmu_take_request(&m->pmu))
		deliver_pmi(m, frame);
	if (m->halting && m->nmi_pending && !m->nmi_blocked)
		svm_end_halt(m, frame);
	svm_prepare_entry(frame, level);
	return false;
}

void svm_end_exit(struct svm_frame *frame, enum outcome outcome)
{
	frame->monitor->exits++;
	exit_long(frame->monitor, frame, outcome);
}

// Of what the guest may have left for, reading is short even if the level matters.
__attribute__((noinline)) static bool exit_special(struct svm_monitor *m, struct svm_frame *frame)
{
	if (!svm_read_is_short(frame))
		return exit_long(m, frame, OUTCOME_UNHANDLED);
	return frame->vmcb->exit_code == SVM_EXIT_MSR ? exit_read(m, frame) : exit_read_counter(m, frame);
}

// Accesses to registers are short in plain circumstances, far from an overflow.
bool svm_exit(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;

	m->exits++;
	if (m->special & SVM_SPECIAL_OTHER || frame->vmcb->exit_code != SVM_EXIT_MSR ||
	    frame->guest_clock + 1 >= m->deadline)
		return exit_special(m, frame);
	return frame->vmcb->exit_info1 ? exit_write(m, frame) : exit_read(m, frame);
}

// Whether the emulator's clock has counted what the guest has left for, which is undefined: it is where the emulator
// sees it before it executes. Of SYSCALL and SYSRET it finds out when it executes them.
__attribute__((noinline)) static bool undefined_was_counted(const struct svm_frame *frame)
{
	const struct svm_monitor *m = frame->monitor;

	return frame->guest_clock != m->accounted && m->pmu.box.branch != OCCURRENCE_KIND_FAR;
}

bool svm_exit_core(struct svm_frame *frame)
{
	const struct vmcb *vmcb = frame->vmcb;
	const bool sets_clock = vmcb->exit_code == SVM_EXIT_MSR && vmcb->exit_info1 &&
				(uint32_t)frame->rcx == svm_pmu_is.clock_address;
	bool enough;

	if (vmcb->exit_code == SVM_EXIT_UNDEFINED && undefined_was_counted(frame))
		frame->guest_clock--;
	enough = svm_exit(frame);
	if (sets_clock)
		run_token_follow_clock(frame);
	svm_intercept_undefined(frame);
	return enough;
}
