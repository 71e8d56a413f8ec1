// SPDX-License-Identifier: BSD-2-Clause
// A workload in user mode that executes user_kinds TURNS times (whoever includes this file says how often). Each time
// is a call, with its delay slot, and behind it three instructions: another, a branch, which is taken but for the last
// time, another. Around that are five: four others and a taken branch.

#include "sparct4-kinds.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

int workload(void);

__asm__(
"	.text\n"
"	.global	workload\n"
"workload:\n"
"	mov	%o7, %o5\n"
"	sethi	%hi(" TEXT(TURNS) "), %o1\n"
"	or	%o1, %lo(" TEXT(TURNS) "), %o1\n"
"1:	call	user_kinds\n"
"	nop\n"
"	subcc	%o1, 1, %o1\n"
"	bne,pt	%xcc, 1b\n"
"	nop\n"
"	jmpl	%o5 + 8, %g0\n"
"	clr	%o0\n");
