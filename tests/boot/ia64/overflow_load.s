// SPDX-License-Identifier: BSD-2-Clause
// PMD6 overflows at the 1,000th load after the instruction that clears PMC0.fr: the second load of
// the loop's 500th iteration, in slot 1. The interrupt comes before slot 2.
	.include "begin.inc"
	.include "handler.inc"
	.include "monitor.inc"
	monitors_off
	movl r8=vectors
	mov r9=0x40
	movl r10=0x180000
	mov r4=0
	movl r5=9999;;
	mov cr.iva=r8
	mov cr73=r9			// PMV
	mov ar.lc=r5
	select 0x7F, 0x7F, 0x6C, 0x7F
	put pmc, 6, (0x21 | 0x6C << 8)	// oi
	put pmd, 6, (1 << 32) - 1000
	ssm 1<<13 | 1<<14;;
	start
turn:
{ .mmb
	ld8 r14=[r10]
	ld8 r15=[r10]
	nop.b 0;;
}
{ .mib
	add r4=1,r4
	nop.i 0
	br.cloop.sptk.many turn;;
}
	movl r9=10000;;
	expect 1, r4, r9
	bsw.0;;				// bank 0 has the handler's results
	movl r9=turn;;
	expect 2, r9, r16
	mov r9=2;;
	expect 3, r9, r17
	movl r9=499;;
	expect 4, r9, r18
	mov r9=0x41;;			// frozen, PMD6 has overflowed
	expect 5, r9, r19
	expect 6, r0, r20
	mov r9=1;;
	expect 7, r9, r22
	finish 0

	overflow_handler 6
