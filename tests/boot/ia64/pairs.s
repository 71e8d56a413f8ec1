// SPDX-License-Identifier: BSD-2-Clause
// Two references in each cycle of the timed clock, counted by hand, with each observer. 100
// iterations of two floating-point loads, which bypass L1D; two stores; a semaphore, which reads
// and writes (L2_DATA_REFERENCES).
	.include "begin.inc"
	.include "monitor.inc"
	.include "observers.inc"
	monitors_off
	movl r10=0x180000
	movl r11=0x180008;;

.macro checks
	select 0x69, 0x69, 0x69, 0x63, 0x0213	// ALL, READS, WRITES; DATA_REFERENCES_RETIRED
	br.call.sptk.few b1=turns;;
	counted 600, 300, 300, 500
	select 0x6C, 0x6D, 0x64
	br.call.sptk.few b1=turns;;
	pmd_is 4, 200
	pmd_is 5, 200
	pmd_is 6, 0
	select 0x08, 0x30			// an iteration has 12 instructions, 6 of them nops
	br.call.sptk.few b1=turns;;
	counted 2 + 1200 + 1, 600
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
	ldfd f6=[r10]
	ldfd f7=[r11]
	nop.i 0;;
}
{ .mmi
	st8 [r10]=r0
	st8 [r11]=r0
	nop.i 0;;
}
{ .mii
	xchg8 r14=[r10],r0
	nop.i 0
	nop.i 0;;
}
{ .mib
	nop.m 0
	nop.i 0
	br.cloop.sptk.few turn;;
}
	freeze
	br.ret.sptk.few b1;;
