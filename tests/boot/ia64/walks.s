// SPDX-License-Identifier: BSD-2-Clause
// Duration of page walks with the timed clock: the latency of the walker's read of the table's
// entry, which is in L2 when a block runs for the second time (6 cycles,
// hal/emu/model/merced.machine). Each block purges the translation first.
	.include "begin.inc"
	.include "monitor.inc"
	.include "timed.inc"
	.include "vectors.inc"
	.include "translate.inc"
	walker_table 16, 8		// page 8 is `callee`
	ptc.e r0
	ssm 1<<17;;
	srlz.i
	monitors_off
	mov r20=r0
	movl r21=(4<<61) + 0x3000
	mov r22=SIZE_4K;;

	// A load that hits L1D takes 2 cycles, and its use waits 1; the walk adds 6.
	classes data, 1+1, 2, 1+6, 0, 0, 1+6, 0

	// Code that is in L1I: the fetch waits for the walker.
	translate_code
	movl r14=callee
	movl r21=(4<<61) + 0x8000;;
	dep r14=r14,r21,0,12;;
	mov b6=r14
	twice code, 0x01, 0x28, 0x27, 0x7F
	counted 6, 1, 1
	finish 0

	.balign 64
data:
	ptc.l r21,r22;;
	srlz.d;;
	start
{ .mii
	ld8 r14=[r21]
	nop.i 0
	nop.i 0;;
}
{ .mii
	add r15=r14,r14
	nop.i 0
	nop.i 0;;
}
	end
	.balign 64
code:
	ptc.l r21,r22;;
	srlz.i;;
	start
{ .mib
	nop.m 0
	nop.i 0
	br.call.sptk.few b2=b6;;
}
	end

	.balign 4096
callee:
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b2;;
}
	table
