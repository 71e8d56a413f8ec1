// SPDX-License-Identifier: BSD-2-Clause
// The write coalescing buffer (Itanium Processor Reference Manual, chapter 4) and ld.bias (5.1), by
// hand. A full line is a BWL (table 7-23), which BUS_WR_WB counts; each group of 8 bytes of another
// line is a BWP, which BUS_PARTIAL counts.
	.include "begin.inc"
	.include "monitor.inc"
	.include "vectors.inc"
	.include "translate.inc"
	.equ UC, 4<<2
	.equ WC, 6<<2
	.equ page, 4<<61

// BUS_PARTIAL, BUS_WR_WB, BUS_RD_INVAL (BIL), BUS_RD_INVAL_BST (BRIL)
.macro begins
	select 0x48, 0x52, 0x4E, 0x4F, 0x2222
	mf;;
	start
.endm
.macro ends partial, full=0, flushed=0, owned=0
	.rept 12			// each cycle takes one event of the bus
	nop.m 0;;
	.endr
	freeze
	counted \partial, \full, \flushed, \owned
.endm
.macro store address
	st8 [\address]=r0,8;;
.endm

	movl r2=vectors;;
	mov cr.iva=r2
	bsw.1;;
	ssm 1<<13;;			// PSR.ic
	srlz.i
	monitors_off
	region 4, (SIZE_4K | 1 | 0x200<<8)
	insert_register "itr.d dtr", 0, 0, SIZE_16M, (PAGE | RWX)
	insert itc.d, page, SIZE_4K, (PAGE | RW | WC | 0x280000)
	insert itc.d, page + (1<<12), SIZE_4K, (PAGE | RW | UC | 0x281000)
	ssm 1<<17;;			// PSR.dt
	srlz.d
	movl r10=page
	movl r11=page + 64
	movl r14=page + 128
	movl r15=page + (1<<12)
	movl r16=0x180000
	movl r18=page;;

	begins
	.rept 8				// a full line
	store r10
	.endr
	ends 0, 1			// 1 to 4
	begins
	.rept 3
	store r10
	.endr
	ends 0				// 5: stays in the buffer
	begins
	.rept 3
	store r10
	.endr
	fwb;;
	ends 3				// 9
	begins
	st1 [r18]=r0,1;;
	st1 [r18]=r0,1;;		// of the same 8 bytes
	mf;;
	ends 1				// 13
	begins
	st8 [r11]=r0
	st8 [r14]=r0;;
	st8 [r15]=r0			// UC: a BWP of its own
	ld8 r17=[r15]			// a BRP
	mf.a;;
	ends 2				// 17: neither flushes
	begins
	movl r10=page + 60;;
	st8 [r10]=r0;;			// crosses a line: an entry each
	st8 [r14]=r0;;			// evicts the older one
	ends 1				// 21
	begins
	st8 [r11]=r0
	st8 [r14]=r0;;
	st8.rel [r16]=r0;;
	ends 2, 0, 0, 1			// 25: and reads the stored line for ownership
	begins
	st8 [r11]=r0;;
	cmpxchg8.rel r17=[r16],r0;;
	st8 [r11]=r0;;
	fetchadd8.rel r17=[r16],1;;
	st8 [r11]=r0;;
	cmpxchg8.acq r17=[r16],r0;;	// does not flush
	ends 2				// 29
	begins
	st8 [r11]=r0
	st8 [r14]=r0;;
	fc r11;;			// hits the buffer: both entries
	ends 2, 0, 1			// 33
	movl r17=page + (2<<12)
	mov r19=12<<2;;
	begins
	st8 [r11]=r0;;
	ptc.g r17,r19;;
	ends 1				// 37

	movl r16=0x190000
	movl r17=0x190020
	movl r18=0x190040;;
	begins
	ld8.bias r19=[r16];;		// as if it stored
	ld8.bias r20=[r17];;		// L2 has this line
	ld8 r21=[r18];;
	fc r16;;			// the line is not dirty
	ends 0, 0, 1, 1			// 41
	select 0x7E, 0x7D, 0x4C, 0x4F, 0x22A6	// misses of L3: writes, reads; BUS_RD_DATA
	start
	ld8.bias r19=[r16];;
	fc r18;;
	ld8 r20=[r18];;
	.rept 4
	nop.m 0;;
	.endr
	freeze
	counted 1, 1, 1, 1		// 45
	finish 0
	table
