/* SPDX-License-Identifier: BSD-2-Clause */
/* A program of the host that calls the workload TIMES times. */
	.text
	.global _start
_start:
	.rept	TIMES
	call	workload
	.endr
	xor	%edi, %edi
	mov	$60, %eax		/* exit */
	syscall
	.section .note.GNU-stack, "", @progbits
