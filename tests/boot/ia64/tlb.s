// SPDX-License-Identifier: BSD-2-Clause
// Misses of the TLBs, and the page walker's insertions, counted by hand. A TLB's entries are
// replaced round-robin. Two of the data TLB's 96 entries are registers
// here.
	.include "begin.inc"
	.include "monitor.inc"
	.include "vectors.inc"
	.include "translate.inc"
	.set PAGES, 128

// Reads a byte of each of `pages` pages of region 4.
.macro walk pages
	mov r10=\pages-1
	movl r11=4<<61
	mov r13=1<<12;;
	mov ar.lc=r10;;
1:	ld1 r8=[r11]
	add r11=r11,r13
	br.cloop.sptk.few 1b;;
.endm
.macro count_misses
	select 0x61, 0x62, 0x27, 0x28	// of data, of instructions: misses, walker's insertions
	start
.endm

	walker_table PAGES, 100	// page 100 is `callee`
	ptc.e r0
	ssm 1<<17;;			// PSR.dt
	srlz.i
	monitors_off

	count_misses
	walk 10
	freeze
	counted 10, 10			// 1
	count_misses
	walk 10
	freeze
	counted 0			// 5
	count_misses
	walk 100			// 10 hit; the last 6 replace the first 6
	freeze
	counted 90, 90			// 9
	count_misses
	walk 100			// each replaces a later one
	freeze
	counted 100, 100		// 13

	// No walker in region 5: the load faults. A query of an address causes no miss.
	count_misses
	movl r11=5<<61;;
{ .mmi
	ld8 r8=[r11]
	nop.m 0
	nop.i 0;;
}
{ .mmi
	probe.r r8=r11,0
	nop.m 0
	nop.i 0;;
}
	freeze
	counted 1			// 17
	found 2, r24			// 21: both faulted

	// Code.
	translate_code
	movl r14=callee
	movl r3=(4<<61) + (100<<12);;
	dep r14=r14,r3,0,12;;
	mov b6=r14
	count_misses
	br.call.sptk.few b0=b6;;
	br.call.sptk.few b0=b6;;
	freeze
	counted 0, 0, 1, 1		// 22
	is r15, 0x4711

	// A large number: more than 256 in all.
	count_misses
	walk PAGES
	walk PAGES
	walk PAGES
	freeze
	counted 3*PAGES, 3*PAGES
	finish 0

	.balign 4096
callee:
{ .mib
	addl r15=0x4711,r0
	nop.i 0
	br.ret.sptk.few b0;;
}
	table
