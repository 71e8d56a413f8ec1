// SPDX-License-Identifier: BSD-2-Clause
// Quotients in double precision from an approximation of the reciprocal, rounded as IEEE 754
// requires: 1/3 and 355/113. The status is the number of the wrong one.
	.include "begin.inc"
	alloc r33=ar.pfs,0,2,3,0
	movl r34=0x3FF0000000000000		// 1.0
	movl r35=0x4008000000000000;;	// 3.0
	br.call.sptk.many b0=divide;;
	movl r3=0x3FD5555555555555;;
	expect 1, r3, r8
	alloc r33=ar.pfs,0,2,3,0
	movl r34=0x4076300000000000		// 355.0
	movl r35=0x405C400000000000;;	// 113.0
	br.call.sptk.many b0=divide;;
	movl r3=0x400921FB78121FB8;;
	expect 2, r3, r8
	finish 0

divide:
	setf.d f6=r32
	setf.d f7=r33;;
	frcpa.s0 f8,p6=f6,f7;;
(p6)	fma.s1 f9=f6,f8,f0		// q
(p6)	fnma.s1 f10=f7,f8,f1;;		// e
(p6)	fma.s1 f9=f10,f9,f9
(p6)	fma.s1 f11=f10,f10,f0
(p6)	fma.s1 f8=f10,f8,f8;;
(p6)	fma.s1 f9=f11,f9,f9
(p6)	fma.s1 f10=f11,f11,f0
(p6)	fma.s1 f8=f11,f8,f8;;
(p6)	fma.d.s1 f9=f10,f9,f9
(p6)	fma.s1 f8=f10,f8,f8;;
(p6)	fnma.d.s1 f6=f7,f9,f6;;		// the remainder
(p6)	fma.d.s0 f8=f6,f8,f9;;
	getf.d r8=f8
	br.ret.sptk.many b0;;
