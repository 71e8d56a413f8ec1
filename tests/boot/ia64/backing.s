// SPDX-License-Identifier: BSD-2-Clause
// Works like setjmp and exceptions: a function writes the frames below to memory (flushrs),
// discards the processor's copies (loadrs of 0 bytes, which a frame may precede), and changes them
// in memory. After the return the changed values are in the registers.
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
