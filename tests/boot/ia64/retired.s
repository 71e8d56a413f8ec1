// SPDX-License-Identifier: BSD-2-Clause
// Instructions by kind, counted by hand. A predicated-off instruction retires; one in a B slot is not squashed.
	.include "begin.inc"
	.include "monitor.inc"
	monitors_off
	cmp.eq p6,p7=r0,r0;;		// p7 is false

// 14 bundles of three instructions, the one with a long instruction of two: 41. Nops: nop.m 2,
// nop.i 3, nop.b 1; squashed: nop.i, ld8, the add next to the long one, nop.f, fma. Comments give
// the weights of floating-point operations.
.macro body
{ .mii
	nop.m 0
	nop.i 0
	nop.i 1;;
}
{ .mfi
	nop.m 1
	nop.f 0
(p7)	nop.i 2;;
}
{ .mfb
	add r9=1,r0
	nop.f 1
	nop.b 0;;
}
{ .mbb
(p7)	ld8 r9=[r0]
(p7)	nop.b 1
(p7)	br.cond.sptk.few _start;;
}
{ .mlx
(p7)	add r9=1,r0
	movl r16=0x123456789ABCDEF;;
}
{ .mfi
	add r9=2,r0
(p7)	nop.f 2
	nop.i 3;;
}
{ .mfi
	add r9=3,r0
	fadd.d f6=f1,f1			// 1
	add r16=4,r0;;
}
{ .mfi
	add r9=5,r0
	fma.d f7=f6,f6,f6		// 2
	add r16=6,r0;;
}
{ .mfi
	add r9=7,r0
	fpma f8=f6,f6,f6		// 4
	add r16=8,r0;;
}
{ .mfi
	add r9=9,r0
	fmpy f9=f6,f6			// 1
	add r16=10,r0;;
}
{ .mfi
	add r9=11,r0
	frcpa.s0 f9,p8=f6,f6		// 1
	add r16=12,r0;;
}
{ .mfi
	add r9=13,r0
	xma.l f9=f6,f6,f6		// 0
	add r16=14,r0;;
}
{ .mfi
	add r9=15,r0
	fmax f9=f6,f6			// no weight
	add r16=16,r0;;
}
{ .mfi
	add r9=17,r0
(p7)	fma.d f9=f6,f6,f6
	add r16=18,r0;;
}
.endm
	select 0x08, 0x30, 0x09, 0x0A
	start
	body
	freeze
	counted 41 + 3, 6, 5, 1
	select 0x12, 0x31
	start
	body
	freeze
	counted 41 + 3, 5
	finish 0
