// SPDX-License-Identifier: BSD-2-Clause
// Speculative and advanced loads by the memory attribute: software developer's manual, volume 2, tables 4-11, 4-13, 4-14
// and 4-17, and 5.5.5 (PSR.ed). The status is the number of the check that fails.
	.include "begin.inc"
	.include "vectors.inc"
	.include "translate.inc"

	.set VALUE, 0x1122334455667788
	.set WB, 0<<2
	.set UC, 4<<2
	.set UCE, 5<<2
	.set WC, 6<<2
	.set R, 1<<34
	.set SP, 1<<36

// The instruction must make r8 a NaT.
.macro gives_nat instruction:vararg
	\instruction;;
	tnat.nz p10,p11=r8
	mov r8=0;;
(p10)	mov r8=1;;
	is r8, 1
.endm
// Checks whether the ALAT has an entry for r8 (1) or not (0).
.macro entered is
	mov r10=0;;
	chk.a.nc r8,2f;;
	mov r10=1;;
2:
	is r10, \is
.endm
// Maps a page with this attribute at this address.
.macro page attribute, address
	insert itc.d, \address, SIZE_4K, 0x180000 | PAGE | RW | \attribute
	movl r14=\address + (words - 0x180000)
	movl r15=\address + (words - 0x180000) + (1 << 63);;
	invala
.endm
.macro allows_speculation
	gives VALUE, ld8.s r8=[r14]
	gives VALUE, ld8.sa r8=[r14]
	entered 1
	invala;;
	gives VALUE, ld8.a r8=[r14]
	entered 1
	invala;;
	gives VALUE, ld8.c.nc r8=[r14]
	entered 1
	invala
.endm
.macro allows_none
	gives_nat ld8.s r8=[r14]
	gives_nat ld8.sa r8=[r14]
	entered 0
	gives 0, ld8.a r8=[r14]
	entered 0
	gives VALUE, ld8.c.nc r8=[r14]
	entered 0
	gives VALUE, ld8.c.clr r8=[r14]
	gives VALUE, ld8 r8=[r14]
.endm

	movl r2=vectors;;
	mov cr.iva=r2
	bsw.1;;
	ssm 1<<13;;			// PSR.ic
	srlz.i
	srlz.d

	// Physical addresses are WBL, which allows only advanced loads.
	movl r14=words
	movl r15=words + (1 << 63);;
	gives_nat ld8.s r8=[r14]	// 1
	gives_nat ld1.s r8=[r14]
	gives_nat ld8.sa r8=[r14]
	entered 0
	gives VALUE, ld8.a r8=[r14]	// 5
	entered 1
	gives_nat ld8.sa r8=[r14]	// removes the entry
	entered 0
	gives VALUE, ld8.c.nc r8=[r14]	// 9
	entered 1
	invala

	// The base register is updated.
	mov r16=r14;;
	gives_nat ld8.s r8=[r16],8	// 11
	mov r8=r16;;
	is r8, words + 8

	// Physical addresses with bit 63 are UC.
	mov r17=r14
	mov r14=r15;;
	allows_none			// 13
	mov r14=r17;;

	// Floating point: NaTVal, 0.
	ldf8.s f10=[r14];;
	fclass.m p10,p11=f10,@nat
	mov r8=0;;
(p10)	mov r8=1;;
	is r8, 1			// 21
	ldf8.a f10=[r15];;
	getf.sig r8=f10;;
	is r8, 0
	ldf8.a f10=[r14];;
	getf.sig r8=f10;;
	is r8, VALUE
	ldfpd.s f10,f11=[r14];;
	fclass.m p10,p11=f11,@nat
	mov r8=0;;
(p10)	mov r8=1;;
	is r8, 1			// 24

	// A fault that is not deferred has priority: code is not translated.
	sum 1<<3			// PSR.ac
	add r16=1,r14;;
	ld8.s r8=[r16];;
	found 0x5A00, r16		// 25
	found R|SP, r17
	rsm 1<<13			// without PSR.ic it is deferred
	add r16=1,r14;;
	srlz.d;;
	gives_nat ld8.s r8=[r16]	// 27
	ssm 1<<13
	rum 1<<3;;
	srlz.d

	// Translated data.
	insert_register "itr.d dtr", 0, 0, SIZE_16M, (PAGE | RWX)
	ssm 1<<17;;			// PSR.dt
	srlz.d
	movl r14=words;;
	allows_speculation		// 28
	page WB, 0x2000000
	allows_speculation		// 35
	page WC, 0x3000000
	allows_speculation		// 42
	page UC, 0x4000000
	allows_none			// 49
	page UCE, 0x5000000
	allows_none			// 57

	// PSR.ed: the next instruction's target becomes a NaT, although it would not fault.
	movl r14=words
	rsm 1<<13;;
	srlz.i;;
	mov r3=psr
	movl r4=1<<44 | 1<<43 | 1<<13	// bn, ed, ic
	movl r2=3f;;
	or r3=r3,r4
	mov cr.iip=r2;;
	mov cr.ipsr=r3
	mov cr.ifs=r0;;
	rfi;;
	.balign 16
3:	gives_nat ld8.s r8=[r14]	// 65
	gives VALUE, ld8.s r8=[r14]
	finish 0

	table

	.data
	.balign 16
words:	data8 VALUE, VALUE
