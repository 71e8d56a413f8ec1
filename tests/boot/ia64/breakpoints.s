// SPDX-License-Identifier: BSD-2-Clause
// Debug faults: software developer's manual, volume 2, section 7.1. The status is the number of the check that fails.
	.include "begin.inc"
	.include "vectors.inc"
	.set X, 1<<32
	.set W, 1<<33
	.set R, 1<<34
	.set NA, 1<<35
	.set SLOT1, 1<<41
	.set LEVEL0, 1<<56
	.set LEVEL1, 1<<57
	.set ON_W, 1<<62
	.set ON_R, 1<<63
	.set ON_X, 1<<63
	.set ALL, (1<<56)-1

// Executes a bundle with this instruction. If the instruction faults, the rest of the bundle is
// skipped.
.macro try instruction:vararg
{ .mii
	\instruction
	nop.i 0
	nop.i 0;;
}
.endm

.macro db instruction
	mov r8=psr
	movl r9=1<<24;;
	\instruction r8=r8,r9;;
	mov psr.l=r8;;
	srlz.i;;
.endm

// Sets a pair of breakpoint registers.
.macro break file, number, address, condition
	movl r3=\address
	mov r2=\number;;
	mov \file[r2]=r3
	movl r3=\condition
	add r2=1,r2;;
	mov \file[r2]=r3;;
	srlz.i;;
.endm

// Executes the following code with these bits of PSR set for one instruction.
.macro once bits
	mov r8=psr
	movl r9=\bits;;
	or r8=r8,r9
	movl r9=1f;;
	rsm 1<<13;;			// PSR.ic
	srlz.i;;
	mov cr.ipsr=r8
	mov cr.iip=r9
	mov cr.ifs=r0;;
	rfi;;
	.balign 16
1:
.endm

	movl r2=vectors;;
	mov cr.iva=r2
	movl r3=word
	mov r4=12<<2			// a page of 4 KB
	movl r5=0x180000|0x461;;	// data's page: present, accessed, dirty, read and write
	mov cr.ifa=r3
	mov cr.itir=r4;;
	itr.d dtr[r0]=r5;;		// for probe
	bsw.1;;
	ssm 1<<13;;			// PSR.ic
	srlz.i;;
	.irp number, 0, 2, 4, 6
	break dbr, \number, 0, 0
	break ibr, \number, 0, 0
	.endr

// Reads of the 8 bytes at `word`
	movl r10=word;;
	add r11=8,r10
	add r12=-4,r10
	add r13=-8,r10
	add r14=7,r10
	break dbr, 0, word, LEVEL0|ON_R|(ALL&~7)
	try ld8 r8=[r10]		// PSR.db is 0
	found 0, r24			// 1
	db or
	try ld8 r8=[r10]
	found 0x5900, r16		// 2
	found R, r17
	bsw.0;;
	mov r8=r20;;			// IFA
	bsw.1;;
	expect 200, r8, r10
	found 1, r24			// 4
	try ld8 r8=[r11]
	try ld4 r8=[r12]
	try ld8 r8=[r13]
	try "st8 [r10]=r0"
	found 1, r24			// 5
	try ld1 r8=[r14]
	found 2, r24			// 6
	try fetchadd8.acq r8=[r10],1
	found 3, r24			// 7
	found (R|W), r17
	try lfetch.fault [r10]
	found 4, r24			// 9
	found (R|NA|4), r17
	try lfetch [r10]
	try probe.r r8=r10,r0
	try fc r10
	found 4, r24			// 11
	try probe.r.fault r10,0
	found 5, r24			// 12
	found (R|NA|5), r17

// A speculative load defers its fault if DCR.dd and the code's page say so; this code has no page.
	try ld8.s r8=[r10]
	found 6, r24			// 14

// Without breakpoints for one instruction
	once 1<<39			// dd
	try ld8 r8=[r10]
	found 6, r24			// 15
	try ld8 r8=[r10]
	found 7, r24			// 16

// Stores, one byte within those of the access; another level; another register
	break dbr, 0, word, LEVEL0|ON_W|ALL
	try ld8 r8=[r10]
	found 7, r24			// 17
	try "st8 [r10]=r0"
	found 8, r24			// 18
	found W, r17
	try "st8 [r13]=r0"
	found 8, r24			// 20
	break dbr, 0, word+3, LEVEL0|ON_W|ALL
	try "st8 [r10]=r0"
	found 9, r24			// 21
	break dbr, 0, word+3, LEVEL1|ON_W|ALL
	try "st8 [r10]=r0"
	found 9, r24			// 22
	break dbr, 6, word+3, LEVEL0|ON_W|ALL
	try "st8 [r10]=r0"
	found 10, r24			// 23
	break dbr, 6, 0, 0

// An instruction breakpoint matches its bundle with any lowest address bits.
	break ibr, 2, here+5, LEVEL1|ON_X|ALL
	mov r8=1;;
	br.cond.sptk.few here;;
	.balign 16
here:
{ .mii
	mov r8=2
	nop.i 0
	nop.i 0;;
}
	is r8, 2			// 24
	movl r11=there
	break ibr, 2, there+5, LEVEL0|ON_X|ALL
	movl r9=behind
	mov r8=1;;
	mov b0=r9			// the handler continues there
	br.cond.sptk.few there;;
	.balign 16
there:
{ .mii
	mov r8=2
	nop.i 0
	nop.i 0;;
}
	.balign 16
behind:
	is r8, 1			// 25
	found 11, r24			// 26
	found X, r17
	bsw.0;;
	mov r8=r20;;			// IFA
	bsw.1;;
	expect 201, r8, r11

// Without breakpoints for one instruction: the bundle's first one, not the second
	break ibr, 2, twice, LEVEL0|ON_X|ALL
	mov r14=1
	mov r15=1;;
	movl r9=behind_twice;;
	mov b0=r9
	once 1<<37			// id
twice:
{ .mii
	mov r14=2
	mov r15=2
	nop.i 0;;
}
	.balign 16
behind_twice:
	is r14, 2			// 28
	is r15, 1
	found 12, r24			// 30
	found X|SLOT1, r17
	db andcm
	try ld8 r8=[r10]
	found 12, r24			// 32
	finish 0
	table

	.data
	.balign 16
	data8 0
word:	data8 0, 0
