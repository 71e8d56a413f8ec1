// SPDX-License-Identifier: BSD-2-Clause
// A light halt whose timer interrupts while TPR.mmi masks all external interrupts. ITC equals ITM
// for one cycle; after that nothing can end the halt, so it ends at once
// (hal/emu/ia64/DECISIONS.md).
	.include "begin.inc"
	.include "monitor.inc"
	monitors_off
	mov r2=0x50;;
	mov cr.itv=r2
	movl r2=1<<16;;
	mov cr.tpr=r2
	mov r4=ar.itc;;
	adds r5=8000,r4;;
	mov cr.itm=r5;;
	srlz.d
	mov r15=0x1001;;
	break.m 0x80001;;
	finish 0
