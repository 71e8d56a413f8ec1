/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The path from the controller into the code of a step, and back (fuzz_code.c). Offsets are those
 * of struct context.
 */

/*
 * Starts the timer, whose interrupt is an NMI, and the PMU, which may interrupt. EBP: the context.
 */
	.macro	arm
	cmpl	$0, 0x118(%ebp)
	jne	2f
	movl	$0x400, 0xFEE00320
	movl	$0xB, 0xFEE003E0
	mov	0xEC(%ebp), %eax
	mov	%eax, 0xFEE00380
	mov	0xE8(%ebp), %eax
	mov	%eax, 0xFEE00340
	jmp	3f
2:	xor	%edx, %edx
	mov	$0x400, %eax
	mov	$0x832, %ecx
	wrmsr
	mov	$0xB, %eax
	mov	$0x83E, %ecx
	wrmsr
	mov	0xEC(%ebp), %eax
	mov	$0x838, %ecx
	wrmsr
	mov	0xE8(%ebp), %eax
	mov	$0x834, %ecx
	wrmsr
3:	mov	0xF8(%ebp), %ecx
	mov	0xF0(%ebp), %eax
	mov	0xF4(%ebp), %edx
	wrmsr
	.endm

/* Stops the timer's and the PMU's interrupts, and counting. EBP: the context. */
	.macro	disarm
	cmpl	$0, 0x118(%ebp)
	jne	2f
	movl	$0, 0xFEE00380
	movl	$0x10051, 0xFEE00340
	jmp	3f
2:	xor	%edx, %edx
	xor	%eax, %eax
	mov	$0x838, %ecx
	wrmsr
	mov	$0x10051, %eax
	mov	$0x834, %ecx
	wrmsr
3:	mov	0xF8(%ebp), %ecx
	xor	%eax, %eax
	xor	%edx, %edx
	wrmsr
	.endm

	.global	enter, enter_real, way_start, way_end, stubs_64, stubs_32
	.global	real_start, real_end, real_stubs, real_values
	.section .text.way, "ax", @progbits
	.balign 4096
way_start:
	.code32
enter:	pusha
	mov	36(%esp), %ebp
	mov	%esp, 0x108(%ebp)
	mov	0xD8(%ebp), %eax
	mov	%eax, %cr4
	mov	0xD4(%ebp), %eax
	mov	%eax, %cr3
	mov	$0xC0000080, %ecx
	mov	0xDC(%ebp), %eax
	xor	%edx, %edx
	wrmsr
	lea	0xC00(%ebp), %esp
	mov	0xD0(%ebp), %eax
	mov	%eax, %cr0
	jmp	1f
1:	lidt	0x100(%ebp)
	mov	0xE0(%ebp), %eax
	ltr	%ax
	arm
	mov	0xE4(%ebp), %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %fs
	mov	%eax, %gs
	cmpl	$0, %ss:0xFC(%ebp)
	jne	4f
	ljmp	$0x30, $enter_64
4:	lea	0xA8(%ebp), %esp
	mov	%ss:(%ebp), %eax
	mov	%ss:8(%ebp), %ecx
	mov	%ss:16(%ebp), %edx
	mov	%ss:24(%ebp), %ebx
	mov	%ss:48(%ebp), %esi
	mov	%ss:56(%ebp), %edi
	mov	%ss:40(%ebp), %ebp
	iret
	.code64

enter_64:
	mov	%ebp, %ebp
	lea	0x80(%rbp), %rsp
	mov	0(%rbp), %rax
	mov	8(%rbp), %rcx
	mov	16(%rbp), %rdx
	mov	24(%rbp), %rbx
	mov	48(%rbp), %rsi
	mov	56(%rbp), %rdi
	mov	64(%rbp), %r8
	mov	72(%rbp), %r9
	mov	80(%rbp), %r10
	mov	88(%rbp), %r11
	mov	96(%rbp), %r12
	mov	104(%rbp), %r13
	mov	112(%rbp), %r14
	mov	120(%rbp), %r15
	mov	40(%rbp), %rbp
	iretq

/* Ignore an NMI in these pages: it came before the code or after its end. */
nmi_64:	cmpl	$0, 20(%rsp)
	jne	common_64
	cmpl	$way_start, 16(%rsp)
	jb	common_64
	cmpl	$way_end, 16(%rsp)
	jae	common_64
	add	$16, %rsp
	iretq

common_64:
	push	%rax
	push	%rcx
	push	%rdx
	push	%rbx
	push	%rbp
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	xor	%eax, %eax
	mov	%rax, %dr7
	cld
	mov	%rsp, %rbp
	and	$~0xFFF, %rbp
	mov	%esp, 0x10C(%rbp)
	mov	%cr2, %rax
	mov	%rax, 0x110(%rbp)
	pushq	$0x10
	push	%rbp
	pushq	$2
	pushq	$0x08
	mov	$leave_paged, %eax
	push	%rax
	iretq
	.code32

nmi_32:	cmpl	$way_start, 8(%esp)
	jb	common_32
	cmpl	$way_end, 8(%esp)
	jae	common_32
	add	$8, %esp
	iret

common_32:
	pusha
	xor	%eax, %eax
	mov	%eax, %dr7
	cld
	mov	%esp, %ebp
	and	$~0xFFF, %ebp
	mov	%esp, %ss:0x10C(%ebp)
	mov	%cr2, %eax
	mov	%eax, %ss:0x110(%ebp)
	push	$2
	push	$0x08
	push	$leave_paged
	iret

/*
 * The code's interrupt table stays loaded until paging has ended; timer and PMU no longer
 * interrupt.
 */
leave_paged:
	mov	$0x10, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %fs
	mov	%eax, %gs
	mov	%eax, %ss
	disarm
	mov	$0x11, %eax
	mov	%eax, %cr0
	jmp	1f
1:	mov	$0xC0000080, %ecx
	xor	%eax, %eax
	xor	%edx, %edx
	wrmsr
	mov	$0x600, %eax
	mov	%eax, %cr4
	lidt	idt_of_controller
	mov	0x108(%ebp), %esp
	popa
	ret

enter_real:
	pusha
	mov	36(%esp), %ebp
	mov	%ebp, context_real
	mov	%esp, 0x108(%ebp)
	arm
	ljmp	$0x80, $real_enter - real_start

leave_real:
	lidt	%cs:idt_of_controller
	mov	$0x10, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %fs
	mov	%eax, %gs
	mov	%eax, %ss
	mov	context_real, %ebp
	mov	0x108(%ebp), %esp
	push	$2
	popf
	xor	%eax, %eax
	mov	%eax, %dr7
	disarm
	mov	$0x11, %eax
	mov	%eax, %cr0
	mov	$0x600, %eax
	mov	%eax, %cr4
	pushf
	push	%cs
	push	$1f
	iret
1:	popa
	ret
	.balign 8

idt_of_controller:
	.word 0x7FF
	.long idt_of_guest
	.code64
	.balign 16
stubs_64:
	.set vector, 0
	.rept 256
	.balign 16
	.if (vector != 8) && ((vector < 10) || (vector > 14)) && (vector != 17)
	push	$0
	.endif
	push	$vector
	.if vector == 2
	jmp	nmi_64
	.else
	jmp	common_64
	.endif
	.set vector, vector + 1
	.endr
	.code32
	.balign 16
stubs_32:
	.set vector, 0
	.rept 256
	.balign 16
	.if (vector != 8) && ((vector < 10) || (vector > 14)) && (vector != 17)
	push	$0
	.endif
	push	$vector
	.if vector == 2
	jmp	nmi_32
	.else
	jmp	common_32
	.endif
	.set vector, vector + 1
	.endr
	.balign 4096
way_end:

/* Copied to REAL. */
	.section .rodata
	.code16
real_start:
real_enter:
	mov	%cr0, %eax
	and	$~1, %al
	mov	%eax, %cr0
	ljmp	$0x1000, $1f - real_start
1:	lidtl	%cs:real_idt - real_start
	mov	$0x4000, %ax
	mov	%ax, %ss
	mov	$0x3000, %ax
	mov	%ax, %ds
	mov	%ax, %es
	mov	%ax, %fs
	mov	%ax, %gs
	movl	%cs:real_values - real_start + 16, %esp
	pushw	%cs:real_values - real_start + 34
	pushw	$0x2000
	pushw	%cs:real_values - real_start + 32
	movl	%cs:real_values - real_start, %eax
	movl	%cs:real_values - real_start + 4, %ecx
	movl	%cs:real_values - real_start + 8, %edx
	movl	%cs:real_values - real_start + 12, %ebx
	movl	%cs:real_values - real_start + 20, %ebp
	movl	%cs:real_values - real_start + 24, %esi
	movl	%cs:real_values - real_start + 28, %edi
	iretw

real_common:
	movl	%eax, %cs:real_values - real_start + 36
	movl	%ecx, %cs:real_values - real_start + 40
	movl	%edx, %cs:real_values - real_start + 44
	movl	%ebx, %cs:real_values - real_start + 48
	movl	%esp, %cs:real_values - real_start + 52
	movl	%ebp, %cs:real_values - real_start + 56
	movl	%esi, %cs:real_values - real_start + 60
	movl	%edi, %cs:real_values - real_start + 64
	popw	%cs:real_values - real_start + 70
	popw	%cs:real_values - real_start + 72
	popw	%cs:real_values - real_start + 74
	mov	%cr0, %eax
	or	$1, %al
	mov	%eax, %cr0
	ljmpl	$0x08, $leave_real
	.balign 8
real_idt:
	.word 0x3FF
	.long 0x18000
real_values:
	.skip 80
	.balign 16
real_stubs:
	.set vector, 0
	.rept 256
	.balign 16
	movb	$vector, %cs:real_values - real_start + 68
	jmp	real_common
	.set vector, vector + 1
	.endr
real_end:
	.text
	.code32
	.section .note.GNU-stack, "", @progbits
