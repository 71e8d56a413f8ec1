/* SPDX-License-Identifier: BSD-2-Clause */
/* Code whose number of instructions is known, to test counters with. The contract is in arch.h. */

#include "layout.h"
#include "x86/this_cpu.h"

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

/* void arch_execute_user(uint64_t n): n >= 2. The way back is a gate that level 3 may use. */
	.balign 16, INT3
	.global arch_execute_user
arch_execute_user:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	pushfq
	mov	%rsp, %gs:THIS_CPU_USER_RETURN
	pushq	$SEGMENT_USER_DATA
	pushq	$0			/* level 3 uses no stack */
	pushfq
	pushq	$SEGMENT_USER_CODE
	lea	user_code(%rip), %rax
	push	%rax
	iretq
	.balign 16, INT3
user_code:
	shr	%rdi
	known_code %rdi
	int	$VECTOR_USER_RETURN
	.balign 16, INT3
	.global arch_user_return_entry
arch_user_return_entry:
	mov	$SEGMENT_DATA, %eax
	mov	%eax, %ss		/* the gate has left the null selector */
	mov	%gs:THIS_CPU_USER_RETURN, %rsp
	popfq
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret

/* void arch_execute_between(uint32_t msr, uint64_t first, uint64_t second, uint64_t n): n >= 8.
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
	wrmsr
	known_code %r10
	mov	%r8, %rax
	mov	%r9, %rdx
	wrmsr
	ret

	.section .note.GNU-stack, "", @progbits
