// SPDX-License-Identifier: BSD-2-Clause
// Changing code: a function is called, overwritten, and called again after fc, sync.i and srlz.i,
// as the software developer's manual requires (volume 1, section 4.4.6.2); and code writes a later
// bundle of its own page. The status is the number of the check that fails.
	.include "begin.inc"

	movl r20=place
	movl r21=first
	movl r22=second;;
	mov b6=r20
	mov r24=r21
	br.call.sptk.few b1=copy;;
	br.call.sptk.few b0=b6;;
	is r8, 1
	mov r24=r22
	br.call.sptk.few b1=copy;;
	br.call.sptk.few b0=b6;;
	is r8, 2
	mov r24=r21
	br.call.sptk.few b1=copy;;
	br.call.sptk.few b0=b6;;
	is r8, 1

	// In the executing page: `second` overwrites the bundle at `ahead`.
	movl r20=ahead
	mov r24=r22
	br.call.sptk.few b1=copy;;
	br.call.sptk.few b0=ahead;;
	is r8, 2
	finish 0

// Copies a bundle from r24 to r20.
copy:
	add r25=8,r24
	add r26=8,r20;;
	ld8 r24=[r24]
	ld8 r25=[r25];;
	st8 [r20]=r24
	st8 [r26]=r25
	fc r20;;
	sync.i;;
	srlz.i;;
	br.ret.sptk.few b1;;

	.balign 16
ahead:
first:
{ .mib
	mov r8=1
	nop.i 0
	br.ret.sptk.few b0;;
}
second:
{ .mib
	mov r8=2
	nop.i 0
	br.ret.sptk.few b0;;
}

	.data
	.balign 16
place:	.skip 16
