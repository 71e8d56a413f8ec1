/* SPDX-License-Identifier: BSD-2-Clause */
/* Code of a known number of instructions, for tests of counters; position-independent. arch.h
 * documents it. */

#include "layout.h"

	.text

/* void arch_execute(uint64_t n): n >= 2 */
	.balign 16, INT3
	.global arch_execute
arch_execute:
	shr	%rdi
	KNOWN_CODE(%rdi)
	ret

/* Continuation if this instruction faults (x86/msr.h). */
	.macro	fault_fixup from, to
	.pushsection .fault_fixups, "a"
	.balign	4
	.long	\from - ., \to - .
	.popsection
	.endm

/* bool arch_execute_between(uint32_t msr, uint64_t first, uint64_t second, uint64_t n): n >= 8. The
 * n instructions between the two WRMSR include the jump and two moves around the loop. */
	.balign 16, INT3
	.global arch_execute_between
arch_execute_between:
	mov	%rdx, %r8		/* second: low half */
	mov	%rdx, %r9
	shr	$32, %r9		/* second: high half */
	lea	-3(%rcx), %r10
	mov	%edi, %ecx
	mov	%esi, %eax
	mov	%rsi, %rdx
	shr	$32, %rdx
	shr	%r10
first_write:
	wrmsr
	KNOWN_CODE(%r10)
	mov	%r8, %rax
	mov	%r9, %rdx
second_write:
	wrmsr
	mov	$1, %eax
	ret
write_fault:
	xor	%eax, %eax
	ret
	fault_fixup first_write, write_fault
	fault_fixup second_write, write_fault

	.section .note.GNU-stack, "", @progbits
