// SPDX-License-Identifier: BSD-2-Clause
// A light halt until the interval timer's interrupt is pending, which PSR.i masks. ITC reaches ITM,
// and the monitors count only the nine instructions around the halt.
	.include "begin.inc"
	.include "monitor.inc"
	monitors_off
	mov r2=0x50;;
	mov cr.itv=r2
	select 0x12, 0x08
	mov r4=ar.itc;;
	adds r5=8000,r4;;
	mov cr.itm=r5;;
	srlz.d
	start
{ .mii
	mov r15=0x1001
	nop.i 0
	nop.i 0;;
}
{ .mii
	break.m 0x80001
	nop.i 0
	nop.i 0;;
}
	freeze
	mov r6=ar.itc;;
	counted 9, 9
	cmp.geu p6,p7=r6,r5
	mov r8=0;;
(p6)	mov r8=1;;
	is r8, 1			// 5: ITM has been reached
	mov r8=cr.irr1;;
	is r8, 1<<(0x50-64)
	finish 0
