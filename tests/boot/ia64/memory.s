// SPDX-License-Identifier: BSD-2-Clause
// Loads and stores of each size, updates of the base register, speculation, advanced loads, semaphores, spilled NaTs.
// The status is the number of the first check that fails.
	.include "begin.inc"

	movl r20=words
	movl r21=0x8877665544332211;;
	ld8 r8=[r20]
	is r8, 0x0807060504030201
	ld1 r8=[r20],1;;
	is r8, 0x01
	ld2 r8=[r20],2;;
	is r8, 0x0302
	ld4 r8=[r20];;
	is r8, 0x07060504
	movl r9=words+3;;
	expect 200, r20, r9
	mov r10=5;;
	ld1 r8=[r20],r10;;
	is r8, 0x04
	st8 [r20]=r21,-8;;
	st4 [r20]=r21,4;;
	st2 [r20]=r21,2;;
	st1 [r20]=r21;;
	movl r20=words;;
	ld8 r8=[r20],8;;
	is r8, 0x0811221144332211
	ld8 r8=[r20]
	is r8, 0x8877665544332211

	// A load that is impossible gives a NaT, which chk.s and arithmetic detect.
	movl r22=0x7000000000000000;;
	ld8.s r8=[r22];;
	add r10=r8,r0;;
	tnat.nz p10,p11=r10
	mov r11=0;;
(p10)	add r11=1,r11
	chk.s.m r10,recovered;;
	add r11=8,r11
recovered:
	is r11, 1

	// An advanced load remains valid until a store to its bytes.
	movl r20=words;;
	ld8.a r8=[r20]
	mov r11=0;;
	chk.a.nc r8,lost1;;
	add r11=1,r11
lost1:
	add r22=8,r20;;
	st8 [r22]=r0;;			// elsewhere
	chk.a.nc r8,lost2;;
	add r11=2,r11
lost2:
	add r22=7,r20;;
	st1 [r22]=r0;;			// its last byte
	chk.a.clr r8,lost3;;
	add r11=4,r11
lost3:
	is r11, 3
	ld8.c.nc r8=[r20];;		// not in the ALAT: loads again
	is r8, 0x0011221144332211
	mov r11=0;;
	chk.a.clr r8,lost4;;		// in the ALAT again
	add r11=1,r11
lost4:	chk.a.clr r8,lost5;;		// cleared by chk.a.clr
	add r11=2,r11
lost5:
	is r11, 1

	// Semaphores.
	mov r12=5
	mov r13=7;;
	st8 [r20]=r12
	mov ar.ccv=r12;;
	cmpxchg8.acq r8=[r20],r13,ar.ccv;;
	is r8, 5
	cmpxchg8.acq r8=[r20],r12,ar.ccv;;
	is r8, 7
	ld8 r8=[r20];;
	is r8, 7
	fetchadd8.rel r8=[r20],-4;;
	is r8, 7
	fetchadd4.acq r8=[r20],16;;
	is r8, 3
	xchg4 r8=[r20],r0;;
	is r8, 19
	ld8 r8=[r20];;
	is r8, 0

	// UNAT keeps a spilled NaT, by bits 8:3 of the address, and it is restored from there.
	movl r22=0x7000000000000000;;
	ld8.s r10=[r22]
	mov ar.unat=r0;;
	st8.spill [r20]=r10;;
	mov r8=ar.unat
	extr.u r11=r20,3,6
	mov r12=1;;
	shl r12=r12,r11;;
	expect 201, r8, r12
	ld8.fill r10=[r20];;
	tnat.nz p10,p11=r10
	mov r11=0;;
(p10)	mov r11=1;;
	is r11, 1
	finish 0

	.data
	.balign 8
words:	data8 0x0807060504030201, 0x100F0E0D0C0B0A09, 0
