// SPDX-License-Identifier: BSD-2-Clause
// Loads, stores, semaphores, checks of the ALAT and of NaTs, counted by hand.
	.include "begin.inc"
	.include "monitor.inc"
	monitors_off
	movl r10=0x180000
	movl r11=0x180100
	movl r12=0x180004
	movl r13=0x700000000000
	cmp.eq p6,p7=r0,r0;;

// Loads: 3 plain, 1 advanced, 1 of an ld.c that fails, 1 pair, 1 extended, 1 fill: 8. Misaligned:
// the load from r12, and the extended one, whose 10 bytes must be aligned to 16. Stores: 4, one
// misaligned. References: these, a semaphore, a prefetch, a check load that succeeds: 15. Checks:
// integer 2 ld.c and 2 chk.a, float 1 chk.a; failed: integer 1 and 1, float 1.
.macro body
	ld8 r14=[r10]
	ld4 r16=[r10],8;;
	ld8 r14=[r12]
	adds r10=-8,r10;;
	ld8.a r20=[r11]
	st8 [r10]=r0;;
	ld8.c.nc r20=[r11];;		// the ALAT has r20
	chk.a.nc r20,recovery_\@
	st4 [r11]=r0;;			// removes r20 from the ALAT
	ld8.c.clr r20=[r11];;
	chk.a.clr r20,recovery_\@
	nop.b 0
recovery_\@:
	ldfpd f10,f11=[r10];;
	chk.a.nc f10,floating_\@
	nop.b 0
floating_\@:
	adds r15=8,r10;;
	ldfe f12=[r15]
	stfd [r10]=f11
	st8 [r12]=r0
	lfetch [r11];;
	ld8.fill r16=[r10]
	xchg8 r17=[r11],r0
(p7)	ld8 r18=[r10]
(p7)	st8 [r10]=r0;;
	ld8.s r19=[r13];;		// deferred: it reads nothing
	chk.s r19,speculation_\@
	nop.b 0
speculation_\@:
	chk.s r14,speculation_\@
	chk.s f11,speculation_\@
	setf.sig f13=r19;;
	chk.s f13,deferred_\@
	nop.b 0
deferred_\@:
.endm
	select 0x6C, 0x6D, 0x63, 0x70
	start
	body
	freeze
	counted 8, 4, 15, 2
	select 0x71, 0x36, 0x36, 0x36, 0x2130
	start
	body
	freeze
	counted 1, 5, 4, 1
	select 0x37, 0x37, 0x37, 0x35, 0x3213
	start
	body
	freeze
	counted 3, 2, 1, 2
	select 0x35, 0x35, 0x38, 0x38, 0x2121
	start
	body
	freeze
	counted 1, 1, 0, 0

	// Three advanced loads whose addresses differ only in bits that do not select one of the
	// ALAT's 16 sets of two: the third one displaces the first. The fourth one, into another
	// set, displaces nothing.
	select 0x38, 0x38, 0x38, 0x37, 0x3213
	adds r14=128,r10
	adds r15=256,r10
	adds r16=8,r10;;
	invala
	start
	ld8.a r20=[r10]
	ld8.a r21=[r14]
	ld8.a r22=[r15]
	ldf8.a f20=[r16];;
	chk.a.nc r20,displaced
	nop.b 0
displaced:
	freeze
	counted 1, 1, 0, 1
	finish 0
