// SPDX-License-Identifier: BSD-2-Clause
// Prefetches of code by `brp`. Each looks up the 64 bytes that contain the target: two lines of L1I, one line of L2
// (table 8-1). If L1I lacks a line of them, that is one request to L2. The branches that follow hit L1I.
	.include "begin.inc"
	.include "monitor.inc"
	.include "vectors.inc"
	.include "translate.inc"

	monitors_off
// Counts the events of a function's second call. Its own code is in L1I then.
.macro second function, a, b, c, d, umasks=0
	.rept 2
	select \a, \b, \c, \d, \umasks
	br.call.sptk.few b1=\function;;
	.endr
.endm
.macro checks
	// From memory: two lookups, the second of which finds both lines; one request.
	second from_memory, 0x24, 0x25, 0x22, 0x26	// L1I_PREFETCH_READS, L2_INST_PREFETCH_READS
	counted 2, 1, 0, 2				// no demand fetch misses; ISB_LINES_IN
	second from_memory, 0x21, 0x68, 0x6A, 0x7B	// L1I_FILLS, L2_REFERENCES, L2_MISSES, L3_REFERENCES
	counted 2, 1, 1, 1
	second from_memory, 0x7D, 0x47, 0x4B, 0x4C, 0x2226	// L3_READS.INST_READS.MISS, BUS_ALL, _RD_ALL, _RD_DATA
	counted 1, 1, 1, 0
	// One of the lines is still in L1I.
	second one_line, 0x24, 0x25, 0x26, 0x6A
	counted 1, 1, 1, 1
	// L1I has lost a line, but L2 has not: five other lines of the set have executed.
	second from_l2, 0x24, 0x25, 0x6A, 0x7B
	counted 1, 1, 0, 0
.endm
	checks
	second beyond, 0x24, 0x20, 0x08		// L1I_DEMAND_READS of `beyond`: several
	pmd_is 4, 1
	second nowhere, 0x24, 0x25
	counted 0, 0

	// Translated code: the instruction TLB has the first 16 MB.
	walker_table 2, 1
	ssm 1<<17;;			// PSR.dt
	srlz.i
	translate_code
	checks
	second beyond, 0x24, 0x25, 0x27, 0x28	// cancelled: no miss of the TLB
	counted 0, 0, 0, 0
	finish 0

.macro flushed addresses:vararg
	.irp address, \addresses
	movl r10=\address;;
	fc r10
	.endr
	sync.i;;
	srlz.i;;
.endm
.macro announce target
{ .mib
	nop.m 0
	nop.i 0
	brp.sptk \target,1f
}
1:
.endm
	// Waits for queued events.
.macro wait
	.rept 6
	nop.m 0
	.endr
.endm

	.balign 4096
from_memory:
	flushed far, far + 32
	start
	announce far
	announce far + 48
	wait
	br.call.sptk.few b7=far;;
	freeze
	br.ret.sptk.few b1;;
one_line:
	flushed far
	start
	announce far
	wait
	br.call.sptk.few b7=far;;
	freeze
	br.ret.sptk.few b1;;
from_l2:
	start
	br.call.sptk.few b7=far;;
	br.call.sptk.few b7=hop_1;;
	announce far
	wait
	br.call.sptk.few b7=far;;
	freeze
	br.ret.sptk.few b1;;
beyond:
	start
	announce far + 0xF00000		// above the first 16 MB, where there is memory
	wait
	freeze
	br.ret.sptk.few b1;;
nowhere:
	start
	announce far - 0x200000		// below 0
	wait
	freeze
	br.ret.sptk.few b1;;

	.balign 4096
	.skip 2048
far:
	.rept 3
{ .mii
	nop.m 0
	nop.i 0
	nop.i 0
}
	.endr
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b7;;
}
	.irp line, 1, 2, 3, 4
	.balign 4096
	.skip 2048
hop_\line:
{ .mib
	nop.m 0
	nop.i 0
	br.cond.sptk.few hop_\line + 4096;;
}
	.endr
	.balign 4096
	.skip 2048
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b7;;
}
	.balign 4096
callee:
	nop.m 0
	table
