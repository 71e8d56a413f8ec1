/* SPDX-License-Identifier: BSD-2-Clause */
/* The monitor's state, of one CPU. */
#ifndef SVM_MONITOR_H
#define SVM_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"
#include "calls.h"

struct svm_monitor {
	struct svm_pmu pmu;
	uint64_t accounted;	/* up to which guest clock instructions have been reported to the PMU */
	uint64_t deadline;	/* guest clock at which the alarm is to end the guest's quantum */
	uint64_t exits;
	unsigned cpu;

	/* With several CPUs (run_token.h): guest clocks between which this one has the run token, and before which
	 * nobody is called in between; how much longer it may be while interrupts are off; host clocks without it. */
	uint64_t slice_start, slice_end, slice_least, slice_more, away;

	/* What of the following is so: exits take the long path. */
	uint8_t special;
	bool watching;		/* what the PMU watches for may not come between instructions unnoticed */
	bool watched;		/* each of it ends this quantum */
	bool interrupted;	/* the coming quantum begins with an interruption */
	union mailbox_demands prepared;	/* as they were before this quantum, without a request */
	bool stepping;		/* the guest's quantum is one instruction */
	bool returning;		/* which is its IRET from an NMI handler */
	bool nmi_pending;	/* an overflow NMI waits for the guest */
	bool nmi_blocked;	/* the guest is in its NMI handler: until IRET */
	bool halting;		/* the guest's quantum begins with the HLT at halt_rip */
	uint64_t halt_rip;
};

/* special: the level matters, or the quantum is watched; any of the others. */
#define SVM_SPECIAL_WATCH	1u
#define SVM_SPECIAL_OTHER	2u

/* Whether the exit is a read of a register or counter that need not end the quantum: nothing special holds, or only
 * that the quantum is watched, or the level matters, which is 0 before and after it; and the alarm is not due. */
static inline bool svm_read_is_short(const struct svm_frame *frame)
{
	const struct svm_monitor *m = frame->monitor;
	const struct vmcb *vmcb = frame->vmcb;

	if (m->special & SVM_SPECIAL_OTHER || frame->guest_clock + 1 >= m->deadline)
		return false;
	if (vmcb->exit_code == SVM_EXIT_RDPMC)
		return !m->special || !(vmcb->cpl | m->pmu.box.level);
	return vmcb->exit_code == SVM_EXIT_MSR && !vmcb->exit_info1;
}

/* What is left to do of an exit, as its handler says. */
enum outcome {
	OUTCOME_UNHANDLED,	/* it has none yet: it is looked for in the monitor's table */
	OUTCOME_CONTINUE,	/* nothing: the guest continues where it is */
	OUTCOME_RETIRED,	/* the intercepted instruction has been carried out: it counts, and is stepped over */
	OUTCOME_FAULT,		/* the intercepted instruction raises #GP */
	OUTCOME_STEP,		/* the instruction gets a quantum of its own, after which its level is looked at */
	OUTCOME_DELIVERED,	/* the interruption is delivered as soon as the guest continues: to level 0 */
};

/* Ends an exit that others than the monitor have handled, in place of svm_exit. */
void svm_end_exit(struct svm_frame *frame, enum outcome outcome);

/* Ends the guest's halt: an interrupt has come, or an NMI will be injected. Call before svm_prepare_entry. */
void svm_end_halt(struct svm_monitor *m, struct svm_frame *frame);

/* Intercepts #UD, if the model has instructions that the processor lacks. */
static inline void svm_intercept_undefined(struct svm_frame *frame)
{
	if (svm_pmu_is.has_lacking)
		frame->vmcb->intercept_exceptions |= 1u << (SVM_EXIT_UNDEFINED - SVM_EXIT_EXCEPTION);
}

/* Sets the core's clock, if it is the model's. */
static inline void svm_set_core_clock(struct svm_monitor *m, uint64_t clock)
{
	if (svm_pmu_is.clock_address)
		svm_pmu_write(&m->pmu, svm_pmu_is.clock_address, clock, 0);
}

/* CPUID leaf through which the guest learns what the monitor has cost: exits in EBX:EAX, clocks in EDX:ECX. */
#define SVM_CPUID_MONITOR 0x40000010u

/* The one that says whether an event ever happens, 1 or 0 in EAX: ECX is as with MAILBOX_HAPPENS (mailbox.h). */
#define SVM_CPUID_EVENT 0x40000011u

#endif
