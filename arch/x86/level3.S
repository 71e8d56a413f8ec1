/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls at level 3, and code of a known number of instructions there. arch.h and x86/traps.h
 * document them. */

#include "layout.h"
#include "x86/preserved.h"
#include "x86/this_cpu.h"

#define RFLAGS_IF	0x200

	.text

/* Enters \code at level 3 with this stack pointer, and with \flags set in addition to the current
 * ones. Saves the preserved registers for the return, by a gate that level 3 may use. */
	.macro	enter_level_3 code, stack, flags
	PUSH_PRESERVED
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

/* void arch_execute_user(uint64_t n): n >= 2. Uses no stack. */
	.balign 16, INT3
	.global arch_execute_user
arch_execute_user:
	enter_level_3 user_code, $0, $0
	.balign 16, INT3
user_code:
	shr	%rdi
	KNOWN_CODE(%rdi)
	int	$VECTOR_USER_RETURN
	.balign 16, INT3
	.global arch_user_return_entry
arch_user_return_entry:
	mov	$SEGMENT_DATA, %ecx
	mov	%ecx, %ss		/* the gate left the null selector */
	str	%ecx
	add	$SEGMENT_TSS_TO_GS, %ecx
	mov	%ecx, %gs		/* a program may have changed GS */
	mov	%gs:THIS_CPU_USER_RETURN, %rsp
	popfq
	POP_PRESERVED
	ret

	.section .note.GNU-stack, "", @progbits
