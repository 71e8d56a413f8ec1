// SPDX-License-Identifier: BSD-2-Clause
// PSR.up turns counting on and off, for tests/unit/hal/test_ia64_observed.c. PSR.up is 1 at the
// start.
	.include "begin.inc"
	movl r10=0x180000
	mov r5=19;;
	mov ar.lc=r5
	alloc r4=ar.pfs,0,40,0,0;;
round:
	ld8 r14=[r10]
	ld8 r15=[r10];;
	rum 4
	add r16=r14,r15
	ld8 r14=[r10]
	adds r10=64,r10;;
	st8 [r10]=r14
	sum 4
	fpma f9=f1,f1,f1;;
{ .mfi
	ld8 r14=[r10]
	fma.d f6=f8,f8,f8
	nop.i 0
}
{ .mfi
	ld8 r15=[r10]
	fma.d f7=f8,f8,f8
	nop.i 0;;
}
	br.call.sptk.few b1=flush;;
	rum 4;;
	br.call.sptk.few b1=flush;;
	sum 4
	br.cloop.sptk.few round;;
	finish 0

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
