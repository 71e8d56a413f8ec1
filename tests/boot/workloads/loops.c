// SPDX-License-Identifier: BSD-2-Clause
// A loop of 37 iterations, ROUNDS times, in the form of the guide's example ("Loop Tripcounts"): ax
// goes from 1 to 37, and its comparison with cx, which holds 37, ends the loop. An iteration has
// three instructions, and a round four more. The loop's last branch is mispredicted in each round:
// the history of 18 outcomes (nehalem.machine) is shorter than the loop.

#define ROUNDS	"10000"

__asm__(".text\n"
	".globl workload\n"
	".type workload, @function\n"
	"workload:\n"
	"	mov	$" ROUNDS ", %edx\n"
	"1:	mov	$37, %ecx\n"
	"	xor	%eax, %eax\n"
	"2:	inc	%eax\n"
	"	cmp	%ecx, %eax\n"
	"	jne	2b\n"
	"	dec	%edx\n"
	"	jnz	1b\n"
	"	xor	%eax, %eax\n"
	"	ret\n"
	".size workload, . - workload\n");
