// SPDX-License-Identifier: BSD-2-Clause
// Code of one known length at level 3, the same on each thread: with n = 1,000,000, 2 n + 3
// instructions, plus the call and the INT around it: 2 n + 5.

__asm__(".text\n"
	".global workload\n"
	".type workload, @function\n"
	"workload:\n"
	"mov	$1000000, %ecx\n"
	"1: sub	$1, %ecx\n"
	"jnz	1b\n"
	"xor	%eax, %eax\n"
	"ret\n"
	".size workload, . - workload\n");
