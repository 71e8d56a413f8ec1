// SPDX-License-Identifier: BSD-2-Clause
// The register stack engine in a recursion of 8 frames of 20 registers, counted by hand. It spills only
// the registers that do not fit into 96 (hal/emu/ia64/DECISIONS.md): the fifth frame spills 4, and the
// next three 20 each. These are 64 registers, and a collection of NaT bits after the 63rd, because the
// backing store begins at 300000H. On the way back the fourth frame lacks 4 registers, and the three
// below it lack all of theirs: the same 65 words are loaded.
	.include "begin.inc"
	.include "monitor.inc"
	monitors_off

.macro body
	mov r20=8
	movl r2=0x300000
	flushrs;;
	mov ar.bspstore=r2;;
	start
{ .mib
	nop.m 0
	nop.i 0
	br.call.sptk.few b0=frame;;
}
	freeze
.endm
	select 0x72, 0x65, 0x6C, 0x6D
	body
	counted 65, 130, 65, 65
	select 0x08, 0x12, 0x63, 0x0D, 0x4000	// each reference takes a cycle; 8 calls, 8 returns, a branch in the last
	body
	is r20, 0
	pmd_is 6, 130
	pmd_is 7, 8 + 8 + 1
	mov r8=4
	mov r9=5;;
	mov r8=pmd[r8]
	mov r9=pmd[r9];;
	sub r8=r9,r8;;
	is r8, 130
	finish 0

frame:
	alloc r32=ar.pfs,0,20,0,0
	mov r33=b0
	adds r20=-1,r20;;
	cmp.eq p6,p7=0,r20
{ .mib
	nop.m 0
	nop.i 0
(p6)	br.cond.sptk.few 1f;;
}
{ .mib
	nop.m 0
	nop.i 0
	br.call.sptk.few b0=frame;;
}
1:	mov ar.pfs=r32
	mov b0=r33;;
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b0;;
}
