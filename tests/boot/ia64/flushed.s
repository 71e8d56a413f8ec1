// SPDX-License-Identifier: BSD-2-Clause
// FP_FLUSH_TO_ZERO (0BH), counted by hand: results below the smallest normal number of their format, if the ftz bit of
// the instruction's status field is set. A pair counts once (7.8). Field 1 flushes, field 0 does not. Both round to 64
// bits.
	.include "begin.inc"
	.include "monitor.inc"
	.include "vectors.inc"
	.equ UNDERFLOW, 1 << 4
	movl r2=vectors;;
	mov cr.iva=r2
	bsw.1;;
	ssm 1<<13;;			// PSR.ic
	srlz.i
	monitors_off
	cmp.eq p6,p7=r0,r0		// p7 is false
	fsetc.s1 0x7F,1
	movl r8=0x0010000000000000	// 2^-1022, the smallest normal double-precision number
	movl r9=0x3FE0000000000000	// 1/2
	movl r10=0x0080000000800000	// a pair of 2^-126, the smallest normal single-precision number
	movl r11=0x3F8000003F800000	// of 1
	movl r14=0x3F80000000800000	// of 1 and 2^-126
	movl r15=0x3F0000003F000000;;	// of 1/2
	setf.d f6=r8
	setf.d f7=r9
	setf.sig f10=r10
	setf.sig f11=r11
	setf.sig f12=r14
	setf.sig f13=r15;;

// 5 results are flushed: three numbers and two pairs.
.macro body
{ .mfi
	nop.m 0
	fma.d.s1 f8=f6,f7,f0		// 2^-1023: flushed
	nop.i 0;;
}
{ .mfi
	nop.m 0
	fma.d.s0 f8=f6,f7,f0		// a denormal number
	nop.i 0;;
}
{ .mfi
	nop.m 0
	fma.d.s1 f8=f6,f1,f0		// normal
	nop.i 0;;
}
{ .mfi
	nop.m 0
	fms.d.s1 f8=f6,f1,f6		// exactly 0
	nop.i 0;;
}
{ .mfi
	nop.m 0
	fma.s1 f8=f6,f7,f0		// normal with the exponent of field 1
	nop.i 0;;
}
{ .mfi
	nop.m 0
	fma.s.s1 f8=f6,f1,f0		// 2^-1022 in single precision: flushed
	nop.i 0;;
}
{ .mfi
	nop.m 0
(p7)	fma.d.s1 f8=f6,f7,f0
	nop.i 0;;
}
{ .mfi
	nop.m 0
	fpma.s1 f8=f10,f13,f0		// both of 2^-127: flushed
	nop.i 0;;
}
{ .mfi
	nop.m 0
	fpma.s1 f8=f12,f13,f0		// one of 2^-127: flushed
	nop.i 0;;
}
{ .mfi
	nop.m 0
	fpma.s1 f8=f11,f13,f0		// both of 1/2
	nop.i 0;;
}
{ .mfi
	nop.m 0
	fma.d.s1 f8=f6,f6,f0		// 2^-2044: flushed
	nop.i 0;;
}
.endm
	select 0x0B, 0x08, 0x0B, 0x31
	start
	body
	freeze
	counted 5, 3 * 11 + 3, 5, 1
	// Two results that the timed clock issues in one cycle.
	select 0x0B
	start
{ .mfi
	nop.m 0
	fma.d.s1 f8=f6,f7,f0
	nop.i 0
}
{ .mfi
	nop.m 0
	fma.d.s1 f9=f6,f7,f0
	nop.i 0;;
}
	freeze
	counted 2

	// With underflows enabled: field 2, which also flushes, keeps the result for the trap
	// handler, which continues after the bundle; field 1 has its own traps disabled.
	fsetc.s1 0x7F,0x41
	fsetc.s2 0x7F,1;;
	mov r8=ar.fpsr
	mov r9=UNDERFLOW;;
	andcm r8=r8,r9;;
	mov ar.fpsr=r8
	select 0x0B
	start
{ .mfi
	nop.m 0
	fma.d.s2 f8=f6,f7,f0
	nop.i 0;;
}
{ .mfi
	nop.m 0
	fma.d.s1 f8=f6,f7,f0
	nop.i 0;;
}
	freeze
	counted 1
	found 1, r24			// interruptions
	found 0x5D00, r16		// by floating-point traps
	finish 0
	table
