// SPDX-License-Identifier: BSD-2-Clause
// Floating point other than arithmetic: memory formats, conversions, comparisons, classes, merges,
// integer multiplication, special operands of approximations, flags. Values are those of IEEE 754,
// and of the Architecture Software Developer's Manual, volume 1, tables 5-2 and 5-3 (registers).
// The status is the number of the first check that fails.
	.include "begin.inc"

.macro real f, bits
	movl r9=\bits;;
	setf.d \f=r9;;
.endm

	// 1.5 in a register: exponent FFFFH, significand C000000000000000H.
	real f6, 0x3FF8000000000000
	getf.exp r8=f6
	is r8, 0xFFFF
	getf.sig r8=f6
	is r8, 0xC000000000000000
	getf.s r8=f6
	is r8, 0x3FC00000
	movl r20=place;;
	stfe [r20]=f6;;
	ld8 r8=[r20],8;;
	is r8, 0xC000000000000000
	ld2 r8=[r20],-8;;
	is r8, 0x3FFF
	ldfe f7=[r20];;
	getf.d r8=f7
	is r8, 0x3FF8000000000000
	stfs [r20]=f6;;
	ldfs f7=[r20];;
	getf.d r8=f7
	is r8, 0x3FF8000000000000
	stf.spill [r20]=f6;;
	ldf.fill f7=[r20];;
	getf.d r8=f7
	is r8, 0x3FF8000000000000
	movl r21=pair;;
	ldfpd f8,f9=[r21],16;;
	getf.d r8=f8
	is r8, 0x4000000000000000
	getf.d r8=f9
	is r8, 0x4008000000000000
	movl r9=pair+16;;
	expect 200, r21, r9
	ldf8 f8=[r21];;
	fcvt.xf f8=f8;;			// -7
	getf.d r8=f8
	is r8, 0xC01C000000000000
	fcvt.fx.trunc f9=f6;;
	getf.sig r8=f9
	is r8, 1
	fcvt.fx f9=f6;;			// 1.5 to even
	getf.sig r8=f9
	is r8, 2
	fcvt.fxu f9=f8;;		// -7 has no unsigned value
	getf.sig r8=f9
	is r8, 0x8000000000000000

	fcmp.lt p8,p9=f8,f6;;
	mov r8=0;;
(p8)	mov r8=1;;
	is r8, 1
	movl r9=0x7FF8000000000000;;
	setf.d f10=r9;;
	fcmp.eq p8,p9=f10,f10;;		// a NaN equals nothing
	mov r8=0;;
(p9)	mov r8=1;;
	is r8, 1
	fcmp.unord p8,p9=f10,f6;;
	mov r8=0;;
(p8)	mov r8=1;;
	is r8, 1
	fclass.m p8,p9=f10,@qnan;;
	mov r8=0;;
(p8)	mov r8=1;;
	is r8, 1
	fclass.m p8,p9=f8,@neg|@norm;;
	mov r8=0;;
(p8)	mov r8=1;;
	is r8, 1
	fclass.m p8,p9=f0,@zero|@pos;;
	mov r8=0;;
(p8)	mov r8=1;;
	is r8, 1

	fneg f9=f6;;
	getf.d r8=f9
	is r8, 0xBFF8000000000000
	fabs f9=f8;;
	getf.d r8=f9
	is r8, 0x401C000000000000
	fmin f9=f8,f6;;
	getf.d r8=f9
	is r8, 0xC01C000000000000
	famax f9=f8,f6;;
	getf.d r8=f9
	is r8, 0xC01C000000000000

	fmpy f9=f8,f0;;			// -7 * 0
	getf.d r8=f9
	is r8, 0x8000000000000000
	fma f9=f8,f0,f0;;
	getf.d r8=f9
	is r8, 0x8000000000000000
	fms f9=f8,f1,f8;;		// -7 + 7
	getf.d r8=f9
	is r8, 0

	// 2^63 + 3 times 5 plus 1.
	movl r10=0x8000000000000003
	mov r11=5
	mov r12=1;;
	setf.sig f11=r10
	setf.sig f12=r11
	setf.sig f13=r12;;
	xma.l f14=f11,f12,f13;;
	getf.sig r8=f14
	is r8, 0x8000000000000010
	xma.hu f14=f11,f12,f13;;
	getf.sig r8=f14
	is r8, 2
	xma.h f14=f11,f12,f13;;		// signed: -2^63 + 3
	getf.sig r8=f14
	is r8, 0xFFFFFFFFFFFFFFFD

	// 1 / 0: infinity, no iteration, and the flag Z of field 0, whose flags are FPSR's bits 18:13: V, D, Z, O, U, I.
	fclrf.s0;;
	frcpa.s0 f9,p8=f1,f0;;
	getf.d r8=f9
	is r8, 0x7FF0000000000000
	mov r8=0;;
(p8)	mov r8=1;;
	is r8, 0
	mov.m r8=ar.fpsr;;
	extr.u r8=r8,13,6
	is r8, 0x04
	fclrf.s0;;
	mov.m r8=ar.fpsr;;
	extr.u r8=r8,13,6
	is r8, 0
	frsqrta.s0 f9,p8=f8;;		// the root of -7 is invalid
	fclass.m p8,p9=f9,@qnan;;
	mov r8=0;;
(p8)	mov r8=1;;
	is r8, 1
	fadd.s.s0 f9=f6,f0;;
	mov.m r8=ar.fpsr;;
	extr.u r8=r8,13,6
	is r8, 0x01
	finish 0

	.data
	.balign 16
place:	data8 0, 0
pair:	data8 0x4000000000000000, 0x4008000000000000, -7
