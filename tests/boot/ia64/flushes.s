// SPDX-License-Identifier: BSD-2-Clause
// Flushes of the pipeline by an exception or by serialization of instructions (33H, table 7-32),
// not by a bypass, the DTC or a way; by hand: 3 srlz.i; a break, and the srlz.i and rfi of its
// handler. A mispredicted branch is none.
	.include "begin.inc"
	.include "monitor.inc"
	.include "vectors.inc"
	movl r2=vectors;;
	mov cr.iva=r2
	bsw.1;;
	ssm 1<<13;;				// PSR.ic
	srlz.i
	cmp.eq p8,p9=r0,r0
	monitors_off

	select 0x33, 0x33, 0x10, 0x7F, 0x0EF1	// each reason; BRANCH_PREDICTOR.3RD_STAGE.WRONG_PATH
	start
	.rept 3
	srlz.i;;
	.endr
{ .mmi
	break.m 1
	nop.m 0
	nop.i 0;;
}
{ .mib
	nop.m 0
	nop.i 0
(p8)	br.cond.spnt.few 2f;;
}
2:
	freeze
	counted 3 + 3, 3 + 3, 1
	finish 0
	table
