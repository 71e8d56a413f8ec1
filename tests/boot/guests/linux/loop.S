/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 200,004 instructions: 2 for each of 100,000 iterations, 1 before, 3 after. 100,001 branches,
 * including SYSCALL.
 */
	.global	_start, again
_start:	mov	$100000, %ecx
again:	dec	%ecx
branch:	jnz	again
	mov	$60, %eax		/* exit(0) */
	xor	%edi, %edi
	syscall
	.global	branch
