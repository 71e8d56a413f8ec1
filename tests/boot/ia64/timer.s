// SPDX-License-Identifier: BSD-2-Clause
// The interval timer interrupts before the first instruction for which ITC is ITM, at ITV's vector,
// once. An instruction is a cycle. ITM is 100 cycles after the read of ITC: 6 instructions up to
// the loop including the read, 31 iterations of 3, and the first of the next one, so the interrupt
// comes at slot 1.
	.include "begin.inc"
	movl r2=vectors;;
	mov cr.iva=r2
	mov r9=0x50;;
	mov cr.itv=r9
	mov ar.lc=99
	mov r4=0
	ssm 1<<13 | 1<<14;;
	srlz.i;;
{ .mmi
	mov r5=ar.itc;;
	nop.m 0
	add r6=100,r5;;
}
{ .mmi
	mov cr.itm=r6;;
	srlz.d
	nop.i 0;;
}
turn:
{ .mib
	add r4=1,r4
	nop.i 0
	br.cloop.sptk.many turn;;
}
	mov r7=0x60;;
	mov cr.itv=r7;;			// masks the timer
	mov r10=100;;
	expect 1, r4, r10		// the program has continued to its end
	bsw.0;;
	mov r3=1;;
	expect 2, r3, r22		// one interrupt
	mov r3=0x50;;
	expect 3, r3, r21
	expect 4, r6, r16
	movl r3=turn;;
	expect 5, r3, r17
	mov r3=32;;
	expect 6, r3, r18
	mov r3=1;;
	expect 7, r3, r19
	finish 0

	.section .vectors,"ax"
	.balign 0x8000
vectors:
	.skip 0x3000			// external interrupt
	mov r16=ar.itc
	mov r17=cr.iip
	mov r18=r4
	mov r19=cr.ipsr
	mov r21=cr.ivr;;
	extr.u r19=r19,41,2
	add r22=1,r22
	srlz.d;;
	mov cr.eoi=r0;;
	rfi;;
