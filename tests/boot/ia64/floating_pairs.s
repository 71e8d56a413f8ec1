// SPDX-License-Identifier: BSD-2-Clause
// Floating point on pairs of single-precision numbers. Values are those of IEEE 754; the
// approximations are entries 0 and 128 of the reciprocal table, round(2048 / (1 + (2i + 1) / 512)),
// that is, 2044 and 1364 of 2048. The status is the number of the first wrong value.
	.include "begin.inc"

.macro operand f, bits
	movl r9=\bits;;
	setf.sig \f=r9;;
.endm

.macro halves value, instruction:vararg
	\instruction;;
	getf.sig r8=f8
	is r8, \value
.endm

	operand f6, 0x4000000040400000		// 2, 3
	operand f7, 0x4080000040A00000		// 4, 5
	operand f9, 0x3F8000003F800000		// 1, 1
	halves 0x4110000041800000, fpma f8=f6,f7,f9
	halves 0x40E0000041600000, fpms f8=f6,f7,f9
	halves 0xC0E00000C1600000, fpnma f8=f6,f7,f9
	halves 0x4100000041700000, fpmpy f8=f6,f7
	halves 0x3EFF80003EAA8000, fprcpa f8,p8=f9,f6
	mov r8=0;;
(p8)	mov r8=1;;
	mov r9=1;;
	expect 200, r8, r9
	operand f6, 0x3F8000007F000000		// 1, 2^127: its reciprocal is below single precision, and becomes 0
	halves 0x3F7F800000000000, fprcpa f8,p8=f9,f6
	mov r8=0;;
(p8)	mov r8=1
	mov r9=0;;
	expect 201, r8, r9
	operand f6, 0x000000003F800000		// 0, 1: a root's reciprocal is infinite
	halves 0x7F8000003F7F8000, fprsqrta f8,p8=f6
	mov r8=0;;
(p8)	mov r8=1
	mov r9=0;;
	expect 202, r8, r9
	operand f6, 0x40000000C0400000		// 2, -3
	operand f7, 0x40800000C0A00000		// 4, -5
	halves 0x40000000C0A00000, fpmin f8=f6,f7
	halves 0x40800000C0400000, fpmax f8=f6,f7
	halves 0x40000000C0400000, fpamin f8=f6,f7
	halves 0x40800000C0A00000, fpamax f8=f6,f7
	halves 0xFFFFFFFF00000000, fpcmp.lt f8=f6,f7
	halves 0x00000000FFFFFFFF, fpcmp.nlt f8=f6,f7
	halves 0x0000000000000000, fpcmp.eq f8=f6,f7
	halves 0xFFFFFFFFFFFFFFFF, fpcmp.neq f8=f6,f7
	halves 0xFFFFFFFFFFFFFFFF, fpcmp.le f8=f6,f6
	halves 0x0000000000000000, fpcmp.unord f8=f6,f6
	halves 0x40800000C0A00000, fpmerge.s f8=f6,f7
	halves 0xC080000040A00000, fpmerge.ns f8=f6,f7
	halves 0x40000000C0200000, fpmerge.se f8=f6,f7
	halves 0xC000000040400000, fpneg f8=f6
	operand f6, 0x40200000C0600000		// 2.5, -3.5
	operand f7, 0x7FC000003F800000		// a NaN, 1
	halves 0x00000002FFFFFFFD, fpcvt.fx.trunc f8=f6
	halves 0x00000002FFFFFFFC, fpcvt.fx f8=f6
	halves 0x0000000280000000, fpcvt.fxu.trunc f8=f6
	halves 0xFFFFFFFF00000000, fpcmp.unord f8=f6,f7
	halves 0x00000000FFFFFFFF, fpcmp.ord f8=f6,f7
	halves 0xFFFFFFFF00000000, fpcmp.nle f8=f6,f7
	finish 0
