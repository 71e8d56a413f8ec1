// SPDX-License-Identifier: BSD-2-Clause
// PMD4 overflows at the 1,000th instruction after the one that clears PMC0.fr. The monitors freeze
// there, and the interrupt comes before the next instruction. 2 instructions are in the same
// bundle, 996 are 332 iterations of the loop, and 2 more: the interrupt comes at slot 2 of the
// loop's bundle, in iteration 333.
	.include "begin.inc"
	.include "handler.inc"
	sum 4
	movl r2=0x821			// plm 1 (level 0), oi, es 08H
	movl r7=(1<<32)-1000
	movl r8=vectors
	mov r9=0x40
	mov r3=4
	mov r4=0
	mov r5=999;;
	mov cr.iva=r8
	mov cr73=r9			// PMV
	mov pmc[r3]=r2;;
	mov pmd[r3]=r7
	mov ar.lc=r5
	ssm 1<<13 | 1<<14;;		// PSR.ic and PSR.i
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
	mov r10=1000;;
	expect 1, r4, r10		// the program has continued to its end
	bsw.0;;				// bank 0 has the handler's results
	movl r3=turn;;
	expect 2, r3, r16
	mov r3=2;;
	expect 3, r3, r17
	mov r3=333;;
	expect 4, r3, r18
	mov r3=0x11;;			// frozen, PMD4 has overflowed
	expect 5, r3, r19
	expect 6, r0, r20
	mov r3=0x40;;
	expect 7, r3, r21
	mov r3=1;;
	expect 8, r3, r22		// one interrupt
	finish 0

	overflow_handler 4
