// SPDX-License-Identifier: BSD-2-Clause
// Big-endian data: by PSR.be for loads, stores and semaphores, by RSC.be for the backing store, by
// DCR.be for the page walker's table; and DCR.be as the PSR.be of an interruption. Instructions are
// always little-endian. Expected values are the bytes as big-endian numbers (manual, volume 1,
// sections 3.2.3 and 5.3.1).
	.include "begin.inc"
	.include "translate.inc"
	.set PAGES, 16

.macro big
	sum 2;;
.endm
.macro little
	rum 2;;
.endm
// Loads a register with this instruction from `bytes` + offset, and compares it.
.macro loads value, offset, instruction
	adds r10=\offset,r11;;
	\instruction r8=[r10];;
	is r8, \value
.endm
// Compares eight bytes of memory at r10, as a little-endian number.
.macro memory_is value
	little
	ld8 r8=[r10]
	big
	is r8, \value
.endm
// Compares the significand, and sign and exponent, of a loaded number.
.macro fills exponent, significand, offset, instruction
	adds r10=\offset,r11;;
	\instruction f6=[r10];;
	parts_are f6, \exponent, \significand
.endm
.macro parts_are f, exponent, significand
	getf.exp r8=\f;;
	is r8, \exponent
	getf.sig r8=\f;;
	is r8, \significand
.endm

	movl r11=bytes
	movl r12=0x180800
	big
	// 1 to 8
	loads 0x01, 0, ld1
	loads 0x0304, 2, ld2
	loads 0x05060708, 4, ld4
	loads 0x0102030405060708, 0, ld8
	loads 0x02030405, 1, ld4		// unaligned
	loads 0x0102030405060708, 0, ld8.a
	loads 0x0102030405060708, 0, ld8.c.clr
	loads 0x0102030405060708, 0, ld8.fill

	mov r10=r12
	movl r14=0x1122334455667788;;
	st8 [r10]=r14
	memory_is 0x8877665544332211
	st4 [r10]=r14
	memory_is 0x8877665588776655
	st2 [r10]=r14
	memory_is 0x8877665588778877
	st1 [r10]=r14
	memory_is 0x8877665588778888
	st8.spill [r10]=r14
	memory_is 0x8877665544332211

	// Semaphores.
	mov r15=7;;
	st8 [r10]=r15;;
	fetchadd8.acq r8=[r10],4;;
	is r8, 7
	memory_is 0x0B00000000000000
	fetchadd4.rel r8=[r10],-1;;		// the first four bytes
	is r8, 0
	memory_is 0x0B000000FFFFFFFF
	movl r14=0x01020304
	movl r15=0xFFFFFFFF;;
	mov ar.ccv=r15;;
	cmpxchg4.acq r8=[r10],r14,ar.ccv;;
	is r8, 0xFFFFFFFF
	memory_is 0x0B00000004030201
	xchg2 r8=[r10],r15;;
	is r8, 0x0102
	memory_is 0x0B0000000403FFFF

	// Floating point: 1.0 of each format, pairs, 10 and 16 bytes.
	fills 0xFFFF, 0x8000000000000000, 16, ldfs
	fills 0xFFFF, 0x8000000000000000, 24, ldfd
	fills 0x1003E, 0x0102030405060708, 0, ldf8
	fills 0xFFFE, 0xC000000000000001, 32, ldfe
	fills 0x2FFFE, 0xC000000000000001, 48, ldf.fill
	adds r10=16,r11;;
	ldfps f6,f7=[r10];;			// 1, -2
	parts_are f6, 0xFFFF, 0x8000000000000000
	parts_are f7, 0x30000, 0x8000000000000000
	adds r10=64,r11;;
	ldfpd f6,f7=[r10];;			// 1, -2
	parts_are f6, 0xFFFF, 0x8000000000000000
	parts_are f7, 0x30000, 0x8000000000000000
	ldfp8 f6,f7=[r11];;
	parts_are f6, 0x1003E, 0x0102030405060708
	parts_are f7, 0x1003E, 0x090A0B0C0D0E0F10
	mov r10=r12
	adds r14=48,r11;;
	ldf.fill f8=[r14];;			// -0.75 and a bit
	stf.spill [r10]=f8
	memory_is 0xFEFF020000000000
	adds r10=8,r10;;
	memory_is 0x01000000000000C0
	mov r10=r12;;
	stfe [r10]=f8
	memory_is 0x0000000000C0FEBF
	stfd [r10]=f1
	memory_is 0x000000000000F03F
	stfs [r10]=f1
	memory_is 0x000000000000803F
	stf8 [r10]=f8
	memory_is 0x01000000000000C0
	little

	// The backing store: r32, which flushrs spills, is in memory in the byte order of RSC.be,
	// and is restored.
	alloc r2=ar.pfs,0,2,1,0
	mov r16=b0
	mov ar.rsc=0x10;;
	movl r32=0x0102030405060708
	movl r33=0x1112131415161718
	br.call.sptk.few b1=flush;;
	is r32, 0x0102030405060708
	is r33, 0x1112131415161718
	is r14, 0x0807060504030201
	is r15, 0x1817161514131211
	mov ar.rsc=0;;

	// The page walker: an entry in reverse byte order.
	walker_table PAGES, 8
	movl r2=0x240000 + 8 * 3
	movl r3=0x283000 | PAGE | RW
	movl r4=0x283000
	movl r5=0x4711;;
	mux1 r3=r3,@rev
	st8 [r4]=r5;;
	st8 [r2]=r3
	mov r2=2;;
	mov cr.dcr=r2
	ptc.e r0
	ssm 1<<17;;			// PSR.dt
	srlz.i;;
	srlz.d
	movl r2=(4<<61) + 0x3000;;
	ld8 r8=[r2];;
	is r8, 0x4711

	// An interruption: PSR.be becomes DCR.be, and rfi restores it.
	break.m 0x10;;
	bsw.0;;
	mov r8=r20
	bsw.1;;
	and r8=2,r8;;
	is r8, 2
	mov r8=psr.um;;
	and r8=2,r8;;
	is r8, 0
	finish 0

flush:
	alloc r2=ar.pfs,0,0,0,0;;
	mov r17=ar.bsp
	flushrs;;
	adds r17=-16,r17;;
	ld8 r14=[r17],8;;
	ld8 r15=[r17]
	br.ret.sptk.few b1;;

	.balign 4096
callee:
	nop.m 0;;

	.data
	.balign 64
bytes:
	.byte 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
	.byte 0x3F, 0x80, 0, 0, 0xC0, 0, 0, 0
	.byte 0x3F, 0xF0, 0, 0, 0, 0, 0, 0
	.byte 0x3F, 0xFE, 0xC0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0
	.byte 0, 0, 0, 0, 0, 2, 0xFF, 0xFE, 0xC0, 0, 0, 0, 0, 0, 0, 1
	.byte 0x3F, 0xF0, 0, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0

	.section .vectors,"ax"
	.balign 0x8000
vectors:
	.org 0x2C00
	mov r20=psr
	mov r21=cr.iip;;
	adds r21=16,r21;;
	mov cr.iip=r21;;
	srlz.i
	rfi;;
