// SPDX-License-Identifier: BSD-2-Clause
// Deep recursion: 30 frames of 4 registers exceed the 96 registers of the stack, so registers are
// spilled and filled. The 30th Fibonacci number is 832,040.
	.include "begin.inc"
	alloc r33=ar.pfs,0,2,1,0
	mov r34=30;;
	br.call.sptk.many b0=fibonacci;;
	movl r3=832040;;
	expect 1, r3, r8
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
