// SPDX-License-Identifier: BSD-2-Clause
// The register stack engine, for tests/unit/hal/test_ia64_observed.c: calls deeper than the stack,
// flushrs, loadrs, frames that br.ret and rfi leave incomplete. The program does not access the
// performance monitor.
	.include "begin.inc"
	movl r2=vectors;;
	mov cr.iva=r2
	bsw.1;;
	ssm 1<<13;;			// PSR.ic
	srlz.i;;
	alloc r33=ar.pfs,0,40,1,0;;

	// 40 registers are spilled, and filled when the call returns.
	br.call.sptk.few b1=flush;;
	br.call.sptk.few b1=flush;;

	// A recursion that spills and fills frame by frame; stores and loads between them.
	mov r72=8;;
	br.call.sptk.many b0=fibonacci;;
	mov r72=12;;
	br.call.sptk.many b0=descend;;

	// loadrs fills the registers that flushrs has spilled: 20.
	br.call.sptk.few b1=load;;

	// The handler spills the frame; rfi leaves it incomplete. At level 0, from each slot, then at level 3.
	.rept 3
{ .mmi
	break.m 1
	nop.m 0
	nop.i 0;;
}
{ .mii
	nop.m 0
	break.i 1
	nop.i 0;;
}
{ .mib
	nop.m 0
	nop.i 0
	break.b 1;;
}
	.endr
	movl r9=level_3
	movl r8=3<<62 | 40<<7 | 41;;
	mov b2=r9
	br.call.sptk.few b1=lower;;
	.balign 16
level_3:
	br.call.sptk.few b1=flush;;
{ .mmi
	break.m 1
	nop.m 0
	nop.i 0;;
}
	epc;;
	finish 0

// Returns to level 3 with the caller's frame, which is in memory only.
lower:
	flushrs
	mov ar.pfs=r8;;
	br.ret.sptk.few b2;;

flush:
{ .mib
	flushrs
	nop.i 0
	nop.b 0;;
}
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b1;;
}

load:
	flushrs
	mov r8=ar.rsc
	movl r9=160<<16;;
	or r9=r8,r9;;
	mov ar.rsc=r9;;
	loadrs;;
	mov ar.rsc=r8;;
	br.ret.sptk.few b1;;

fibonacci:
	alloc r33=ar.pfs,1,9,1,0
	mov r34=b0
	cmp.gt p8,p9=2,r32;;
(p8)	mov r8=r32
(p8)	br.cond.sptk.few return;;
	add r42=-1,r32
	br.call.sptk.many b0=fibonacci;;
	mov r35=r8
	add r42=-2,r32
	br.call.sptk.many b0=fibonacci;;
	add r8=r8,r35
return:
	mov ar.pfs=r33
	mov b0=r34;;
	br.ret.sptk.many b0;;

descend:
	alloc r33=ar.pfs,1,19,1,0
	mov r34=b0
	adds r12=-16,r12
	cmp.eq p8,p9=0,r32;;
	st8 [r12]=r32
	add r52=-1,r32
(p9)	br.call.sptk.many b0=descend;;
	ld8 r8=[r12],16
	mov ar.pfs=r33
	mov b0=r34;;
	br.ret.sptk.many b0;;

	.section .vectors,"ax"
	.balign 0x8000
vectors:
	.skip 0x2C00			// break
	cover
	mov r16=cr.iip
	mov r17=cr.ipsr;;
	flushrs
	add r16=16,r16
	dep r17=0,r17,41,2;;		// the next bundle's first slot
	mov cr.iip=r16
	mov cr.ipsr=r17;;
	srlz.i
	rfi;;
