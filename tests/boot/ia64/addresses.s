// SPDX-License-Identifier: BSD-2-Clause
// Contents of event address registers after misses (6.2.7): address, latency
// (hal/emu/model/merced.machine), threshold. Misses of the instruction cache by code that runs
// twice.
	.include "begin.inc"
	.include "monitor.inc"
	monitors_off
	movl r10=0x1000000
	movl r11=0x1000020;;		// the other half of the line of L2

// One load, and enough instructions to wait for it.
.macro lone label, address
	start
\label:
	ld8 r14=[\address]
	nop.i 0;;
	.rept 200
	nop.m 0
	.endr
	freeze
.endm
.macro data_is label, address, latency
	pmd_is 2, \address
	mov r8=3;;
	mov r8=pmd[r8];;
	zxt2 r8=r8;;
	is r8, \latency
	pmd_is 17, \label + 1
.endm
.equ memory, 120
.equ l2, 6

	// From memory; then from L2, which has the line.
	put pmc, 11, 1<<28 | 1
	select 0x67, 0x66, 0x6C, 0x7F
	lone first, r10
	counted 1, 1, 1
	data_is first, 0x1000000, memory
	lone second, r11
	counted 2, 2, 2
	data_is second, 0x1000020, l2
	lone third, r11			// hits: nothing is captured
	counted 2, 2, 3
	data_is second, 0x1000020, l2

	// Thresholds: loads of at least 64 cycles, and of at least 128.
	put pmc, 11, 1<<28 | 4<<16 | 1
	put pmd, 17, 0
	adds r11=64,r10
	adds r12=96,r10
	adds r13=128,r10
	select 0x67, 0x66, 0x6C, 0x7F
	lone fourth, r11
	counted 1, 1, 1
	data_is fourth, 0x1000040, memory
	lone fifth, r12
	counted 1, 2, 2
	put pmc, 11, 1<<28 | 5<<16 | 1
	put pmd, 17, 0
	select 0x67, 0x66, 0x6C, 0x7F
	lone sixth, r13
	counted 0, 1, 1
	pmd_is 17, 0
	put pmc, 11, 1<<28

	// 640 lines of code are 5 for each set of L1I, so all of them miss each time.
	select 0x20, 0x22, 0x21, 0x26
	br.call.sptk.few b1=code
	select 0x20, 0x22, 0x21, 0x26
	br.call.sptk.few b1=code
	counted 640, 640, 640, 640

	// The instruction event address register: a line that is fetched from memory.
	put pmc, 10, 1
	select 0x23, 0x22, 0x20, 0x7F
	br.call.sptk.few b1=alone
	counted 1, 1, 1
	mov r8=0;;
	mov r8=pmd[r8];;
	dep r8=0,r8,1,1;;		// undefined, except for translations
	is r8, alone + 1
	mov r8=1;;
	mov r8=pmd[r8];;
	is r8, memory
	finish 0

	// 640 lines: the first has the monitor's start, the last its freeze.
	.balign 32
code:
	nop.m 0
	start
	.rept 639 * 2 - 1
{ .mmi
	nop.m 0
	nop.m 0
	nop.i 0;;
}
	.endr
	freeze
	br.ret.sptk.few b1;;
	.balign 64
alone:
	start
{ .mmi
	mov pmc[r0]=r2;;
	srlz.d
	nop.i 0;;
}
	br.ret.sptk.few b1;;
