// SPDX-License-Identifier: BSD-2-Clause
// A modulo-scheduled loop, counted by hand: LC 9 and EC 3 are 12 iterations of two bundles. p16 is
// true in the first 10, p17 in 2 to 11, p18 in 3 to 12: 10 loads, 10 stores, 10 nops of the second
// stage in addition to 2 in each iteration, 6 squashed ones. The branch is taken 11 times, and once
// not.
	.include "begin.inc"
	.include "monitor.inc"
	monitors_off
	alloc r4=ar.pfs,0,8,0,8

.macro body
	movl r10=0x180000
	movl r11=0x181000
	mov r5=9
	mov r6=3
	mov r7=1<<16;;
	mov ar.lc=r5
	mov pr=r7,-1
	mov.i ar.ec=r6;;
	start
1:
{ .mmi
(p16)	ld8 r32=[r10],8
(p18)	st8 [r11]=r34,8
(p17)	nop.i 0
}
{ .mib
	nop.m 0
	nop.i 0
	br.ctop.sptk.few 1b;;
}
	freeze
	clrrrb;;
.endm
	select 0x08, 0x30, 0x6C, 0x6D
	body
	counted 2 + 12*6 + 1, 10 + 2*12, 10, 10
	select 0x08, 0x31, 0x0D, 0x0D, 0x8400
	body
	counted 2 + 12*6 + 1, 6, 11, 1
	finish 0
