/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The notes that Xen requires of its first domain, a paravirtual kernel (Xen's public headers,
 * elfnote.h and xen.h): its addresses and its entry, which Xen enters in 64-bit mode with a stack
 * and the start information's address in RSI.
 */

#define NOTE(type, ...)		\
	.balign	4;		\
	.long	4, 9f - 8f, type; \
	.asciz	"Xen";		\
8:	__VA_ARGS__;		\
9:

	.section .note.Xen, "a", @note
	NOTE(1, .quad _start)		/* entry */
	NOTE(3, .quad 0)		/* virtual base */
	NOTE(4, .quad 0)		/* physical addresses equal virtual ones */
	NOTE(5, .asciz "xen-3.0")
	NOTE(6, .asciz "palmon-test")
	NOTE(8, .asciz "generic")
	NOTE(9, .asciz "yes")		/* PAE */
	.balign	4

	.text
	.global	_start
_start:
	mov	%rsi, %rdi
	call	dom0_main

/* long hypercall(long a, const void *b, const void *c, long number) */
	.global	hypercall
hypercall:
	mov	%rcx, %rax
	syscall
	ret

/*
 * uint64_t count_loop(uint32_t iterations). Counts the instructions between two WRMSR: 2 *
 * iterations + 3. A paravirtual kernel runs at level 3, where WRMSR faults and Xen emulates it; it
 * therefore does not retire there.
 */
	.global	count_loop
count_loop:
	mov	%edi, %esi
	mov	$0x38F, %ecx		/* IA32_PERF_GLOBAL_CTRL */
	xor	%edx, %edx
	mov	$1, %eax
	wrmsr
0:	dec	%esi			/* 2 * iterations */
	jnz	0b
	mov	$0x38F, %ecx		/* 1 */
	xor	%edx, %edx		/* 2 */
	xor	%eax, %eax		/* 3 */
	wrmsr
	mov	$0x0C1, %ecx		/* IA32_PMC0 */
	rdmsr
	shl	$32, %rdx
	or	%rdx, %rax
	ret
	.section .note.GNU-stack, "", @progbits
