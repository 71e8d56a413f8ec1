/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 4,005 instructions, of which 1,000 fault when they first execute: 4 for each of 1,000 pages, 2
 * before, 3 after. 1,001 branches; 1,000 stores.
 */
	.global	_start
_start:	mov	$memory, %edi
	mov	$1000, %ecx
1:	movb	$1, (%rdi)
	add	$4096, %rdi
	dec	%ecx
	jnz	1b
	mov	$60, %eax		/* exit(0) */
	xor	%edi, %edi
	syscall
	.bss
	.balign	4096
memory:	.skip	1000 * 4096
