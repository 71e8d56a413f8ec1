/* SPDX-License-Identifier: BSD-2-Clause */
/* Interrupts and exceptions: an entry of 16 bytes for each vector, which saves the registers that C
 * may change and calls host_interrupt. */

	.text
	.balign	16
	.global	host_entries
host_entries:
	.set	vector, 0
	.rept	256
	.balign	16, 0xCC
	.if	(vector != 8) && ((vector < 10) || (vector > 14)) && (vector != 17)
	pushq	$0			/* no error code */
	.endif
	pushq	$vector
	jmp	common
	.set	vector, vector + 1
	.endr

common:	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	cld
	mov	%rsp, %rdi
	mov	%rsp, %rax
	and	$-16, %rsp
	sub	$16, %rsp
	mov	%rax, (%rsp)
	call	host_interrupt
	mov	(%rsp), %rsp
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	add	$16, %rsp
	iretq

	.section .note.GNU-stack, "", @progbits
