/* SPDX-License-Identifier: BSD-2-Clause */
/* The way back to UEFI, whose boot services wait: the processor's state there, and how it is that of the firmware
 * again. Interrupt controllers and memory are firmware.c's. */

#include "layout.h"
#include "x86/preserved.h"

#define MSR_EFER	0xC0000080
#define EFER_OURS	0x801		/* SCE, NXE: the bits that may differ */
#define TSS		0x89		/* a descriptor's byte 5: a task state that is there */
#define TSS_BUSY	0x02

	.bss
	.balign 8
stack:		.skip 8
cr0:		.skip 8
cr3:		.skip 8
cr4:		.skip 8
efer:		.skip 4
gdt:		.skip 10
idt:		.skip 10
task:		.skip 2
ldt:		.skip 2
data:		.skip 2			/* SS; the others may be anything */
return_at:	.skip 8
code:		.skip 8

	.section .early.rodata, "a"
	.balign	8
	.global	firmware_image_start, firmware_image_end
firmware_image_start:
	.quad	image_start		/* linker script: wherever this is now */
firmware_image_end:
	.quad	image_end

	.section .early.text64, "ax"
	.code64
/* const struct x86_early *firmware_wait_on_own_stack(void) */
	.global	firmware_wait_on_own_stack
firmware_wait_on_own_stack:
	push	%rbx
	mov	%rsp, %rbx
	lea	early_stack_end(%rip), %rsp
	call	firmware_wait
	mov	%rbx, %rsp
	pop	%rbx
	ret

/* const struct x86_early *firmware_leave(uint32_t entered): runs the image, which is moved to where it is linked. Comes
 * back at its end, with what it has left there. Interrupts are off. */
	.global	firmware_leave
firmware_leave:
	PUSH_PRESERVED
	cld
	mov	%rsp, stack(%rip)
	mov	%cr0, %rax
	mov	%rax, cr0(%rip)
	mov	%cr3, %rax
	mov	%rax, cr3(%rip)
	mov	%cr4, %rax
	mov	%rax, cr4(%rip)
	mov	$MSR_EFER, %ecx
	rdmsr
	mov	%eax, efer(%rip)
	sgdt	gdt(%rip)
	sidt	idt(%rip)
	str	task(%rip)
	sldt	ldt(%rip)
	mov	%ss, data(%rip)
	lea	1f(%rip), %rax
	mov	%rax, return_at(%rip)
	mov	%cs, %rax
	mov	%rax, code(%rip)
	jmp	image_go_on
1:	POP_PRESERVED
	ret

/* The end of a run that UEFI is to hear of, with page tables in which everything is where it is, and may be executed:
 * those that the image has begun with. */
	.global	firmware_return
firmware_return:
	cli
	fninit
	mov	$MSR_EFER, %ecx
	rdmsr
	mov	efer, %ebx
	xor	%eax, %ebx
	and	$EFER_OURS, %ebx
	xor	%ebx, %eax
	wrmsr
	mov	cr4, %rax
	mov	%rax, %cr4
	mov	cr3, %rax
	mov	%rax, %cr3
	mov	cr0, %rax
	mov	%rax, %cr0
	lgdt	gdt
	lidt	idt
	mov	data, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	mov	%eax, %fs
	mov	%eax, %gs
	lldt	ldt
	movzwl	task, %eax
	mov	gdt + 2, %rbx
	cmpb	$TSS + TSS_BUSY, 5(%rbx, %rax)
	jne	2f			/* the firmware has none: that of the image does no harm */
	andb	$~TSS_BUSY, 5(%rbx, %rax)
	ltr	%ax
2:	mov	stack, %rsp
	mov	$x86_early, %eax
	push	code
	push	return_at
	lretq

	.section .note.GNU-stack, "", @progbits
