// SPDX-License-Identifier: BSD-2-Clause
// As setjmp and exceptions do: in a function the frames below go to memory (flushrs), what the processor has of them is
// given up (loadrs of 0 bytes, which a frame may stand above), and they come back from memory at the return, changed.
	.include "begin.inc"
	alloc r33=ar.pfs,0,3,0,0
	mov r34=17;;
	br.call.sptk.many b0=change;;
	is r34, 18
	finish 0

change:
	alloc r32=ar.pfs,0,1,0,0;;
	flushrs;;
	mov r20=ar.bsp;;
	add r20=-8,r20;;		// the caller's last local
	ld8 r21=[r20];;
	add r21=1,r21;;
	st8 [r20]=r21;;
	loadrs;;
	mov ar.pfs=r32;;
	br.ret.sptk.many b0;;
