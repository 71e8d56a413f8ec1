// SPDX-License-Identifier: BSD-2-Clause
// Transactions on the bus by their names in table 7-23, and the events by which 7.8 counts them; by
// hand. No other agent uses the bus: any initiator (unit mask 1) is this processor (2).
// 	8 lines of data and 9 of code are read: 17 BRL. 5 lines are stored to: 5 BRIL. Flushed
// 	are 2 of these, which are dirty, and 4 that no cache has: 6 BIL and 2 BWL.
	.include "begin.inc"
	.include "monitor.inc"
	.include "lines.inc"
	.equ data, 0x1002000
	.equ stored, 0x1003000
	.equ nowhere, 0x1001000
	monitors_off

	second 0x47, 0x47, 0x49, 0x49, 0x2121	// BUS_ALL; BUS_BURST: BRL, BRIL, BWL
	counted 30, 30, 24, 24
	second 0x4A, 0x4A, 0x4B, 0x4B, 0x2121	// BUS_MEMORY: all of these; BUS_RD_ALL: BRL
	counted 30, 30, 17, 17
	second 0x4C, 0x4C, 0x4E, 0x4E, 0x2121	// BUS_RD_DATA; BUS_RD_INVAL: BIL
	counted 8, 8, 6, 6
	second 0x4F, 0x4F, 0x52, 0x52, 0x2121	// BUS_RD_INVAL_BST: BRIL; BUS_WR_WB: BWL
	counted 5, 5, 2, 2
	second 0x5D, 0x7C, 0x7D, 0x7E, 0x6A00	// BUS_BRQ_READ_REQ_INSERTED: BRL, BRIL; misses of L3
	counted 22, 22, 8, 5
	second 0x6C, 0x6D, 0x7F, 0x7F, 0		// loads, stores
	counted 8, 5
	finish 0

	.balign stride
body:
	start
	each data, stride, 8, "fc r10"
	each stored, stride, 5, "fc r10"
	each chain, stride, chained, "fc r10"
	freeze
	anew
	each data, stride, 8, "ld8 r14=[r10]"
	br.call.sptk.few b7=chain;;
	each stored, stride, 5, "st8 [r10]=r0"
	each stored, stride, 2, "fc r10"
	each nowhere, stride, 4, "fc r10"
	freeze
	br.ret.sptk.few b1;;
	chain_of_lines
