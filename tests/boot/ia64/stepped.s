// SPDX-License-Identifier: BSD-2-Clause
// Recursion deeper than the register stack, with an interruption after each instruction (PSR.ss).
// The handler covers the frame, flushes the register stack, and overwrites all 96 registers; rfi
// fills the frame from memory. The results are those of the recursion alone: the 10th Fibonacci
// number, and NaTs of the odd ones of 100 frames.
	.include "begin.inc"
	movl r2=vectors
	movl r3=begin
	movl r4=1<<40 | 1<<44 | 1<<13;;		// PSR.ss, bn, ic
	mov cr.iva=r2
	mov cr.iip=r3
	mov cr.ipsr=r4
	mov cr.ifs=r0;;
	rfi;;

	.balign 16
begin:
	alloc r33=ar.pfs,0,2,1,0
	mov r34=10;;
	br.call.sptk.many b0=fibonacci;;
	mov r10=r8
	mov r34=100;;
	br.call.sptk.many b0=descend;;
	mov r11=r8;;
	.balign 16
end:
	expect 1, r11, r0
	mov r3=55;;
	expect 2, r3, r10
	bsw.0;;
	mov r3=5000;;
	cmp.ltu p6,p7=r3,r31;;		// at least this number of steps
(p6)	br.cond.sptk.few enough;;
	finish 3
enough:
	finish 0

fibonacci:
	alloc r33=ar.pfs,1,3,1,0
	mov r34=b0
	cmp.gt p8,p9=2,r32;;
(p8)	mov r8=r32
(p8)	br.cond.sptk.few return;;
	add r36=-1,r32
	br.call.sptk.many b0=fibonacci;;
	mov r35=r8
	add r36=-2,r32
	br.call.sptk.many b0=fibonacci;;
	add r8=r8,r35
return:
	mov ar.pfs=r33
	mov b0=r34;;
	br.ret.sptk.many b0;;

descend:
	alloc r33=ar.pfs,1,4,1,0	// 63 is not a multiple of the 5 registers kept per frame
	mov r34=b0
	cmp.eq p8,p9=0,r32;;
(p8)	mov r8=0
(p8)	br.ret.sptk.many b0;;
	tbit.nz p10,p11=r32,0
	movl r3=0x7000000000000000;;
(p10)	ld8.s r35=[r3]			// no memory: a NaT
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

	.section .vectors,"ax"
	.balign 0x8000
vectors:
	.skip 0x6000			// single step
	br.cond.sptk.few step;;
	.org 0x7000
step:
	cover;;
	flushrs;;
	mov r16=ar.bspstore
	mov r17=ar.rnat
	mov r18=pr
	movl r19=0x380000;;
	mov ar.bspstore=r19
	alloc r20=ar.pfs,0,96,0,0
	mov r21=-1;;
	.irp tens, 3, 4, 5, 6, 7, 8, 9, 10, 11
	.irp ones, 2, 3, 4, 5, 6, 7, 8, 9
	mov r\tens\ones=r21
	.endr
	.endr
	.irp tens, 4, 5, 6, 7, 8, 9, 10, 11, 12
	mov r\tens\()0=r21
	mov r\tens\()1=r21
	.endr
	.irp register, r122, r123, r124, r125, r126, r127
	mov \register=r21
	.endr
	;;
	alloc r20=ar.pfs,0,0,0,0;;
	mov ar.bspstore=r16;;
	mov ar.rnat=r17
	add r31=1,r31
	mov r22=cr.iip
	mov r23=cr.ipsr
	movl r24=end;;
	cmp.eq p6,p7=r22,r24;;
(p6)	dep r23=0,r23,40,1;;
(p6)	mov cr.ipsr=r23
	mov pr=r18,-1;;
	srlz.i
	rfi;;
