// SPDX-License-Identifier: BSD-2-Clause
// A modulo-scheduled loop of three stages copies exactly ten words, 1 to 10, in 12 iterations.
	.include "begin.inc"
	alloc r2=ar.pfs,0,8,0,8
	movl r20=words
	movl r21=copies;;
	mov ar.lc=9
	mov ar.ec=3
	mov r24=0
	mov pr.rot=1<<16;;
copy:
{ .mmi
(p16)	ld8 r32=[r20],8
(p18)	st8 [r21]=r34,8
	adds r24=1,r24
}
{ .mib
	nop.m 0
	nop.i 0
	br.ctop.sptk.many copy;;
}
	clrrrb;;			// for a frame without a rotating part
	movl r21=copies
	mov r22=0
	mov ar.lc=10;;
add_up:
	ld8 r23=[r21],8;;
	add r22=r22,r23
{ .mib
	nop.m 0
	nop.i 0
	br.cloop.sptk.many add_up;;
}
	mov r3=55;;
	expect 1, r3, r22
	movl r21=copies+9*8;;
	ld8 r23=[r21]
	mov r3=10;;
	expect 2, r3, r23
	mov r3=12;;
	expect 3, r3, r24
	finish 0

	.data
	.balign 8
words:	data8 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
copies:	.skip 11*8
