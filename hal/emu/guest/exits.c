// SPDX-License-Identifier: BSD-2-Clause
// Exits of a kernel that the monitor did not start as its own program: those of kernel.c; its own non-maskable
// interrupts; what need not be intercepted. What is dealt with here goes on in svm_exit as an alarm does: what has
// executed is told to the PMU, and the guest's next turn is made ready.

#include "exits.h"

#include "baton.h"
#include "hal.h"
#include "kernel.h"
#include "monitor.h"
#include "processor.h"
#include "startup.h"
#include "vmcb.h"
#include "x86/cpu.h"

// Architectural performance monitoring (SDM volume 4, Table 2-2).
#define MSR_SELECT		0x186u
#define SELECTS_MOST		32
#define SELECT_ENABLE		(1u << 22)
#define SELECT_LEVELS		(3u << 16)
#define MSR_FIXED_CONTROL	0x38Du
#define FIXED_BITS		4	/* for each counter */
#define FIXED_LEVELS		3u
#define MSR_GLOBAL_CONTROL	0x38Fu
#define FIXED_FIRST		32	/* bit of the first fixed counter */
#define MSR_COUNTER		0x0C1u
#define COUNTERS_MOST		8
#define MSR_LAST		0x3FFu	/* of the PMU's that begin with the selects */

// No overflow is due: the guest's turn ends in some years of the clock. Far enough, and no sum of it overflows.
#define NO_ALARM (1ULL << 58)

// Branches are counted, too, since the guest's turns are one instruction long while a counter selects them.
#define CPUID_MONITORING	0xA
#define CPUID_MONITORING_NO_BRANCHES (1u << 5)

#define EXIT_PROTECTION	(SVM_EXIT_EXCEPTION + VECTOR_GENERAL_PROTECTION)
#define LOWEST_LEVEL	3

static bool counting;		// some counter, at the last HLT that was intercepted or at a write behind it
static bool pmu_was_used, single_steps;

//
// The end
//

// On a line of its own, whatever the guest has written last.
void kernel_last_words(void)
{
	kernel_say("\npalmon: the guest's PMU ");
	if (!pmu_was_used)
		kernel_say("was not used\n");
	else if (single_steps)
		kernel_say("counted instruction by instruction, with branches, at least for some time\n");
	else
		kernel_say("counted by the instruction clock, without branches\n");
}

//
// Exits
//

// The guest's own: sent by its local APIC, or by a device. What comes when the alarm is due is the alarm. With several
// CPUs what the guest sends comes another way (startup.c), and alarms come from other CPUs, too.
static void exit_nmi(struct svm_monitor *m, const struct svm_frame *frame)
{
	if (frame->vmcb->exit_code == SVM_EXIT_NMI && !baton_is_shared && frame->guest_clock < m->deadline)
		m->nmi_pending = true;
}

// Of what level 3 may not execute the emulator finds out before it executes it, and has counted it. The exception is
// injected: the instruction would be counted again.
static bool exit_privileged(struct svm_frame *frame)
{
	if (frame->vmcb->exit_code != EXIT_PROTECTION || frame->vmcb->cpl != LOWEST_LEVEL ||
	    !processor_decode(frame).privileged)
		return false;
	frame->guest_clock--;
	kernel_inject(frame, SVM_INJECT_ERROR_CODE | VECTOR_GENERAL_PROTECTION);
	return true;
}

// PAUSE: the baton is handed on, unless all CPUs wait. Then it is let execute, and so are the others of this turn.
static bool exit_pause(const struct svm_frame *frame)
{
	if (frame->vmcb->exit_code != SVM_EXIT_PAUSE)
		return false;
	baton_pause(frame->monitor->cpu);
	return baton_is_waiting();
}

//
// Entries
//

// Whether the exit is a write to a register that says what counts.
static bool is_control(const struct svm_frame *frame)
{
	const uint32_t msr = (uint32_t)frame->rcx;

	return frame->vmcb->exit_code == SVM_EXIT_MSR && frame->vmcb->exit_info1 &&
	       (msr - MSR_SELECT < SELECTS_MOST || msr == MSR_FIXED_CONTROL || msr == MSR_GLOBAL_CONTROL);
}

// Whether a counter counts, in the terms of the architectural PMU that the guest knows: enabled by itself, at some
// level, and globally.
static bool is_counting(struct vpmu *vpmu)
{
	uint64_t global, control, select, enabled = 0;

	if (!vpmu_read(vpmu, MSR_GLOBAL_CONTROL, &global) || !vpmu_read(vpmu, MSR_FIXED_CONTROL, &control))
		return true;
	for (unsigned i = 0; i < SELECTS_MOST && vpmu_read(vpmu, MSR_SELECT + i, &select); i++)
		if (select & SELECT_ENABLE && select & SELECT_LEVELS)
			enabled |= 1ULL << i;
	for (unsigned i = 0; control >> i * FIXED_BITS; i++)
		if (control >> i * FIXED_BITS & FIXED_LEVELS)
			enabled |= 1ULL << (FIXED_FIRST + i);
	return global & enabled;
}

// An alarm is set only if an overflow is to raise the line, or the turn is one instruction long; HLT ends a turn only
// if it stops what counts.
static void prepare_turn(struct svm_monitor *m, struct svm_frame *frame)
{
	frame->vmcb->intercept1 |= KERNEL_INTERCEPTS;
	single_steps |= m->watching;
	if (baton_is_shared) {
		if (baton_is_waiting())
			frame->vmcb->intercept1 &= ~SVM_INTERCEPT_PAUSE;
		return;
	}
	if (vpmu_headroom(&m->vpmu) >= MODEL_FAR && !m->stepping && !m->watching) {
		frame->alarm_after = NO_ALARM;
		m->deadline = frame->guest_clock + NO_ALARM;
	}
	if (!m->halting)
		frame->vmcb->intercept1 = (frame->vmcb->intercept1 & ~SVM_INTERCEPT_HLT) | (counting ? SVM_INTERCEPT_HLT : 0);
}

// Whether what the guest has left for is a register of the PMU, and nothing that depends on it changes: what else is
// done on exits is not needed. Of such exits there are most.
static bool is_plain(const struct svm_frame *frame)
{
	const uint32_t msr = (uint32_t)frame->rcx;

	if (frame->vmcb->rflags & SVM_RFLAGS_TF || baton_is_shared)
		return false;
	return frame->vmcb->exit_code == SVM_EXIT_RDPMC || msr - MSR_COUNTER < COUNTERS_MOST ||
	       msr - MSR_SELECT <= MSR_LAST - MSR_SELECT;
}

static bool is_plain_write(const struct svm_frame *frame)
{
	const struct svm_monitor *m = frame->monitor;

	return frame->vmcb->exit_code == SVM_EXIT_MSR && frame->vmcb->exit_info1 && counting && !m->special &&
	       frame->guest_clock + 1 < m->deadline;
}

void guest_step_alone(struct svm_frame *frame)
{
	kernel_step_alone(frame);
	frame->monitor->deadline = frame->guest_clock + 1;
}

__attribute__((noinline)) static bool exit_in_full(struct svm_frame *frame)
{
	const struct kernel_exit exit = kernel_begin_exit(frame);
	const bool identifies = frame->vmcb->exit_code == SVM_EXIT_CPUID &&
				(uint32_t)frame->vmcb->rax == CPUID_MONITORING;
	const bool controls = is_control(frame), halts = frame->vmcb->exit_code == SVM_EXIT_HLT;
	const bool writes_apic = baton_is_shared && startup_is_apic_write(frame);
	bool enough;

	if (baton_is_shared)
		startup_finish_write(frame);
	exit_nmi(frame->monitor, frame);
	if (writes_apic || exit_privileged(frame) || exit_pause(frame) || kernel_exit(frame))
		frame->vmcb->exit_code = SVM_EXIT_NMI;
	enough = svm_exit(frame);
	kernel_end_exit(frame, &exit);
	if (halts || (controls && !counting)) {
		counting = is_counting(&frame->monitor->vpmu);
		pmu_was_used |= counting;
	}
	if (identifies)
		frame->rbx &= ~(uint64_t)CPUID_MONITORING_NO_BRANCHES;
	if (baton_is_shared)
		startup_prepare_turn(frame, writes_apic, kernel_fill);
	prepare_turn(frame->monitor, frame);
	if (exit.shadow && !frame->vmcb->event_injection && !frame->monitor->halting)
		guest_step_alone(frame);
	return enough;
}

__attribute__((noinline)) static bool exit_plain_write(struct svm_frame *frame)
{
	svm_exit(frame);
	prepare_turn(frame->monitor, frame);
	return false;
}

static bool guest_exit(struct svm_frame *frame)
{
	if (!is_plain(frame))
		return exit_in_full(frame);
	frame->vmcb->event_injection = 0;
	if (is_plain_write(frame))
		return exit_plain_write(frame);
	if (!svm_read_is_short(frame))
		return exit_in_full(frame);
	frame->vmcb->efer |= SVM_EFER_SVME;
	return svm_exit(frame);
}

// The first exit, which is the CPUID in guest_enter.
static bool exit_to_guest(struct svm_frame *frame)
{
	kernel_fill(frame);
	frame->exit = guest_exit;
	frame->vmcb->exit_code = SVM_EXIT_NMI;
	frame->monitor->deadline = frame->guest_clock;
	svm_exit(frame);
	prepare_turn(frame->monitor, frame);
	return false;
}

noreturn void guest_enter(struct svm_frame *frame, const struct load_entry *entry, unsigned cpus)
{
	const struct pmu_model *model = pmu_models[0];
	const char *problem = "guests have no PMU of this kind";

	if (!model->clock_address && !model->prefer)
		problem = hal_emulate(model->name, "");
	if (problem)
		kernel_end(problem);
	kernel_prepare(entry);
	if (!startup_begin(cpus, guest_exit))
		kernel_end("a CPU does not start");
	frame->exit = exit_to_guest;
	x86_cpuid(0, 0);
	for (;;)
		;
}
