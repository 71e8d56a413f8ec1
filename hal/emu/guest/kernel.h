/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel as a guest, under any monitor. Of the PMU this knows only that there is one. */
#ifndef GUEST_KERNEL_H
#define GUEST_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdnoreturn.h>

#include "frame.h"
#include "load.h"
#include "vmcb.h"

/* At each entry intercept1 has these, and what the monitor adds. */
#define KERNEL_INTERCEPTS \
	(SVM_INTERCEPT_SMI | SVM_INTERCEPT_INVLPGA | SVM_INTERCEPT_PORTS | SVM_INTERCEPT_SHUTDOWN)

#define KERNEL_CR0_NW		(1u << 29)
#define KERNEL_CR0_CD		(1u << 30)

/* Bits of IA32_MISC_ENABLE that the guest reads: performance monitoring is available; branch trace storage is not;
 * precise records are not. */
#define KERNEL_MISC_AVAILABLE	(1u << 7)
#define KERNEL_MISC_NO_BTS	(1u << 11)
#define KERNEL_MISC_NO_PEBS	(1u << 12)

/* What of this is the monitor's: its value of these bits; and what prints its last lines before the run ends. */
struct kernel_monitor {
	uint32_t misc_enable;
	void (*last_words)(void);
};

/* The kernel that was loaded, and its physical memory; then, for a CPU, the control block that it begins with: the
 * kernel's entry; or, in real mode, what a startup interrupt with this vector gives. */
void kernel_prepare(const struct load_entry *entry, const struct kernel_monitor *under);
void kernel_fill(struct svm_frame *frame);
void kernel_fill_started(struct svm_frame *frame, uint8_t vector);

/* Corrects what the guest may write but QEMU 7.2 cannot continue with: EFER without the SVM bit, which the guest does
 * not see; CR0.NW without CD. */
static inline void kernel_sanitize(struct vmcb *vmcb)
{
	vmcb->efer |= SVM_EFER_SVME;
	if (vmcb->cr0 & KERNEL_CR0_NW)
		vmcb->cr0 |= KERNEL_CR0_CD;
}

/* The alarm ends the guest's quantum after so many instructions. */
static inline void kernel_set_alarm(struct svm_frame *frame, uint64_t instructions)
{
	frame->alarm_after = instructions;
	frame->alarm_register = frame->alarm_timer;
}

/* What must be remembered from an exit to the next entry. */
struct kernel_exit {
	bool shadow;	/* the quantum ended in an interrupt shadow, which is lost */
	bool steps;	/* the instruction is to raise the trap that the trap flag asks for, if it is carried out */
	uint8_t ports;	/* so many, from `port` on, are accessed by the guest itself; 0: none */
	uint16_t port;
	uint64_t rip;
};

/* On VM exit: takes back what was for the last quantum only. */
struct kernel_exit kernel_begin_exit(struct svm_frame *frame);

/* Handles the exits that KERNEL_INTERCEPTS and the control block ask for. False: it is none of them. */
bool kernel_exit(struct svm_frame *frame, struct kernel_exit *exit);

/* Handles an exception that has come while another one that was injected was delivered, if that is a double fault (SDM
 * volume 3A, "Interrupt 8--Double Fault Exception"). False: it is none. */
bool kernel_exit_double_fault(struct svm_frame *frame);

/* Before VM entry, while exceptions do not end quanta: one does that makes a double fault of the exception that is
 * injected. */
void kernel_watch_injection(struct vmcb *vmcb);

/* After the exit has been handled: raises the single-step trap of an instruction that has been carried out. */
void kernel_end_exit(struct svm_frame *frame, const struct kernel_exit *exit);

/* Whether the guest continues with an instruction that kernel_step must execute: it was in an interrupt shadow, or
 * accesses ports, which are opened for it only. */
static inline bool kernel_must_step(const struct svm_frame *frame, const struct kernel_exit *exit)
{
	return (exit->shadow | exit->ports) && frame->vmcb->rip == exit->rip && !frame->vmcb->event_injection;
}

/* Last of all before VM entry: makes the next quantum that instruction. */
void kernel_step(struct svm_frame *frame, const struct kernel_exit *exit);

/* Makes the next quantum one instruction, before which no interrupt is taken. */
void kernel_step_alone(struct svm_frame *frame);

/* An intercepted instruction of this length has been carried out. The guest's clock counts it. */
static inline void kernel_skip(struct svm_frame *frame, uint64_t length)
{
	frame->vmcb->rip += length;
	frame->guest_clock++;
}

/* Injects an exception: a vector, with SVM_INJECT_ERROR_CODE for an error code of 0. */
static inline void kernel_inject(struct svm_frame *frame, uint64_t exception)
{
	frame->vmcb->event_injection = SVM_INJECT_VALID | SVM_INJECT_EXCEPTION | exception;
}

/* Prints a text on the console. */
void kernel_say(const char *text);

/* Ends the run and prints why, with a status that the guest's debug-exit port cannot give. */
noreturn void kernel_end(const char *why);

#endif
