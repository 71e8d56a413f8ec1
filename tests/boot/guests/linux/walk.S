/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes to each page of 16 MiB (twice the size of the last-level cache), then loads each line once
 * with one instruction, from addresses that are multiples of 64.
 */
	.global	_start, load, memory, memory_end
_start:	mov	$memory, %edi
1:	movb	$1, (%rdi)
	add	$4096, %rdi
	cmp	$memory_end, %rdi
	jb	1b
	mov	$memory, %edi
load:	mov	(%rdi), %eax
	add	$64, %rdi
	cmp	$memory_end, %rdi
	jb	load
	mov	$60, %eax		/* exit(0) */
	xor	%edi, %edi
	syscall
	.bss
	.balign	4096
memory:	.skip	16 << 20
memory_end:
