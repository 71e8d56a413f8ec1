// SPDX-License-Identifier: BSD-2-Clause
// Endless integer code for timing the ia64 machine: a sieve, a hash of copied words, recursion.
// MONITORS: 0, none is open; 1, four exact counters; 2, caches, both event address registers and
// the branch trace.
	.include "begin.inc"
	.include "monitor.inc"
	.set SIZE, 4096
	.if MONITORS
	monitors_off
	.if MONITORS == 1
	select 0x30, 0x31, 0x6C, 0x6D		// nops, squashed instructions, loads, stores
	.else
	select 0x64, 0x66, 0x6A, 0x7C		// reads of L1D; misses of L1D, L2, L3
	put pmc, 10, 1
	put pmc, 11, 1<<28 | 1
	put pmc, 12, 0xFF81			// all branches
	.endif
	start
	.endif
again:
	br.call.sptk.many b1=sieve;;
	br.call.sptk.many b1=copy;;
	mov r8=14
	br.call.sptk.many b0=fibonacci;;
	br.cond.sptk.many again;;

	// Primes below SIZE: a byte each at 400000H.
sieve:
	movl r10=0x400000
	mov r11=SIZE/8-1;;
	mov ar.lc=r11
	mov r12=r10;;
1:	st8 [r12]=r0,8
	br.cloop.sptk.few 1b;;
	mov r13=2
	mov r14=1
	movl r15=SIZE;;
2:	add r16=r10,r13
	shladd r17=r13,1,r0;;
	ld1 r18=[r16]
	cmp.geu p8,p0=r17,r15;;
	cmp.ne.or p8,p0=r18,r0;;
(p8)	br.cond.dpnt.few 4f
3:	add r16=r10,r17
	add r17=r17,r13;;
	st1 [r16]=r14
	cmp.ltu p10,p0=r17,r15
(p10)	br.cond.dptk.few 3b;;
4:	adds r13=1,r13;;
	cmp.ltu p10,p0=r13,r15
(p10)	br.cond.dptk.few 2b;;
	br.ret.sptk.many b1;;

	// Copies 2,048 words from 400000H to 800000H, and hashes them.
copy:
	movl r10=0x400000
	movl r11=0x800000
	mov r12=2047
	movl r13=0x100000001B3;;
	mov ar.lc=r12
	mov r14=r0
1:	ld8 r15=[r10],8;;
	st8 [r11]=r15,8
	xor r14=r14,r15;;
	shl r16=r14,7
	extr.u r17=r14,3,40
	tbit.nz p8,p9=r14,5;;
(p8)	add r14=r16,r17
(p9)	sub r14=r16,r17;;
	add r14=r14,r13
	br.cloop.sptk.few 1b;;
	br.ret.sptk.many b1;;

	// r8 becomes the Fibonacci number of r8.
fibonacci:
	alloc r33=ar.pfs,0,4,0,0
	mov r32=b0
	cmp.gtu p8,p0=2,r8
(p8)	br.cond.dpnt.few 1f;;
	mov r34=r8
	adds r8=-1,r8
	br.call.sptk.many b0=fibonacci;;
	mov r35=r8
	adds r8=-2,r34
	br.call.sptk.many b0=fibonacci;;
	add r8=r8,r35;;
1:	mov b0=r32
	mov ar.pfs=r33
	br.ret.sptk.many b0;;
