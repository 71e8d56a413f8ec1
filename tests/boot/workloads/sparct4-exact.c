// SPDX-License-Identifier: BSD-2-Clause
// A workload in user mode whose instructions can be counted by reading it: a loop of three
// instructions, including the delay slot of its branch, TURNS times (the including file defines
// TURNS), and four around it.

#include <stdint.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

int workload(void);

__asm__(
"	.text\n"
"	.balign	32\n"
"	.global	workload\n"
"workload:\n"
"	sethi	%hi(" TEXT(TURNS) "), %o1\n"
"	or	%o1, %lo(" TEXT(TURNS) "), %o1\n"
"1:	subcc	%o1, 1, %o1\n"
"	bne,pt	%xcc, 1b\n"
"	clr	%o0\n"
"	retl\n"
"	nop\n");
