// SPDX-License-Identifier: BSD-2-Clause
// Predictions of branches, by hand from the rules of hal/emu/ia64/predictor.c. Unit masks of
// BRANCH_PREDICTOR (10H): stage in bits 3:2; 1 correct, 2 wrong path, 3 wrong target in bits 1:0.
	.include "begin.inc"
	.include "monitor.inc"
	monitors_off

.macro loop whether
	mov r5=99;;
	mov ar.lc=r5
	start
1:
{ .mib
	nop.m 0
	nop.i 0
	br.cloop.\whether\().many 1b;;
}
	freeze
.endm

	// Static hints: the third stage predicts all 100 iterations taken; the last one is not.
	select 0x10, 0x10, 0x10, 0x0F, 0xCEDC
	loop sptk
	counted 100, 99, 1, 1
	select 0x10, 0x10, 0x10, 0x0F, 0xDEDC
	loop spnt
	counted 100, 1, 99, 99

	// Dynamic hints: the first iteration finds no entry and follows its hint; then the tables
	// predict it, in the second stage.
	select 0x10, 0x10, 0x10, 0x10, 0xA9DC
	loop dptk
	counted 1, 1, 98, 1

	// A target address register predicts taken, in the first stage. In the last iteration the
	// loop predictor overrides it in the third stage; that is a hit of the register, too.
	mov r5=99;;
	mov ar.lc=r5
	brp.sptk.imp announced,branch
	select 0x10, 0x10, 0x10, 0x0F, 0xED54
	brp.sptk.imp announced,branch
	start
	brp.sptk.imp announced,branch;;
announced:
	nop.m 0;;
branch:
{ .mib
	nop.m 0
	nop.i 0
	br.cloop.sptk.many announced;;
}
	freeze
	counted 100, 99, 1, 1

	// Taken in every second iteration: each of the histories 1111, 1101 and 0101 is wrong once,
	// as counters begin at "taken".
.macro alternate
	mov r5=99;;
	mov ar.lc=r5
	cmp.ne p8,p9=r0,r0
	start
2:
{ .mmi
	nop.m 0
	cmp.eq p8,p9=r6,r0
	sub r6=1,r6;;
}
{ .mib
	nop.m 0
	nop.i 0
(p8)	br.cond.dptk.few 3f;;
}
3:
{ .mib
	nop.m 0
	nop.i 0
	br.cloop.sptk.few 2b;;
}
	freeze
.endm
	mov r6=0
	select 0x0F, 0x0F, 0x0F, 0x0F, 0xA89B
	alternate
	counted 49, 0, 3, 47

	// Calls and returns: the stack of return addresses is right, unless the program returns
	// elsewhere.
	select 0x10, 0x10, 0x10, 0x0D, 0x4FDC
	mov r5=9;;
	mov ar.lc=r5
	start
4:
{ .mib
	nop.m 0
	nop.i 0
	br.call.sptk.few b1=function;;
}
{ .mib
	nop.m 0
	nop.i 0
	br.cloop.sptk.few 4b;;
}
	freeze
	counted 30, 29, 0, 29
	select 0x10, 0x10, 0x10, 0x0F, 0xFFDC
	start
{ .mib
	nop.m 0
	nop.i 0
	br.call.sptk.few b1=elsewhere;;
}
	nop.m 1;;
	nop.m 2;;
arrived:
	freeze
	counted 2, 1, 1, 2

	// A bundle of several branches is one prediction, and raises an event of its own (0EH).
	mov r5=9;;
	mov ar.lc=r5
	select 0x0E, 0x0E, 0x10, 0x0E, 0x91D0
	start
5:
{ .mbb
	cmp.ne p8,p9=r0,r0
	br.cond.spnt.few 6f
	nop.b 0;;
}
6:
{ .mbb
	nop.m 0
(p8)	br.cond.spnt.few _start
	br.cloop.sptk.few 5b;;
}
	freeze
	counted 20, 9, 9, 0
	finish 0

function:
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b1;;
}
elsewhere:
	movl r9=arrived;;
	mov b1=r9;;
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b1;;
}
