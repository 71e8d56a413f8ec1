// SPDX-License-Identifier: BSD-2-Clause
// Instructions of all kinds in physical mode, for tests/unit/hal/test_ia64_observed.c. The program
// does not access the performance monitor; the test programs it.
	.include "begin.inc"
	.include "vectors.inc"
	.set ROUNDS, 3

	movl r2=vectors;;
	mov cr.iva=r2
	bsw.1;;
	ssm 1<<13;;			// PSR.ic
	srlz.i
	cmp.eq p6,p7=r0,r0		// p6 is true, p7 false
	movl r10=0x180000
	movl r11=0x180100
	movl r12=0x180004
	movl r13=0x700000000000
	mov r19=ROUNDS-1;;
	mov ar.ccv=r0

round:
	// Loads, stores, semaphores, prefetches, the ALAT, failed checks.
	ld8 r14=[r10]
	ld4 r16=[r10],8;;
	ld8 r14=[r12]			// misaligned
	adds r10=-8,r10;;
	ld8.a r20=[r11]
	ldfd.a f20=[r11]
	st8 [r10]=r0;;
	ld8.c.nc r20=[r11];;
	chk.a.nc r20,recovery
	st4 [r11]=r0;;
	ld8.c.clr r20=[r11]
	ldfd.c.clr f20=[r11];;
	chk.a.clr r20,recovery
	nop.b 0
recovery:
	ldfpd f10,f11=[r10];;
	chk.a.nc f10,floating
	nop.b 0
floating:
	adds r15=8,r10
	adds r17=128,r10
	adds r18=256,r10;;
	ldfe f12=[r15]			// misaligned
	stfd [r10]=f11
	st8 [r12]=r0			// misaligned
	lfetch [r11]
	ld8.a r21=[r10]			// the third load displaces the first one
	ld8.a r22=[r17]
	ld8.a r23=[r18]
	ldf8.a f21=[r10]
	ldf8.a f22=[r17]
	ldf8.a f23=[r18];;
	ld8.fill r16=[r10]
	xchg8 r14=[r11],r0;;
	cmpxchg8.acq r15=[r10],r14,ar.ccv
	fetchadd8.rel r16=[r11],1
(p7)	ld8 r18=[r10]
(p7)	st8 [r10]=r0;;
	ld8.s r26=[r13];;		// deferred
	chk.s r26,speculation
	nop.b 0
speculation:
	chk.s r14,speculation
	chk.s f11,speculation
	movl r16=1<<63 | 0x180200;;	// uncacheable
	ld8 r14=[r16]
	st8 [r16]=r0;;
	ldfd.a f14=[r16]
	lfetch [r16];;
	ldfd.c.clr f14=[r16];;
	ldfd.c.clr f14=[r16]
	stfd [r16]=f0;;
	xchg8 r18=[r16],r0
	setf.sig f13=r26;;
	chk.s f13,deferred
	nop.b 0
deferred:
	ld8.nt1 r16=[r10];;
	st8.spill [r17]=r14;;
{ .mmi
	ld8 r14=[r10]
	ld8 r15=[r11]
	nop.i 0
}
{ .mfi
	nop.m 0
	nop.f 0
	nop.i 0;;
}
{ .mmi
	ld8 r14=[r10]
	st8 [r11]=r0
	nop.i 0;;
}

	// Flushes of L2's pipeline: two stores, a load after a store; more reads than the bus queues
	// hold.
	fc r11;;
	ldfd f6=[r11];;
{ .mmi
	st8 [r11]=r0
	st8 [r11]=r0
	nop.i 0;;
}
	ldfd f6=[r11]
	movl r16=0x3C0000
	mov r5=19;;
	mov ar.lc=r5
	mov r17=r16;;
8:
	fc r17
	add r17=64,r17
	br.cloop.sptk.few 8b;;
	mov ar.lc=r5;;
8:
	ldfd f6=[r16],64
	br.cloop.sptk.few 8b;;
	adds r17=128,r10;;

	// Other agents on the bus, and their lines: 0 reads, 1 owns, 2 to 5 are I/O agents
	// (snoops.s).
.macro agent action
	mov r33=\action;;
	break.m 0x80001;;
.endm
	alloc r9=ar.pfs,0,2,0,0
	movl r15=0x1003
	movl r16=0x3E0000;;
	mov r32=r16
	agent 1
	ld8 r18=[r16]
	adds r16=64,r16;;
	mov r32=r16
	agent 0
	ld8 r18=[r16]
	adds r16=64,r16;;
	mov r32=r16
	agent 1
	st8 [r16]=r0
	agent 1
	agent 2
	fc r16
	agent 1
	fc r16
	agent 3
	agent 4
	agent 5

	// Floating point: weights of 1, 2 and 4, several in a cycle; a quotient in dependent steps.
{ .mfi
	add r9=3,r0
	fadd.d f6=f1,f1
	add r16=4,r0
}
{ .mfi
	add r18=5,r0
	fma.d f7=f11,f11,f11
	add r17=6,r0;;
}
{ .mfi
	add r9=7,r0
	fpma f8=f6,f6,f6
	add r16=8,r0
}
{ .mfi
	add r18=9,r0
	fmpy f9=f6,f6
	add r17=10,r0;;
}
	fma.s0 f6=f6,f6,f6;;
	fma.s0 f7=f6,f6,f6;;
	frcpa.s0 f9,p8=f6,f7
	fpmin f8=f6,f6;;
	xma.l f9=f6,f6,f6;;
	fnorm f10=f9;;
	getf.sig r14=f9;;
	add r15=r14,r14
	popcnt r16=r14
	mux1 r18=r14,@rev;;
	add r9=r16,r18			// too early for the bypass
(p7)	fma.d f9=f6,f6,f6
(p7)	add r16=1,r0
(p7)	nop.f 0
(p7)	nop.i 0;;
{ .mlx
(p7)	add r9=1,r0
	movl r16=0x123456789ABCDEF;;
}

	movl r16=0x0010000000000000	// 2^-1022; half of it is flushed to zero
	movl r18=0x3FE0000000000000
	fsetc.s1 0x7F,1;;
	setf.d f6=r16
	setf.d f7=r18;;
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
(p7)	fma.d.s1 f9=f6,f7,f0;;

	// Branches: in each slot, by each predictor, right and wrong; loops, calls, returns to
	// other places; several in a bundle.
	mov r5=9;;
	mov ar.lc=r5
	brp.sptk.imp announced,announcing
	cmp.ne p8,p9=r0,r0;;
announced:
	nop.m 0;;
announcing:
{ .mib
	nop.m 0
	nop.i 0
	br.cloop.sptk.many announced;;
}
	mov ar.lc=r5;;
alternating:
{ .mmi
	nop.m 0
	cmp.eq p8,p9=r6,r0
	sub r6=1,r6;;
}
{ .mib
	nop.m 0
	nop.i 0
(p8)	br.cond.dptk.few 1f;;
}
1:
{ .mbb
	nop.m 0
(p9)	br.cond.spnt.few 2f
(p7)	br.cond.sptk.few _start;;
}
	nop.m 0;;
2:
{ .mib
	nop.m 0
	nop.i 0
	br.cloop.dptk.few alternating;;
}
{ .mbb
	nop.m 0
(p7)	br.cond.spnt.few _start
(p7)	br.cond.spnt.few _start;;
}
	mov r5=23;;			// taken in the last iteration only: predicted not taken
	mov ar.lc=r5
	mov r6=24;;
seldom:
{ .mmi
	cmp.eq p8,p9=1,r6
	adds r6=-1,r6
	nop.i 0;;
}
{ .mib
	nop.m 0
	nop.i 0
(p8)	br.cond.dpnt.few 2f;;
}
2:
{ .mib
	nop.m 0
	nop.i 0
	br.cloop.sptk.few seldom;;
}
	mov r5=9
	mov r6=0;;
{ .bbb
(p7)	br.cond.spnt.few _start
(p7)	br.cond.sptk.few _start
	nop.b 0;;
}
{ .bbb
(p7)	br.cond.sptk.few _start
(p6)	br.cond.spnt.few 3f
	nop.b 0;;
}
3:
{ .bbb
(p6)	br.cond.sptk.few 3f
(p7)	br.cond.spnt.few _start
	nop.b 0;;
}
3:
	movl r9=targeted
	movl r8=_start
	brp.sptk.imp _start,misannounced;;
	mov b6=r9
	cmp.eq p8,p9=r0,r19
	nop.m 0;;
misannounced:
{ .mib
	nop.m 0
	nop.i 0
(p9)	br.cond.sptk.few b6;;
}
targeted:
	brp.sptk _start,taken_back;;
	nop.m 0
	nop.m 0;;
taken_back:
{ .mib
	nop.m 0
	nop.i 0
(p8)	br.cond.sptk.few 3f;;
}
3:
	br.call.sptk.few b1=function;;
	br.call.sptk.few b1=function;;
	br.call.sptk.few b1=elsewhere;;
	nop.m 1;;
arrived:
	movl r9=function;;
	mov b6=r9;;
	br.call.sptk.few b1=b6;;
	mov ar.lc=r0
	mov.i ar.ec=r5;;
4:
{ .mib
	nop.m 0
	nop.i 0
	br.ctop.sptk.few 4b;;
}
	clrrrb;;

	// Level 3 and back; interruptions; serialization.
	movl r9=level_3
	movl r8=3<<62;;
	mov b1=r9
	mov ar.pfs=r8;;
	br.ret.sptk.few b1;;
	.balign 16
level_3:
	ld8 r14=[r10]
	nop.m 0
	add r9=1,r0;;
	epc;;
{ .mmi
	break.m 1
	nop.m 0
	nop.i 0;;
}
	srlz.i;;

	// Misses of each cache: five lines of code in a set of L1I; seven lines of data in the sets
	// of L2 that hold this code; five in a set of L3 (256 KB in the test), which stores evict;
	// the lines that fc flushes.
	br.call.sptk.few b1=hop_1;;
	movl r15=0x320000
	movl r8=hop_1
	mov r16=4096
	mov r5=27;;
	dep r15=r8,r15,0,14
	mov ar.lc=r5;;
	mov r17=r15
5:
	ld8 r14=[r15]
	ldfd f6=[r15];;
	add r9=r14,r14
	add r15=r15,r16
	br.cloop.sptk.few 5b;;
	mov ar.lc=r5;;
6:
	st8 [r17]=r0
	add r17=r17,r16
	br.cloop.sptk.few 6b;;
	movl r15=0x340000
	movl r16=64<<10
	mov r5=4;;
	dep r15=r8,r15,0,14
	mov ar.lc=r5;;
7:
	st8 [r15]=r0;;
	add r15=r15,r16
	br.cloop.sptk.few 7b;;
	fc r10
	fc r11;;
	sync.i;;
	srlz.i;;
	ld8 r14=[r10];;
	cmp.eq p8,p9=r0,r19
	adds r19=-1,r19
(p9)	br.cond.dptk.many round;;
	finish 0

function:
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b1;;
}
elsewhere:
	movl r9=arrived;;
	mov b1=r9;;
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b1;;
}
	.irp line, 1, 2, 3, 4
	.balign 4096
hop_\line:
{ .mib
	nop.m 0
	nop.i 0
	br.cond.sptk.few hop_\line + 4096;;
}
	.endr
	.balign 4096
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b1;;
}
	table
