/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel as a guest, whatever the monitor beneath it is for: nothing of a PMU but that there is one. */
#ifndef GUEST_KERNEL_H
#define GUEST_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdnoreturn.h>

#include "frame.h"
#include "load.h"
#include "vmcb.h"

/* intercept1 has these at each entry, beside what the monitor wants. */
#define KERNEL_INTERCEPTS	(1u << 26 | 1u << 27 | SVM_INTERCEPT_SHUTDOWN)	/* INVLPGA, ports */

#define KERNEL_CR0_NW		(1u << 29)
#define KERNEL_CR0_CD		(1u << 30)

/* Bits of IA32_MISC_ENABLE that the guest reads: performance monitoring is available; branch trace storage is not;
 * precise records are not. The monitor's value of them. */
#define KERNEL_MISC_AVAILABLE	(1u << 7)
#define KERNEL_MISC_NO_BTS	(1u << 11)
#define KERNEL_MISC_NO_PEBS	(1u << 12)

extern const uint32_t kernel_misc_enable;

/* The kernel that was loaded, and its physical memory; then, for a CPU, the control block that it begins with. */
void kernel_prepare(const struct load_entry *entry);
void kernel_fill(struct svm_frame *frame);

/* What the guest may have written and QEMU 7.2 would not go on with: EFER without the SVM bit, which the guest does not
 * see; CR0.NW without CD. */
static inline void kernel_sanitize(struct vmcb *vmcb)
{
	vmcb->efer |= SVM_EFER_SVME;
	if (vmcb->cr0 & KERNEL_CR0_NW)
		vmcb->cr0 |= KERNEL_CR0_CD;
}

/* What is to be known of an exit until it ends. */
struct kernel_exit {
	bool shadow;	/* the quantum ended in an interrupt shadow, which is lost */
	bool steps;	/* the instruction is to raise the trap that the trap flag asks for, if it is carried out */
	uint64_t rip;
};

/* An exit begins: takes back what was for the last quantum only. */
struct kernel_exit kernel_begin_exit(struct svm_frame *frame);

/* Deals with the exits that KERNEL_INTERCEPTS and the control block ask for. False: it is none of them. */
bool kernel_exit(struct svm_frame *frame);

/* The exit has been dealt with: raises the trap of an instruction that has been carried out. */
void kernel_end_exit(struct svm_frame *frame, const struct kernel_exit *exit);

/* Whether the guest goes on with an instruction that was in an interrupt shadow: its quantum is kernel_step_alone's. */
static inline bool kernel_in_shadow(const struct svm_frame *frame, const struct kernel_exit *exit)
{
	return exit->shadow && frame->vmcb->rip == exit->rip && !frame->vmcb->event_injection;
}

/* Makes the coming quantum one instruction, before which no interrupt is taken. */
void kernel_step_alone(struct svm_frame *frame);

/* An intercepted instruction of this length has been carried out. The guest's clock counts it. */
static inline void kernel_skip(struct svm_frame *frame, uint64_t length)
{
	frame->vmcb->rip += length;
	frame->guest_clock++;
}

/* Has the guest's quantum begin with this exception: a vector, and SVM_INJECT_ERROR_CODE for an error code of 0. */
static inline void kernel_inject(struct svm_frame *frame, uint64_t exception)
{
	frame->vmcb->event_injection = SVM_INJECT_VALID | SVM_INJECT_EXCEPTION | exception;
}

/* Prints. */
void kernel_say(const char *text);

/* Ends the run, and says why: not as the guest's debug-exit port does. */
noreturn void kernel_end(const char *why);

/* The monitor's: called before the run ends, to say what it has to. */
void kernel_last_words(void);

#endif
