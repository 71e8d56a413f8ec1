// SPDX-License-Identifier: BSD-2-Clause
// Thresholds with the timed clock, counted by hand, with each observer. A counter adds 1 in each
// cycle with more events than its threshold (6.1.1.1). 100 iterations of two cycles: two loads and
// a nop; two nops and a branch.
	.include "begin.inc"
	.include "monitor.inc"
	.include "observers.inc"
	monitors_off
	movl r10=0x180000
	movl r11=0x180008;;

// PMD4 to PMD7 count this event, each with its own threshold of 0 to 3.
.macro above event, a, b, c, d
	select \event, \event, \event, \event
	put pmc, 4, (1 | \event<<8 | \a<<20)
	put pmc, 5, (1 | \event<<8 | \b<<20)
	put pmc, 6, (1 | \event<<8 | \c<<20)
	put pmc, 7, (1 | \event<<8 | \d<<20)
	br.call.sptk.few b1=turns;;
.endm
.macro checks
	above 0x6C, 0, 1, 2, 1		// LOADS_RETIRED
	counted 200, 100, 0, 100
	above 0x64, 1, 0, 3, 1		// L1D_READS_RETIRED
	counted 100, 200, 0, 100
	select 0x08, 0x08, 0x6D, 0x12	// IA64_INST_RETIRED: three per cycle, fewer around the loop
	put pmc, 4, (1 | 8<<8 | 2<<20)
	put pmc, 5, (1 | 8<<8 | 3<<20)
	put pmc, 7, (1 | 0x12<<8 | 1<<20)	// CPU_CYCLES: never more than one
	br.call.sptk.few b1=turns;;
	counted 200, 0, 0, 0
.endm
	for_each_observer checks
	finish 0

	.balign 64
turns:
	mov r5=99;;
	mov ar.lc=r5
	start
turn:
{ .mmi
	ld8 r14=[r10]
	ld8 r15=[r11]
	nop.i 0;;
}
{ .mib
	nop.m 0
	nop.i 0
	br.cloop.sptk.few turn;;
}
	freeze
	br.ret.sptk.few b1;;
