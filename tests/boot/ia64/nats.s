// SPDX-License-Identifier: BSD-2-Clause
// NaT bits of locals come back from the backing store's collections: of 100 frames each odd one
// keeps a NaT. The status is the number of a frame with a wrong one.
	.include "begin.inc"
	alloc r33=ar.pfs,0,2,1,0
	mov r34=100;;
	br.call.sptk.many b0=descend;;
	expect 1, r8, r0
	finish 0

descend:
	alloc r33=ar.pfs,1,4,1,0	// 63 is not a multiple of the 5 registers kept per frame
	mov r34=b0
	cmp.eq p8,p9=0,r32;;
(p8)	mov r8=0
(p8)	br.ret.sptk.many b0;;
	tbit.nz p10,p11=r32,0
	movl r3=0x7000000000000000;;
(p10)	ld8.s r35=[r3]		// no memory: a NaT
(p11)	mov r35=r32
	add r37=-1,r32
	br.call.sptk.many b0=descend;;
	tbit.nz p10,p11=r32,0;;
(p10)	tnat.z.unc p14,p0=r35
(p11)	tnat.nz.unc p15,p0=r35;;
(p14)	mov r8=r32
(p15)	mov r8=r32;;
(p11)	cmp.ne.unc p15,p0=r35,r32;;
(p15)	mov r8=r32
	mov ar.pfs=r33
	mov b0=r34;;
	br.ret.sptk.many b0;;
