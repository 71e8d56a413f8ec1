/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves the processor's state while UEFI's boot services wait, and restores it. firmware.c does
 * this for interrupt controllers and memory. */

#include "layout.h"
#include "x86/preserved.h"

#define MSR_EFER	0xC0000080
#define EFER_OURS	0x801		/* SCE, NXE: bits that the image may change */
#define TSS		0x89		/* byte 5 of a descriptor: available task state */
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
data:		.skip 2			/* SS; the other segments do not matter */
return_at:	.skip 8
code:		.skip 8

	.section .early.rodata, "a"
	.balign	8
	.global	firmware_image_start, firmware_image_end
firmware_image_start:
	.quad	image_start		/* linker script: the image's link address */
firmware_image_end:
	.quad	image_end

	.section .early.text64, "ax"
	.code64
/* const struct x86_early *firmware_leave(uint32_t entered): moves the image to its link address and
 * runs it, with interrupts off. Returns the image's data at its end. */
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

/* Ends a run and returns to UEFI. The page tables are those that the image started with:
 * identity-mapped and executable. */
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
	jne	2f			/* the firmware has none: keep the image's */
	andb	$~TSS_BUSY, 5(%rbx, %rax)
	ltr	%ax
2:	mov	stack, %rsp
	mov	$x86_early, %eax
	push	code
	push	return_at
	lretq

	.section .note.GNU-stack, "", @progbits
