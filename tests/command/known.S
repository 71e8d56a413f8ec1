// SPDX-License-Identifier: BSD-2-Clause
// A program for Linux on x86-64 with known counts. It reads SIZE bytes PASSES times, with one load
// per line of 64 bytes, and then writes TIMES times to the last line.
#include <sys/syscall.h>

	.globl	_start
_start:
	mov	$PASSES, %edx			// 1
1:	mov	$lines, %edi			// PASSES
	mov	$SIZE / 64, %ecx		// PASSES
read:	mov	(%rdi), %rax			// the rest PASSES * SIZE / 64: a load
	add	$64, %rdi
	dec	%ecx
	jnz	read
	dec	%edx				// PASSES
	jnz	1b				// PASSES
	mov	$TIMES, %ecx			// 1
write:	mov	%rax, lines + SIZE - 64		// TIMES: a store
	dec	%ecx				// TIMES
	jnz	write				// TIMES
	mov	$STATUS, %edi			// 1
	mov	$SYS_exit, %eax			// 1
	cmp	$256, %edi			// 1
	jb	2f				// 1
	ud2
2:	syscall					// 1

	.bss
	.balign	4096
lines:	.skip	SIZE

	.section .note.GNU-stack,"",@progbits
