// SPDX-License-Identifier: BSD-2-Clause
// A workload in user mode that executes user_kinds TURNS times (the including file defines TURNS).
// Each turn is a call with its delay slot, and after it another instruction, a branch, which is
// taken except in the last turn, and another instruction. Five instructions surround the turns:
// four others and a taken branch.

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
