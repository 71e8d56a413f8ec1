/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 60,005 instructions: 6 for each of 10,000 repeated stores, 2 before, 3 after. 10,001 branches;
 * 10,000 stores, and as many loads of stored data.
 */
	.global	_start
_start:	cld
	mov	$10000, %ebx
1:	mov	$memory, %edi
	mov	$64, %ecx
	mov	(%rdi), %al
	rep stosb
	dec	%ebx
	jnz	1b
	mov	$60, %eax		/* exit(0) */
	xor	%edi, %edi
	syscall
	.bss
memory:	.skip	64
