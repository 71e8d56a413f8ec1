/* SPDX-License-Identifier: BSD-2-Clause */
/* Interrupt and exception entries. They save general registers only: handlers are compiled without
 * SSE and x87, so that the interrupted code's registers survive. */

#include "layout.h"
#include "x86/this_cpu.h"

	.text

/* Loads the runtime's segment GS, which a program may have changed. */
	.macro	load_gs register
	str	\register
	add	$SEGMENT_TSS_TO_GS, \register
	mov	\register, %gs
	.endm

/* One 16-byte stub for each vector: pushes an error code 0 if the processor has pushed none, then
 * the vector number, and jumps to the common entry. */
	.balign 16, INT3
	.global arch_vector_stubs
arch_vector_stubs:
	.set	vector, 0
	.rept	256
	.balign 16, INT3
	/* #DF, #TS, #NP, #SS, #GP, #PF and #AC push an error code (vectors 8, 10-14, 17). */
	.if	!(vector == 8 || (vector >= 10 && vector <= 14) || vector == 17)
	push	$0
	.endif
	push	$vector
	jmp	common_entry
	.set	vector, vector + 1
	.endr

	.balign 16, INT3
common_entry:
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
	load_gs	%eax
	mov	%rsp, %rdi		/* struct arch_frame * */
	cld
	call	arch_trap
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rbp
	pop	%rbx
	pop	%rdx
	pop	%rcx
	pop	%rax
	add	$16, %rsp		/* vector, error code */
	iretq

/* The overflow interrupt, as a vector or as an NMI. Saves only the registers that a C function may
 * change, and passes the interrupted address and level in registers. The processor aligns the stack
 * to 16 bytes and pushes five words; nine more words here align it again for the call. At level 0
 * the direction flag is clear: the image contains no STD. */
	.balign 16, INT3
	.global arch_pmi_entry
	.type	arch_pmi_entry, @function
arch_pmi_entry:
	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	mov	9*8(%rsp), %rdi		/* interrupted instruction's address */
	mov	10*8(%rsp), %esi	/* interrupted CS: bits 1:0 are the level */
	and	$3, %esi
	jnz	2f
1:	call	*%gs:THIS_CPU_PMI_HANDLER
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	iretq
2:	cld
	load_gs	%eax
	jmp	1b
	.size	arch_pmi_entry, . - arch_pmi_entry

/* The interrupted stack pointer is the fourth of the processor's five words, above arch_pmi_entry's
 * nine words and its call's return address. */
	.balign 16, INT3
	.global x86_following_handler
x86_following_handler:
	mov	13*8(%rsp), %rax
	mov	%rax, %gs:THIS_CPU_INTERRUPTED_SP
	mov	%rbp, %gs:THIS_CPU_INTERRUPTED_BP
	jmp	*%gs:THIS_CPU_FOLLOWING_HANDLER

	.section .note.GNU-stack, "", @progbits
