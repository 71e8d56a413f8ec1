// SPDX-License-Identifier: BSD-2-Clause
// FP_OPS_RETIRED_LO and _HI, counted by hand, with each observer. The weights of a cycle's
// operations are added. HI counts a quarter of the sum, LO the remainder (7.8). 100 iterations of
// two operations: one cycle of the timed clock, two of the unit clock.
	.include "begin.inc"
	.include "monitor.inc"
	.include "observers.inc"
	.set LO, 0x09
	.set HI, 0x0A
	monitors_off
	is_timed
	cmp.ne p10,p11=r0,r8
	fmerge.s f8=f1,f1;;		// an fma with f1 is an addition or multiplication of weight 1

// LO and HI of the loop with the timed clock, and with the unit clock.
.macro weighs function, timed_lo, timed_hi, lo, hi
	select LO, HI, LO, HI
	br.call.sptk.few b1=\function;;
	mov r8=4
	mov r9=5;;
	mov r20=pmd[r8]
	mov r21=pmd[r9]
	movl r8=(\timed_lo) * 1000 + \timed_hi
	movl r9=(\lo) * 1000 + \hi
	mov r22=1000;;
	setf.sig f10=r20
	setf.sig f11=r22
	setf.sig f12=r21;;
	xma.l f10=f10,f11,f12;;
	getf.sig r23=f10
(p11)	mov r8=r9;;
	expect_sum
.endm
// Each function's number is the status.
number = 0
.macro expect_sum
	number = number + 1
	expect number, r8, r23
.endm
.macro checks
	weighs fma_fma, 0, 100, 400, 0		// 2 + 2
	weighs fadd_fma, 300, 0, 300, 0		// 1 + 2
	weighs fma_fpma, 200, 100, 200, 100	// 2 + 4
	weighs fpma_fpma, 0, 200, 0, 200	// 4 + 4
	weighs fadd_fpma, 100, 100, 100, 100	// 1 + 4
.endm
	for_each_observer checks
	finish 0

.macro turns label, first:req, second:req
	.balign 64
\label:
	mov r5=99;;
	mov ar.lc=r5
	start
turn_\label:
{ .mfi
	nop.m 0
	\first
	nop.i 0
}
{ .mfi
	nop.m 0
	\second
	nop.i 0;;
}
{ .mib
	nop.m 0
	nop.i 0
	br.cloop.sptk.few turn_\label;;
}
	freeze
	br.ret.sptk.few b1;;
.endm
	turns fma_fma, "fma.s0 f6=f8,f8,f8", "fma.s0 f7=f8,f8,f8"
	turns fadd_fma, "fadd.s0 f6=f8,f8", "fma.s0 f7=f8,f8,f8"
	turns fma_fpma, "fma.s0 f6=f8,f8,f8", "fpma f7=f8,f8,f8"
	turns fpma_fpma, "fpma f6=f8,f8,f8", "fpma f7=f8,f8,f8"
	turns fadd_fpma, "fadd.s0 f6=f8,f8", "fpma f7=f8,f8,f8"
