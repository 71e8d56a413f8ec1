// SPDX-License-Identifier: BSD-2-Clause
// Flushes of the pipeline for other reasons than a bypass, the DTC or a way (33H, table 7-32: a serialization of
// instructions), by hand: 3 srlz.i, and an rfi. A branch that is mispredicted is none.
	.include "begin.inc"
	.include "monitor.inc"
	cmp.eq p8,p9=r0,r0
	monitors_off
	movl r8=1f
	mov r9=psr
	movl r10=1<<44;;			// PSR.bn, which mov does not show
	or r9=r9,r10
	mov cr.iip=r8
	mov cr.ifs=r0;;
	mov cr.ipsr=r9

	select 0x33, 0x33, 0x10, 0x7F, 0x0EF1	// each reason; BRANCH_PREDICTOR.3RD_STAGE.WRONG_PATH
	start
	.rept 3
	srlz.i;;
	.endr
	rfi;;
	.balign 16
1:
{ .mib
	nop.m 0
	nop.i 0
(p8)	br.cond.spnt.few 2f;;
}
2:
	freeze
	counted 3 + 1, 3 + 1, 1
	finish 0
