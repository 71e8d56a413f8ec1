// SPDX-License-Identifier: BSD-2-Clause
// One function causes all misses: 5 turns of 4,096 loads, 4 KB apart: 32 lines for each of 128 sets
// of the L3 cache, which has 16 ways. More than 200 instructions lie between two loads.

int workload(void);
char memory[16 << 20] __attribute__((aligned(4096)));
__asm__(".text\n"
	".global workload\n.type workload, @function\n"
	"workload:\n"
	"	mov	$5, %r8d\n"
	"1:	lea	memory(%rip), %rdi\n"
	"	mov	$4096, %ecx\n"
	"2:	call	misses\n"
	"	call	waits\n"
	"	add	$4096, %rdi\n"
	"	dec	%ecx\n"
	"	jnz	2b\n"
	"	dec	%r8d\n"
	"	jnz	1b\n"
	"	xor	%eax, %eax\n"
	"	ret\n"
	".size workload, . - workload\n"
	".global misses\n.type misses, @function\n"
	"misses:	mov	(%rdi), %rax\n"
	"	ret\n"
	".size misses, . - misses\n"
	".global waits\n.type waits, @function\n"
	"waits:	mov	$100, %eax\n"
	"3:	dec	%eax\n"
	"	jnz	3b\n"
	"	ret\n"
	".size waits, . - waits\n");
