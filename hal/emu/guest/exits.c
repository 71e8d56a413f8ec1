// SPDX-License-Identifier: BSD-2-Clause
// Exits of a kernel that the monitor did not start as its own program: those of kernel.c; its own non-maskable
// interrupts; what need not be intercepted. What is handled here, the monitor ends (svm_end_exit): it reports to the
// PMU what has executed, and makes the guest's next quantum ready.

#include "exits.h"

#include <stddef.h>

#include "run_token.h"
#include "entry.h"
#include "hal.h"
#include "kernel.h"
#include "layout.h"
#include "levels.h"
#include "monitor.h"
#include "nmi.h"
#include "permissions.h"
#include "startup.h"
#include "step.h"
#include "store.h"
#include "vmcb.h"
#include "x86/cpu.h"

// Branches are counted, too, but not if they have been taken away.
#define CPUID_MONITORING	0xA
#define CPUID_MONITORING_NO_BRANCHES (1u << 5)

// What kernels for x86-64 need and not each processor has: CMOV, CLFLUSH, MMX, SSE, SSE2. A guest has what the machine
// has of it.
#define CPUID_FEATURES		1
#define CPUID_FEATURES_NEEDED	(1u << 15 | 1u << 19 | 1u << 23 | 1u << 25 | 1u << 26)

#define HLT_LENGTH 1

// The registers of Intel's PMUs, of cores and packages, and one among them that is none (SDM volume 4, Table 2-2).
#define MSR_COUNTER		0x0C1u
#define COUNTERS_MOST		8
#define MSR_SELECT		0x186u
#define MSR_LAST		0x3FFu
#define MSR_MISC_ENABLE		0x1A0u

static bool several;			// CPUs
static bool counting[SVM_CPUS];		// some counter, at the last HLT that was intercepted or at a write behind it
static bool pmu_was_used, instructions_mattered;
static bool clock_only;

//
// The end
//

// On a line of its own, whatever the guest has written last.
static void say_how_it_counted(void)
{
	kernel_say(svm_pmu_is.timed ? "\npalmon: timed clock; the guest's PMU " : "\npalmon: the guest's PMU ");
	if (instructions_mattered)
		kernel_say("counted, with kinds of instructions, at least for some time\n");
	else if (!pmu_was_used)
		kernel_say("was not used\n");
	else if (clock_only)
		kernel_say("counted; kinds of instructions were not (EXACT=0)\n");
	else
		kernel_say("counted, without kinds of instructions\n");
}

//
// Exits
//

// PAUSE hands the run token on, or executes, as do further ones in this slice.
static bool exit_pause(const struct svm_frame *frame)
{
	run_token_pause(frame->monitor->cpu);
	return run_token_is_spinning(frame->monitor->cpu);
}

#define EXIT_INVALID		UINT32_MAX
#define OPCODE_MOV_TO_CONTROL	0x22	/* behind 0FH */

// A MOV that sets reserved bits of a control register: a processor raises #GP(0) (SDM volume 2B, "MOV - Move to/from
// Control Registers"). Under SVM, QEMU exits with VMEXIT_INVALID, as if VMRUN had refused the state; on the bare
// machine it hangs.
static bool exit_invalid(struct svm_frame *frame)
{
	if (frame->vmcb->exit_code != EXIT_INVALID || frame->monitor->pmu.box.opcode != OPCODE_MOV_TO_CONTROL)
		return false;
	kernel_inject(frame, SVM_INJECT_ERROR_CODE | VECTOR_GENERAL_PROTECTION);
	return true;
}

//
// Entries
//

static bool is_register(uint32_t msr)
{
	return (msr - MSR_SELECT <= MSR_LAST - MSR_SELECT && msr != MSR_MISC_ENABLE) ||
	       msr - MSR_COUNTER < COUNTERS_MOST;
}

static bool is_write(const struct svm_frame *frame)
{
	return frame->vmcb->exit_code == SVM_EXIT_MSR && frame->vmcb->exit_info1;
}

static bool is_of_package(uint32_t msr)
{
	for (uint32_t i = svm_pmu_is.core_blocks; i < svm_pmu_is.blocks; i++)
		if (msr - svm_pmu_is.block[i].address < svm_pmu_is.block[i].count)
			return true;
	return false;
}

// HLT is intercepted only while a counter counts, or has a short time before. With several CPUs it is intercepted from
// the first counter on: when another CPU begins to count, this one's monitor must know whether it is halted.
static void prepare_quantum(struct svm_monitor *m, struct svm_frame *frame)
{
	const bool intercepts_halt = several ? pmu_was_used : counting[m->cpu] || m->watching;

	frame->vmcb->intercept1 |= KERNEL_INTERCEPTS;
	if (run_token_is_shared) {
		if (run_token_is_spinning(m->cpu))
			frame->vmcb->intercept1 &= ~SVM_INTERCEPT_PAUSE;
		return;
	}
	if (!m->halting)
		frame->vmcb->intercept1 =
			(frame->vmcb->intercept1 & ~SVM_INTERCEPT_HLT) | (intercepts_halt ? SVM_INTERCEPT_HLT : 0);
}

// This CPU is called while HLT is not intercepted, so the monitor does not know whether its guest is halted. A guest
// just behind a HLT is taken to be halted.
static void notice_halt(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;

	if (m->halting || frame->vmcb->intercept1 & SVM_INTERCEPT_HLT || !store_is_behind_halt(frame))
		return;
	m->halting = true;
	m->halt_rip = frame->vmcb->rip - HLT_LENGTH;
	svm_pmu_set_halted(&m->pmu, true);
	run_token_halt(frame);
}

// Something has come while this CPU waited for others.
static void prepare_again(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;

	if (m->halting && m->nmi_pending && !m->nmi_blocked)
		svm_end_halt(m, frame);
	svm_prepare_entry(frame, frame->vmcb->event_injection ? 0 : frame->vmcb->cpl);
}

// Alarms end a quantum exactly, and counters count exactly, only if no other CPU executes meanwhile.
static void take_turns(struct svm_frame *frame, bool alone)
{
	const struct svm_monitor *m = frame->monitor;

	alone |= counting[m->cpu] || m->watching || m->stepping;
	run_token_need(m->cpu, alone);
	while (alone && (!run_token_is_shared || run_token_is_lost(m->cpu))) {
		run_token_begin(frame);
		prepare_again(frame);
	}
	if (nmi_notify_waited(frame))
		prepare_again(frame);
}

// A package's PMU counts what all its CPUs do from the write on that enables it. What they have executed before is
// reported before, and from there on one executes at a time.
static void call_for_package(struct svm_frame *frame)
{
	const unsigned cpu = frame->monitor->cpu;

	if (!is_write(frame) || !is_of_package((uint32_t)frame->rcx))
		return;
	run_token_need(cpu, true);
	while (!run_token_is_shared || run_token_is_lost(cpu))
		run_token_begin(frame);
}

// Whether what the guest has left for is a register of the PMU, and nothing that depends on it changes: what else is
// done on exits is not needed. Of such exits there are most.
static bool is_plain(const struct svm_frame *frame)
{
	if (frame->vmcb->rflags & SVM_RFLAGS_TF || nmi_is_taken(frame->monitor->cpu))
		return false;
	return frame->vmcb->exit_code == SVM_EXIT_RDPMC || is_register((uint32_t)frame->rcx);
}

static bool is_plain_write(const struct svm_frame *frame)
{
	const struct svm_monitor *m = frame->monitor;

	return is_write(frame) && counting[m->cpu] && !(m->special & SVM_SPECIAL_OTHER) &&
	       frame->guest_clock + 1 < m->deadline;
}

// A write to the local APIC is carried out, or is to execute alone: then true.
static bool exit_apic_write(struct svm_frame *frame)
{
	const unsigned length = startup_carry_out_write(frame);

	if (length)
		kernel_skip(frame, length);
	return !length;
}

// CPUID, as the monitor has answered it.
static void follow_identification(struct svm_frame *frame, uint32_t leaf)
{
	if (leaf == CPUID_MONITORING && !clock_only)
		frame->rbx &= ~(uint64_t)CPUID_MONITORING_NO_BRANCHES;
	if (leaf == CPUID_FEATURES)
		frame->rdx |= x86_cpuid(leaf, 0).edx & CPUID_FEATURES_NEEDED;
}

// The plugin carries out what the processor lacks; svm_exit has it do so.
static bool exit_lacking(struct svm_frame *frame)
{
	struct svm_pmu *pmu = &frame->monitor->pmu;

	if (!svm_pmu_is.has_lacking || frame->vmcb->exit_code != SVM_EXIT_UNDEFINED || !pmu->box.lacking)
		return false;
	svm_pmu_run(pmu, 0);
	frame->guest_clock -= pmu->box.was_counted;
	return true;
}

// Handles what the monitor does not know, which knows interrupts, NMIs, the PMU's registers, most instructions.
static enum outcome exit_beside(struct svm_frame *frame, struct kernel_exit *exit)
{
	const uint64_t code = frame->vmcb->exit_code;
	enum outcome outcome;

	if (code - SVM_EXIT_INTR <= SVM_EXIT_HLT - SVM_EXIT_INTR)
		return code == SVM_EXIT_PAUSE && exit_pause(frame) ? OUTCOME_CONTINUE : OUTCOME_UNHANDLED;
	if ((code == SVM_EXIT_MSR && is_register((uint32_t)frame->rcx)) || exit_lacking(frame))
		return OUTCOME_UNHANDLED;
	if (kernel_exit_double_fault(frame))
		return OUTCOME_CONTINUE;
	outcome = levels_end_quantum(frame);
	if (outcome == OUTCOME_UNHANDLED && (exit_invalid(frame) || kernel_exit(frame, exit)))
		return OUTCOME_CONTINUE;
	return outcome;
}

// `outcome`: of a write to the local APIC that has been carried out.
__attribute__((noinline)) static bool exit_in_full(struct svm_frame *frame, enum outcome outcome)
{
	struct svm_monitor *m = frame->monitor;
	struct kernel_exit exit = kernel_begin_exit(frame);
	const bool identifies = frame->vmcb->exit_code == SVM_EXIT_CPUID;
	const uint32_t leaf = (uint32_t)frame->vmcb->rax;
	const bool halts = frame->vmcb->exit_code == SVM_EXIT_HLT;
	const bool controls = is_write(frame) || frame->vmcb->exit_code == SVM_EXIT_UNDEFINED;	// as SPFLT does
	const bool writes_apic = several && outcome == OUTCOME_UNHANDLED && startup_is_apic_write(frame);
	bool fills = false, alone = false;

	if ((several || nmi_is_taken(m->cpu)) && nmi_notify(frame))
		notice_halt(frame);
	if (several) {
		startup_finish_write(frame);
		call_for_package(frame);
	}
	if (writes_apic) {
		alone = exit_apic_write(frame);
		outcome = OUTCOME_CONTINUE;
	} else if (outcome == OUTCOME_UNHANDLED) {
		outcome = exit_beside(frame, &exit);
	}
	if (several && run_token_is_lost(m->cpu))
		m->special |= SVM_SPECIAL_OTHER;	// the short paths through svm_exit do not look for that
	if (outcome == OUTCOME_UNHANDLED)
		svm_exit(frame);
	else
		svm_end_exit(frame, outcome);
	if (exit.steps)
		kernel_end_exit(frame, &exit);
	if (halts || (controls && (several || !counting[m->cpu]))) {
		counting[m->cpu] = m->pmu.box.counting;
		pmu_was_used |= counting[m->cpu];
	}
	if (identifies)
		follow_identification(frame, leaf);
	if (several) {
		take_turns(frame, alone || exit.ports);
		fills = startup_prepare_quantum(frame, alone);
	}
	prepare_quantum(m, frame);
	// Others may execute beside: what matters is that no interrupt comes in between.
	if (kernel_must_step(frame, &exit) && !m->halting) {
		kernel_step(frame, &exit);
		guest_step(frame);
		alone = true;
	}
	levels_begin_quantum(frame, counting[m->cpu]);
	instructions_mattered |= m->watching && m->pmu.box.kinds_matter;
	if (frame->vmcb->event_injection)
		kernel_watch_injection(frame->vmcb);
	return fills;
}

__attribute__((noinline)) static bool exit_plain_write(struct svm_frame *frame)
{
	svm_exit(frame);
	if ((frame->vmcb->intercept1 & KERNEL_INTERCEPTS) != KERNEL_INTERCEPTS) {
		// svm_prepare_entry has decided anew what to intercept.
		prepare_quantum(frame->monitor, frame);
		levels_begin_quantum(frame, true);
	}
	return false;
}

// The most frequent exit of several CPUs whose PMUs do not count: a write to the local APIC, and no more to do than
// that.
static bool is_short_write(const struct svm_frame *frame)
{
	const struct svm_monitor *m = frame->monitor;

	return !run_token_is_shared && !m->special && !nmi_is_taken(m->cpu) &&
	       !(frame->vmcb->rflags & SVM_RFLAGS_TF) && startup_is_apic_write(frame);
}

static bool guest_exit_several(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;

	if (!is_short_write(frame) || exit_apic_write(frame))
		return exit_in_full(frame, OUTCOME_UNHANDLED);
	frame->vmcb->interrupt_shadow = 0;
	if (startup_has_come(m->cpu))
		return exit_in_full(frame, OUTCOME_CONTINUE);
	m->exits++;
	frame->vmcb->event_injection = 0;
	kernel_sanitize(frame->vmcb);
	return false;
}

// While a counter counts, exceptions end quanta anyway.
__attribute__((noinline)) static bool exit_read_uncounted(struct svm_frame *frame)
{
	svm_exit(frame);
	kernel_watch_injection(frame->vmcb);
	return false;
}

// With one CPU.
static bool guest_exit(struct svm_frame *frame)
{
	if (!is_plain(frame))
		return exit_in_full(frame, OUTCOME_UNHANDLED);
	frame->vmcb->event_injection = 0;
	kernel_sanitize(frame->vmcb);
	if (is_plain_write(frame))
		return exit_plain_write(frame);
	if (!svm_read_is_short(frame))
		return exit_in_full(frame, OUTCOME_UNHANDLED);
	return counting[0] ? svm_exit(frame) : exit_read_uncounted(frame);
}

// If the processor lacks instructions.
static bool guest_exit_lacking(struct svm_frame *frame)
{
	const bool fills = exit_in_full(frame, OUTCOME_UNHANDLED);

	svm_intercept_undefined(frame);
	return fills;
}

typedef bool exit_function(struct svm_frame *frame);

static exit_function *choose_exit(bool of_several)
{
	if (svm_pmu_is.has_lacking)
		return guest_exit_lacking;
	return of_several ? guest_exit_several : guest_exit;
}

// The first exit, which is the CPUID in guest_enter.
static bool exit_to_guest(struct svm_frame *frame)
{
	kernel_fill(frame);
	frame->exit = choose_exit(several);
	svm_end_exit(frame, OUTCOME_CONTINUE);
	if (several)
		run_token_end(frame->monitor->cpu);
	prepare_quantum(frame->monitor, frame);
	svm_intercept_undefined(frame);
	return true;
}

// The clock of a guest is the machine's, not that of a core of the PMU.
static void leave_clock(const struct vmcb *vmcb)
{
	if (svm_pmu_is.clock_address)
		permissions_set(vmcb, svm_pmu_is.clock_address, 0);
	svm_pmu_is.clock_address = 0;
}

noreturn void guest_enter(struct svm_frame *frame, const struct load_entry *entry, unsigned cpus)
{
	static const struct kernel_monitor monitor = {KERNEL_MISC_AVAILABLE | KERNEL_MISC_NO_BTS, say_how_it_counted};
	const char *problem = hal_emulate(GUEST_TARGET, "");

	if (problem)
		kernel_end(problem);
	leave_clock(frame->vmcb);
	clock_only = entry->clock_only;
	if (clock_only)
		svm_pmu_clock_only(&frame->monitor->pmu);
	kernel_prepare(entry, &monitor);
	if (!startup_begin(cpus, choose_exit(cpus > 1)))
		kernel_end("a CPU does not start");
	several = cpus > 1;
	frame->monitor->pmu.box.may_follow = !several;
	for (unsigned cpu = 0; cpu < SVM_CPUS; cpu++)
		run_token_need(cpu, false);
	nmi_start(several);
	frame->exit = exit_to_guest;
	x86_cpuid(0, 0);
	for (;;)
		;
}
