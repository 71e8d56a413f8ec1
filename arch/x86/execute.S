/* SPDX-License-Identifier: BSD-2-Clause */
/* Code whose number of instructions is known, to test counters with, and calls at level 3. The contracts are in arch.h
 * and x86/traps.h. */

#include "layout.h"
#include "x86/this_cpu.h"

#define RFLAGS_IF	0x200

	.text

/* The body all three share: \count instructions, of which the loop counter \iterations holds half; CF is set
 * if there is an odd one. \jump, \odd and the loop are 1 + CF + 2 * \iterations instructions. */
	.macro	known_code iterations
	jnc	1f
	nop
1:	sub	$1, \iterations
	jnz	1b
	.endm

/* void arch_execute(uint64_t n): n >= 2 */
	.balign 16, INT3
	.global arch_execute
arch_execute:
	shr	%rdi
	known_code %rdi
	ret

/* Goes on at \code, at level 3, with this stack pointer, and these flags beside the caller's. The way back is a gate
 * that level 3 may use; what it returns to is saved here. */
	.macro	enter_level_3 code, stack, flags
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	pushfq
	mov	%rsp, %gs:THIS_CPU_USER_RETURN
	pushq	$SEGMENT_USER_DATA
	pushq	\stack
	pushfq
	orq	\flags, (%rsp)
	pushq	$SEGMENT_USER_CODE
	lea	\code(%rip), %rax
	push	%rax
	xor	%ebp, %ebp
	iretq
	.endm

/* int x86_call_user(int (*function)(void), char *stack_end) */
	.balign 16, INT3
	.global x86_call_user
x86_call_user:
	enter_level_3 user_call, %rsi, $RFLAGS_IF
user_call:
	call	*%rdi
	int	$VECTOR_USER_RETURN

/* void arch_execute_user(uint64_t n): n >= 2. It uses no stack. */
	.balign 16, INT3
	.global arch_execute_user
arch_execute_user:
	enter_level_3 user_code, $0, $0
	.balign 16, INT3
user_code:
	shr	%rdi
	known_code %rdi
	int	$VECTOR_USER_RETURN
	.balign 16, INT3
	.global arch_user_return_entry
arch_user_return_entry:
	mov	$SEGMENT_DATA, %ecx
	mov	%ecx, %ss		/* the gate has left the null selector */
	str	%ecx
	add	$SEGMENT_TSS_TO_GS, %ecx
	mov	%ecx, %gs		/* a program may have changed it */
	mov	%gs:THIS_CPU_USER_RETURN, %rsp
	popfq
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret

/* Where to go on if this instruction faults (x86/msr.h). */
	.macro	fault_fixup from, to
	.pushsection .fault_fixups, "a"
	.balign	4
	.long	\from - ., \to - .
	.popsection
	.endm

/* bool arch_execute_between(uint32_t msr, uint64_t first, uint64_t second, uint64_t n): n >= 8.
 * Of the n instructions between the two WRMSR, three are the jump and the two moves around the loop. */
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
	known_code %r10
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
