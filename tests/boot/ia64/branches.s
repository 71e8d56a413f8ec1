// SPDX-License-Identifier: BSD-2-Clause
// Branches by slot, and the branch trace buffer's entries (6.2.8), by hand.
	.include "begin.inc"
	.include "monitor.inc"
	monitors_off
	cmp.eq p6,p7=r0,r0;;

// Bundles with branches: 10 iterations of a loop (9 taken, slot 2), a call in slot 1, its return in
// slot 2, a multiway bundle whose slot 1 is taken, and one without a taken branch. Taken by slot 0:
// 0, 1: 2, 2: 10; none taken: 2.
.macro body at
	mov r5=9;;
	mov ar.lc=r5;;
turn_\at:
{ .mib
	add r4=1,r4
	nop.i 0
	br.cloop.sptk.few turn_\at;;
}
call_\at:
{ .mbb
	nop.m 0
	br.call.sptk.few b1=callee
	nop.b 0;;
}
multiway_\at:
{ .mbb
	nop.m 0
(p6)	br.cond.sptk.few onward_\at
	br.cond.sptk.few _start;;
}
onward_\at:
{ .mbb
	nop.m 0
(p7)	br.cond.sptk.few _start
(p7)	br.cond.sptk.few _start;;
}
.endm

// Compares trace entries, without the bit for a wrong prediction.
.macro source pmd, bundle, slot
	mov r8=\pmd;;
	mov r8=pmd[r8];;
	and r8=-3,r8
	movl r9=\bundle;;
	add r9=1 | \slot<<2,r9
	number = number + 1;;
	expect number, r8, r9
.endm
.macro target pmd, bundle
	pmd_is \pmd, \bundle + 2
.endm

	select 0x0D, 0x0D, 0x0D, 0x0D, 0x8421
	start
	body 1
	freeze
	counted 0, 2, 10, 2
	select 0x0D, 0x0D, 0x11, 0x7F, 0xF6
	start
	body 2
	freeze
	counted 12, 14, 0		// nothing is traced

	// All branches at level 0 are traced (PMC12: all masks, all predictors). They leave 14
	// sources and 12 targets; the last 8 entries begin with the loop's last iteration, whose
	// branch is not taken. The 26th entry is in PMD9; PMD10 is the next one.
	put pmc, 12, 0xFF81
	put pmd, 16, 0
	select 0x11, 0x0D, 0x0D, 0x0D, 0xF000
	start
	body 3
	freeze
	counted 14, 0, 0, 14
	pmd_is 16, 8 | 2
	source 10, turn_3, 3
	source 11, call_3, 1
	target 12, callee
	source 13, callee, 2
	target 14, multiway_3
	source 15, multiway_3, 1
	target 8, onward_3
	source 9, onward_3, 3
	finish 0

callee:
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b1;;
}
