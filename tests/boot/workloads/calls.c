// SPDX-License-Identifier: BSD-2-Clause
// Calls that are sampled. The last instruction of `caller` is a call of `callee`. `callee` directly
// follows a function that is never executed, `before`, and returns to the caller's caller. Each
// round has six instructions: the calls in `workload` and `caller`, two in `callee`, two more in
// `workload`. The shares of instructions are 3/6 in workload, 1/6 in caller, 2/6 in callee; they
// also hold for the next instructions.

__asm__(".text\n"
	".globl workload, caller, before, callee\n"
	".type workload, @function\n"
	".type caller, @function\n"
	".type before, @function\n"
	".type callee, @function\n"
	"workload:\n"
	"mov	$20000, %ecx\n"
	"1: call caller\n"
	"dec	%ecx\n"
	"jnz	1b\n"
	"xor	%eax, %eax\n"
	"ret\n"
	".size workload, . - workload\n"
	"caller:\n"
	"call	callee\n"
	".size caller, . - caller\n"
	"before:\n"
	"ud2\n"
	".size before, . - before\n"
	"callee:\n"
	"lea	8(%rsp), %rsp\n"
	"ret\n"
	".size callee, . - callee\n");
