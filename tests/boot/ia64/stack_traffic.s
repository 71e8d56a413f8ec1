// SPDX-License-Identifier: BSD-2-Clause
// The register stack engine's references. 40 registers are flushed to 300008H (one is that of the
// bundle's own frame) and loaded again: neither crosses a collection of NaT bits, which is at
// 3001F8H. Then 40 more, which cross it.
	.include "begin.inc"
	.include "monitor.inc"
	monitors_off

// Spills a frame of 40 registers, and fills it when the call returns. BSPSTORE is `from` before.
.macro round from
	movl r2=\from
	flushrs;;
	mov ar.bspstore=r2;;
	start
	br.call.sptk.few b1=flush
	freeze
.endm
	alloc r4=ar.pfs,0,40,0,0;;
	select 0x72, 0x65, 0x6C, 0x6D
	round 0x300000			// 3001F8H is 63 registers away
	counted 40, 80, 40, 40
	select 0x72, 0x65, 0x6C, 0x6D
	round 0x3000F8			// 32 registers, the collection, 8 registers
	counted 41, 82, 41, 41
	select 0x63, 0x12, 0x08
	round 0x3000F8
	// start, the call, flushrs, its bundle's nops, br.ret and its bundle's, the freeze
	counted 82, 2+3+3+3+1+82, 2+3+3+3+1
	finish 0

flush:
{ .mib
	flushrs
	nop.i 0
	nop.b 0;;
}
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b1;;
}
