/* SPDX-License-Identifier: BSD-2-Clause */
/* What the world switch (switch.S) and the monitor (monitor.c) share. The frame lies at the top of the monitor's
 * stack; while the guest runs and while the monitor works, the stack pointer is below or at it. */
#ifndef SVM_FRAME_H
#define SVM_FRAME_H

/* Offsets in struct svm_frame, for assembly. */
#define FRAME_RBX		0
#define FRAME_RCX		8
#define FRAME_RDX		16
#define FRAME_RSI		24
#define FRAME_RDI		32
#define FRAME_RBP		40
#define FRAME_R8		48
#define FRAME_VMCB		112
#define FRAME_GUEST_CLOCK	120
#define FRAME_ALARM_AFTER	128
#define FRAME_ALARM_PHASE	136
#define FRAME_ALARM_REGISTER	144
#define FRAME_HOST_CLOCK	152
#define FRAME_SLED		160
#define FRAME_HOST_RSP		168
#define FRAME_EXIT		184
#define FRAME_CLOCK_OFFSET	192
#define FRAME_SIZE		224

#define SVM_CPUS		X86_CPUS

/* Written to the high half of the comparator: the alarm is in no time that matters (2^56 ticks). */
#define ALARM_FAR		0x01000000

/* Offsets in struct vmcb. */
#define VMCB_RFLAGS		0x570
#define VMCB_RIP		0x578
#define VMCB_RSP		0x5D8

#include "layout.h"

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mailbox.h"
#include "vmcb.h"

struct svm_frame {
	uint64_t rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15;	/* the guest's */
	struct vmcb *vmcb;
	uint64_t guest_clock;	/* the instructions that the guest has executed, and how long it has been halted */
	uint64_t alarm_after;	/* guest instructions until the alarm; at most SVM_ALARM_NEVER */
	uint64_t alarm_phase;	/* added to the host's clock: tenths of it are HPET ticks at the alarm's write */
	volatile uint32_t *alarm_register;	/* the HPET timer's comparator, low half, then high; or no_alarm */
	uint64_t host_clock;	/* the machine's time-stamp counter when the guest was last left */
	uint64_t sled;		/* address in the no-operations before VMRUN to enter at */
	uint64_t host_rsp;	/* stack of svm_run's caller; 0: svm_become_guest's guest */
	struct svm_monitor *monitor;
	bool (*exit)(struct svm_frame *frame);	/* svm_exit or svm_exit_core */
	uint64_t *clock_offset;	/* where the switch puts what the guest's clock is ahead of the machine's: TSC_OFFSET
				   of the control block, so that the guest reads its own clock; or the next field */
	uint64_t own_offset;
	volatile uint32_t *alarm_timer;	/* that comparator */
	uint32_t no_alarm[2];		/* what is written in its place, which is faster, if no alarm is needed */
};

_Static_assert(offsetof(struct svm_frame, r8) == FRAME_R8, "frame layout");
_Static_assert(offsetof(struct svm_frame, vmcb) == FRAME_VMCB, "frame layout");
_Static_assert(offsetof(struct svm_frame, alarm_register) == FRAME_ALARM_REGISTER, "frame layout");
_Static_assert(offsetof(struct svm_frame, host_rsp) == FRAME_HOST_RSP, "frame layout");
_Static_assert(offsetof(struct svm_frame, monitor) == FRAME_HOST_RSP + 8, "frame layout");
_Static_assert(offsetof(struct svm_frame, exit) == FRAME_EXIT, "frame layout");
_Static_assert(offsetof(struct svm_frame, clock_offset) == FRAME_CLOCK_OFFSET, "frame layout");
_Static_assert(sizeof(struct svm_frame) == FRAME_SIZE && FRAME_SIZE % 16 == 0, "frame layout");

/* Some years: the guest's longest quantum. */
#define SVM_ALARM_NEVER MAILBOX_FAR

/* What RDMSR and RDPMC give the guest, and CPUID. */
static inline void svm_give_value(struct svm_frame *frame, uint64_t value)
{
	frame->vmcb->rax = (uint32_t)value;
	frame->rdx = value >> 32;
}

static inline void svm_give_registers(struct svm_frame *frame, const uint32_t registers[4])
{
	frame->vmcb->rax = registers[0];
	frame->rbx = registers[1];
	frame->rcx = registers[2];
	frame->rdx = registers[3];
}

/* Runs the guest of a frame until svm_exit says that it is enough. */
void svm_run(struct svm_frame *frame);

/* Makes the caller the guest: returns in it, with the monitor beneath. */
void svm_become_guest(struct svm_frame *frame);

/* Called on each exit from the guest, with a stack pointer that is a multiple of 16. True: leave svm_run; a guest that
 * svm_become_guest began goes on, with RBP and R12 to R15, too, as the frame has them. The second is for models that
 * also have the core's clock and instructions of their own (mailbox.h: clock_address, has_lacking). */
bool svm_exit(struct svm_frame *frame);
bool svm_exit_core(struct svm_frame *frame);

/* Code for calibration: loops for ever in one instruction; asks for its identification at once. */
void svm_guest_loop(void);
void svm_guest_exit(void);

/* The monitor's own NMI handler: returns; behind the HLT of svm_wait if that has not been executed. */
void svm_nmi_entry(void);


/* Halts until an NMI. One that is pending already ends the wait at once. */
void svm_wait(void);

#endif
#endif
