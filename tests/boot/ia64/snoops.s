// SPDX-License-Identifier: BSD-2-Clause
// Transactions of other agents on the bus, their snoops of this processor's caches, and the answers
// of the other processor to this processor's transactions (tables 7-22 and 7-24); by hand.
	.include "begin.inc"
	.include "monitor.inc"
	.include "lines.inc"
	.equ data, 0x1002000
	.equ stranger, 0x1103000	// lines that only the other processor refers to
	.equ set_of_l3, 1 << 20
	monitors_off

// Of this processor: 3 BRL, 3 BRIL, 1 BIL. Of the other one: 2 BRL, 4 BRIL. Of I/O agents: 2 BRL,
// BWL, BRP, BWP.
	second 0x47, 0x47, 0x47, 0x48, 0x4421	// BUS_ALL, BUS_PARTIAL
	counted 18, 7, 5, 2
	second 0x4A, 0x4A, 0x4A, 0x48, 0x1421	// BUS_MEMORY
	counted 18, 7, 5, 2
	second 0x49, 0x49, 0x49, 0x48, 0x2421	// BUS_BURST
	counted 15, 6, 3, 0
	second 0x4B, 0x4B, 0x4B, 0x4D, 0x4421	// BUS_RD_ALL, BUS_RD_PRTL
	counted 7, 3, 2, 1
	second 0x4C, 0x4C, 0x4C, 0x4D, 0x1421	// BUS_RD_DATA
	counted 7, 3, 2, 1
	second 0x4F, 0x4F, 0x4F, 0x4E, 0x1421	// BUS_RD_INVAL_BST, BUS_RD_INVAL
	counted 7, 3, 0, 1
	second 0x52, 0x52, 0x52, 0x5D, 0x0421	// BUS_WR_WB, BUS_BRQ_READ_REQ_INSERTED
	counted 1, 0, 1, 6
	second 0x46, 0x45, 0x40, 0x41, 0x0011	// BUS_SNOOPS, _HITM; BUS_RD_HIT, _HITM
	counted 11, 3, 1, 1
	second 0x42, 0x43, 0x44, 0x6C, 0	// BUS_RD_INVAL_HITM, _INVAL_BST_HITM, BUS_HITM
	counted 1, 1, 3, 3

// The other processor's cache has four lines of a set. The fifth displaces the first one, which is
// modified: BWL.
	.rept 2
	select 0x52, 0x52, 0x4F, 0x46, 0x1121
	br.call.sptk.few b1=displaced;;
	.endr
	counted 1, 0, 5, 6
	finish 0

// Another agent refers to the line at `address`: r8 is 1.
	.equ READ, 0
	.equ OWN, 1
	.equ IO_READ, 2
	.equ IO_WRITE, 3
	.equ IO_READ_PART, 4
	.equ IO_WRITE_PART, 5
.macro agent action, address
	movl r32=\address
	mov r33=\action
	movl r15=0x1003;;
	break.m 0x80001;;
.endm
// The n-th line of data; only an I/O agent has just written it.
.macro anew_line n
	agent IO_WRITE, data + \n * 64
.endm

	.balign stride
body:
	alloc r4=ar.pfs,0,2,0,0;;
	.irp n, 0, 1, 2, 3
	anew_line \n
	.endr
	movl r10=data
	movl r11=data + 64
	movl r14=data + 2 * 64
	movl r16=data + 3 * 64
	drain				// each cycle takes one transaction of a kind (DECISIONS.md)
	start
	agent READ, data		// BRL
	ld8 r17=[r10]			// BRL, HIT: both share the line
	st8 [r10]=r0;;			// BRIL: of a shared line
	agent READ, data		// BRL, hits the modified line here
	agent OWN, data			// BRIL, hits the shared line
	agent OWN, data			// the other processor owns it already
	ld8 r17=[r10]			// BRL, HITM
	agent OWN, data + 64		// BRIL
	st8 [r11]=r0;;			// BRIL, HITM
	agent OWN, data + 2 * 64	// BRIL
	fc r14;;			// BIL, HITM
	agent OWN, data + 64		// BRIL, hits the modified line here
	agent IO_READ, data + 3 * 64	// BRL
	st8 [r16]=r0;;			// BRIL
	agent IO_READ, data + 3 * 64	// BRL, hits the modified line here
	agent IO_WRITE, data + 3 * 64	// BWL
	agent IO_READ_PART, data + 3 * 64	// BRP
	agent IO_WRITE_PART, data + 3 * 64	// BWP
	is r8, 1
	ld8 r17=[r16]			// BRL
	agent 6, data			// there is no such action
	is r8, 0
	drain
	freeze
	mov ar.pfs=r4
	br.ret.sptk.few b1;;

	.balign 64
displaced:
	alloc r4=ar.pfs,0,2,0,0;;
	.irp n, 0, 1, 2, 3, 4
	agent IO_WRITE, stranger + \n * set_of_l3
	.endr
	drain
	start
	.irp n, 0, 1, 2, 3, 4
	agent OWN, stranger + \n * set_of_l3
	.endr
	drain
	freeze
	mov ar.pfs=r4
	br.ret.sptk.few b1;;
