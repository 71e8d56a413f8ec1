/* SPDX-License-Identifier: BSD-2-Clause */
/* The world switch. Everything between the two readings of the clock is straight-line code: under QEMU's
 * -icount shift=0 each instruction is one tick of the time-stamp counter, so that the monitor's share is a
 * constant, and the guest's clock counts the guest's instructions alone. So does its time-stamp counter, if the offset
 * between both clocks is TSC_OFFSET (frame.h).
 *
 * The alarm: an HPET comparator whose match is delivered as NMI, which ends VMRUN. The HPET ticks once in ten
 * instructions. The distance to the alarm is made a multiple of ten with 0-9 no-operations before VMRUN. */

#include "frame.h"
#include "x86/preserved.h"

/* Instructions from the clock's reading to the guest's first one, of which ALARM_TO_GUEST after the alarm's
 * write; and from VMRUN's return to the next reading. Verified at start (start.c, calibrate). CLOCK_EXTRA:
 * added to the clock so that fewer instructions do; alarm.c takes it off the alarm's phase again. */
#define CLOCK_TO_GUEST		40
#define ALARM_TO_GUEST		13
#define GUEST_TO_CLOCK		1
#define CLOCK_EXTRA		(CLOCK_TO_GUEST - ALARM_TO_GUEST)

	.text
	.balign 16, INT3
	.global svm_run
svm_run:
	PUSH_PRESERVED
	mov	%rsp, FRAME_HOST_RSP(%rdi)
	mov	%rdi, %rsp

load_preserved:
	mov	FRAME_RBP(%rsp), %rbp
	mov	FRAME_R8 + 32(%rsp), %r12
	mov	FRAME_R8 + 40(%rsp), %r13
	mov	FRAME_R8 + 48(%rsp), %r14
	mov	FRAME_R8 + 56(%rsp), %r15
/* RBP and R12-R15 are the guest's from its exit to its entry: svm_exit preserves them, and no one else is called. */
enter:
	mov	FRAME_ALARM_AFTER(%rsp), %r9
	mov	FRAME_ALARM_REGISTER(%rsp), %rsi
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	lea	CLOCK_EXTRA(%rax), %r8		/* clock */
	movabs	$0xCCCCCCCCCCCCCCCD, %r10	/* 8 / 10, to divide by ten */
	lea	ALARM_TO_GUEST + 9(%r9), %rax	/* distance from the alarm's write */
	mul	%r10
	shr	$3, %rdx
	mov	%rdx, %rcx			/* in ticks, rounded up */
	lea	(%rcx, %rcx, 4), %r11
	add	%r11, %r11
	sub	%r9, %r11			/* no-operations that make it so, and ALARM_TO_GUEST */
	mov	FRAME_ALARM_PHASE(%rsp), %rax
	add	%r8, %rax
	mul	%r10
	shr	$3, %rdx
	add	%rdx, %rcx
	mov	%ecx, (%rsi)			/* the high half is still ALARM_FAR */
	shr	$32, %rcx
	/* The guest's clock goes on where it was: offset = guest clock - the clock at its first instruction. */
	mov	FRAME_GUEST_CLOCK(%rsp), %rax
	sub	%r8, %rax
	sub	%r11, %rax
	mov	FRAME_CLOCK_OFFSET(%rsp), %rdx
	mov	%rax, (%rdx)
	lea	sled_end + ALARM_TO_GUEST(%rip), %rax
	sub	%r11, %rax
	mov	%ecx, 4(%rsi)			/* the alarm's write */
	mov	%rax, FRAME_SLED(%rsp)
	mov	FRAME_RBX(%rsp), %rbx
	mov	FRAME_RCX(%rsp), %rcx
	mov	FRAME_RDX(%rsp), %rdx
	mov	FRAME_RSI(%rsp), %rsi
	mov	FRAME_VMCB(%rsp), %rax
	mov	FRAME_RDI(%rsp), %rdi
	mov	FRAME_R8(%rsp), %r8
	mov	FRAME_R8 + 8(%rsp), %r9
	mov	FRAME_R8 + 16(%rsp), %r10
	mov	FRAME_R8 + 24(%rsp), %r11
	jmp	*FRAME_SLED(%rsp)
	.rept	9
	nop
	.endr
sled_end:
	vmrun	%rax

	mov	%rdx, FRAME_RDX(%rsp)
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%rax, FRAME_HOST_CLOCK(%rsp)
	mov	%rbx, FRAME_RBX(%rsp)
	mov	%rcx, FRAME_RCX(%rsp)
	mov	%rsi, FRAME_RSI(%rsp)
	mov	%rdi, FRAME_RDI(%rsp)
	mov	%rbp, FRAME_RBP(%rsp)
	mov	%r8, FRAME_R8(%rsp)
	mov	%r9, FRAME_R8 + 8(%rsp)
	mov	%r10, FRAME_R8 + 16(%rsp)
	mov	%r11, FRAME_R8 + 24(%rsp)
	mov	%r12, FRAME_R8 + 32(%rsp)
	mov	%r13, FRAME_R8 + 40(%rsp)
	mov	%r14, FRAME_R8 + 48(%rsp)
	mov	%r15, FRAME_R8 + 56(%rsp)
	/* The alarm is put off, and an NMI that it has raised, here or in the guest, is taken now: pending at the next
	 * entry it would end the guest's quantum before it has begun, and the alarm set there could do so again. */
	mov	FRAME_ALARM_REGISTER(%rsp), %rcx
	movl	$ALARM_FAR, 4(%rcx)
	stgi
	clgi
	mov	FRAME_CLOCK_OFFSET(%rsp), %rcx
	add	(%rcx), %rax
	sub	$GUEST_TO_CLOCK, %rax
	mov	%rax, FRAME_GUEST_CLOCK(%rsp)
	mov	%rsp, %rdi
	call	*FRAME_EXIT(%rsp)
	test	%al, %al
	jz	enter
	cmpq	$0, FRAME_HOST_RSP(%rsp)
	je	load_preserved

	mov	FRAME_HOST_RSP(%rsp), %rsp
	POP_PRESERVED
	ret

	.balign 16, INT3
	.global svm_become_guest
svm_become_guest:
	PUSH_PRESERVED
	movq	$0, FRAME_HOST_RSP(%rdi)
	mov	FRAME_VMCB(%rdi), %rax
	pushfq
	pop	VMCB_RFLAGS(%rax)
	mov	%rsp, VMCB_RSP(%rax)
	lea	1f(%rip), %rcx
	mov	%rcx, VMCB_RIP(%rax)
	mov	%rdi, %rsp
	jmp	enter
1:	POP_PRESERVED
	ret

	.balign 16, INT3
	.global svm_wait, svm_nmi_entry
svm_wait:
	stgi
wait_halt:
	hlt
	clgi
	ret
svm_nmi_entry:
	push	%rax
	lea	wait_halt(%rip), %rax
	cmp	%rax, 8(%rsp)
	jne	1f
	incq	8(%rsp)			/* HLT is one byte */
1:	pop	%rax
	iretq

	.balign 16, INT3
	.global svm_guest_loop, svm_guest_exit
svm_guest_loop:
	jmp	svm_guest_loop
svm_guest_exit:
	cpuid
	jmp	svm_guest_exit

	.section .note.GNU-stack, "", @progbits
