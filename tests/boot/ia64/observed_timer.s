// SPDX-License-Identifier: BSD-2-Clause
// The interval timer, for tests/unit/hal/test_ia64_observed.c. Its handler sets ITM to 150 cycles
// later, and adds up the interrupted addresses and the times. The program waits for loads of 128
// lines that miss all caches.
	.include "begin.inc"
	movl r2=vectors
	mov r3=0x40;;			// ITV
	mov cr.iva=r2
	mov cr.itv=r3
	mov r4=127
	movl r10=0x200000
	movl r11=0x180000;;
	mov ar.lc=r4
	mov r5=ar.itc;;
	adds r5=150,r5;;
	mov cr.itm=r5
	ssm 1<<13 | 1<<14;;		// PSR.ic, PSR.i
	srlz.i
	srlz.d;;
turn:
	ld8 r14=[r10]
	adds r10=64,r10;;
	add r15=r14,r15
	nop.i 0
	br.cloop.sptk.few turn;;
	rsm 1<<14;;
	srlz.d
	// The loop's length depends on the place and time of the last interrupt.
	ld8 r16=[r11];;
	extr.u r16=r16,4,6;;
	mov ar.lc=r16;;
1:
	nop.m 0
	br.cloop.sptk.few 1b;;
	finish 0

	.section .vectors,"ax"
	.balign 0x8000
vectors:
	.skip 0x3000			// external interrupt
	mov r16=cr.ivr
	mov r17=cr.iip
	mov r18=ar.itc
	movl r19=0x180000;;
	srlz.d
	ld8 r20=[r19]
	add r17=r17,r18
	adds r18=150,r18;;
	add r20=r20,r17
	mov cr.itm=r18;;
	st8 [r19]=r20
	srlz.d
	mov cr.eoi=r0;;
	srlz.d
	rfi;;
