// SPDX-License-Identifier: BSD-2-Clause
// Contents of ISR, IFA, IIP, IPSR and IIM after interruptions: software developer's manual, volume
// 2, chapter 8. The status is the number of the check that fails.
	.include "begin.inc"
	.include "vectors.inc"

// Executes an instruction at privilege level 3, with PSR.si; the break after it returns to level 0.
.macro at_user instruction:vararg
	rsm 1<<13;;
	srlz.i
	mov r8=psr
	movl r9=3<<32 | 1<<13 | 1<<44 | 1<<23;;		// cpl, ic, bn, si
	or r8=r8,r9
	movl r9=8f;;
	mov cr.ipsr=r8
	mov cr.iip=r9
	mov cr.ifs=r0;;
	rfi;;
	.balign 16
8:
{ .mmi
	\instruction
	nop.m 0
	nop.i 0;;
}
	break.m 0x66;;
.endm

	.set W, 1<<33
	.set R, 1<<34
	.set SLOT1, 1<<41
	.set SLOT2, 1<<42

	movl r2=vectors;;
	mov cr.iva=r2
	bsw.1;;
	ssm 1<<13;;			// PSR.ic
	srlz.i
	movl r20=0x7000000000000000	// not a physical address
	movl r21=words+1
	movl r22=words;;

	ld8.s r23=[r20]			// a NaT
{ .mmi
	nop.m 0
	ld8 r9=[r20]
	nop.i 0;;
}
	found 0x5400, r16		// 1
	found 0x30|R|SLOT1, r17
	found 0x7000000000000000, r20
{ .mmi
	st8 [r20]=r0
	nop.m 0
	nop.i 0;;
}
	found 0x5400, r16		// 4
	found 0x30|W, r17
	found 0x7000000000000000, r20

	sum 1<<3;;			// PSR.ac
place7:
{ .mmi
	ld8 r9=[r21]
	nop.m 0
	nop.i 0;;
}
	found 0x5A00, r16		// 7
	found R, r17
	movl r9=words+1
	bsw.0;;
	mov r8=r20;;
	bsw.1;;
	expect 200, r8, r9
	movl r9=place7
	bsw.0;;
	mov r8=r18;;
	bsw.1;;
	expect 201, r8, r9
{ .mmi
	nop.m 0
	st4 [r21]=r0
	nop.i 0;;
}
	found 0x5A00, r16		// 9
	found W|SLOT1, r17
	rum 1<<3;;
{ .mmi
	xchg8 r9=[r21],r0		// unaligned, whatever PSR.ac is
	nop.m 0
	nop.i 0;;
}
	found 0x5A00, r16		// 11
	found R|W, r17

{ .mmi
	st8 [r22]=r23			// NaT consumption
	nop.m 0
	nop.i 0;;
}
	found 0x5600, r16		// 13
	found W|0x10, r17
{ .mmi
	ld8 r9=[r23]
	nop.m 0
	nop.i 0;;
}
	found 0x5600, r16		// 15
	found R|0x10, r17
{ .mii
	nop.m 0
	nop.i 0
	mov pr=r23,-1;;
}
	found 0x5600, r16		// 17
	found 0x10|SLOT2, r17
{ .mmi
	nop.m 0
	mov cr.ipsr=r0			// while PSR.ic is 1
	nop.i 0;;
}
	found 0x5400, r16		// 19
	found SLOT1, r17
	movl r8=0x7E02;;
{ .mmi
	mov cr.pta=r8
	nop.m 0
	nop.i 0;;
}
	found 0x5400, r16		// 21
	found 0x30, r17
{ .mmb
	nop.m 0
	nop.m 0
	break.b 0x155;;
}
	found 0x2C00, r16		// 23
	found SLOT2, r17
	found 0x155, r21		// 25
{ .mlx
	nop.m 0
	break.x 0x12345			// a long instruction is in slot 1
}
	found 0x2C00, r16		// 26
	found SLOT1, r17
	found 0x12345, r21
	mov r9=1;;
	movl r8=0x123456789ABCDEF0;;
	is r8, 0x123456789ABCDEF0	// 29

	// At privilege level 3: registers and instructions that this level must not access.
	at_user mov ar.k0=r0
	found 0x5400, r30		// 30
	found 0x20, r29
	at_user mov r9=ar.itc		// PSR.si
	found 0x20, r29			// 32
	at_user mov r9=cr.dcr
	found 0x10, r29			// 33
	at_user srlz.d
	found 0x10, r29
	finish 0

	.data
	.balign 8
words:	data8 0, 0
	table
