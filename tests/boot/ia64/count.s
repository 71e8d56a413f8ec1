// SPDX-License-Identifier: BSD-2-Clause
// PMD4 counts IA64_INST_RETIRED (code 08H) at level 0, from the instruction after the one that
// clears PMC0.fr to the one that sets it: 2 in the same bundle, 1,000 iterations of 3, and 2, the
// last of which is the write.
	.include "begin.inc"
	sum 4				// PSR.up: user monitors count
	movl r2=0x801			// plm 1 (level 0), es 08H
	mov r3=4
	mov r5=999;;
	mov pmc[r3]=r2;;
	mov pmd[r3]=r0
	mov ar.lc=r5;;
{ .mmi
	mov pmc[r0]=r0;;
	srlz.d
	nop.i 0;;
}
turn:
{ .mib
	add r4=1,r4
	nop.i 0
	br.cloop.sptk.many turn;;
}
{ .mmi
	mov r6=1;;
	mov pmc[r0]=r6
	nop.i 0;;
}
	srlz.d;;
	mov r8=pmd[r3]
	mov r3=2+1000*3+2;;
	expect 1, r3, r8
	finish 0
