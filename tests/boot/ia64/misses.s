// SPDX-License-Identifier: BSD-2-Clause
// Misses of the data TLB's first level, contents of event address registers after TLB misses
// (6.2.7.3, 6.2.7.6), and the page walker's own references, counted by hand. The first level has 32
// entries, replaced round-robin.
	.include "begin.inc"
	.include "monitor.inc"
	.include "vectors.inc"
	.include "translate.inc"
	.set PAGES, 256

// Reads a byte of each of `pages` pages of region 4, beginning with page `first`.
.macro walk first, pages
	mov r10=\pages-1
	movl r11=(4<<61) + (\first<<12)
	movl r13=1<<12;;
	mov ar.lc=r10
	br.call.sptk.few b1=walk;;
.endm
.macro level_is value
	mov r8=3;;
	mov r8=pmd[r8];;
	extr.u r8=r8,62,2;;
	is r8, \value
.endm
.macro data_is address, bundle, slot, level
	pmd_is 2, \address
	pmd_is 17, \bundle + \slot * 4 + 1
	level_is \level
.endm
// Compares PMD0 with an address and the tlb bit. PMD1, the latency, is undefined.
.macro code_is address, software
	pmd_is 0, \address + \software * 2 + 1
.endm

	walker_table PAGES, 200	// page 200 is `callee`
	ptc.e r0
	ssm 1<<17;;			// PSR.dt
	srlz.i
	monitors_off

	// The second level has 94 entries in addition to registers.
	select 0x60, 0x61, 0x63, 0x6C	// misses: first level, both; references and loads, the walker's too
	start
	walk 0, 10
	freeze
	counted 10, 10, 20, 20		// 1
	select 0x60, 0x61, 0x63, 0x6C
	start
	walk 0, 40			// 10 hit; the last 8 replace the first 8
	freeze
	counted 30, 30, 70, 70		// 5
	select 0x60, 0x61, 0x63, 0x6C
	start
	walk 0, 40			// each replaces a later one
	freeze
	counted 40, 0, 40, 40		// 9

	// An entry that is purged from the second level is no longer in the first one.
	movl r11=(4<<61) + (39<<12)
	mov r14=12<<2
	select 0x60, 0x61, 0x62, 0x33, 0x4000	// the last: flushes for the first level's misses
	start
	ptc.l r11,r14;;
	srlz.d;;
	walk 39, 1
	walk 38, 1
	freeze
	counted 1, 1, 1, 1		// 13

	// The data event address register: each level separately, then all; it keeps the last miss.
	put pmc, 11, 1<<28 | 1<<17 | 1<<7 | 1	// of the second level
	put pmd, 17, 0
	put pmd, 3, 0
	select 0x67, 0x60, 0x61
	start
	walk 40, 1			// by the walker
	walk 8, 1			// replaced by page 40 and those before it
	walk 41, 1
	freeze
	counted 1, 3, 2			// 17
	data_is ((4<<61) + (8<<12)), load, 0, 1	// 21

	put pmc, 11, 1<<28 | 1<<18 | 1<<7 | 1	// of the walker
	select 0x67, 0x60, 0x61
	start
	walk 42, 1
	walk 10, 1			// in the second level: not captured
	freeze
	counted 1, 2, 1			// 24
	data_is ((4<<61) + (42<<12)), load, 0, 2	// 28

	put pmc, 11, 1<<28 | 1<<19 | 1<<7 | 1	// of software
	select 0x67, 0x60, 0x61
	movl r11=(5<<61) + 0x123458;;
	start
software:
{ .mmi
	nop.m 0
	ld8 r8=[r11]			// no walker in region 5: it faults and is skipped
	nop.i 0;;
}
	walk 43, 1
	freeze
	counted 1, 2, 2			// 31
	data_is ((5<<61) + 0x123458), software, 1, 3	// 35
	found 1, r24			// 38

	put pmc, 11, 1<<28 | 14<<16 | 1<<7 | 1	// of all
	select 0x67, 0x60
	start
	walk 12, 1
	walk 44, 2
	freeze
	counted 3, 3			// 39
	data_is ((4<<61) + (45<<12)), load, 0, 2	// 43
	put pmc, 11, 1<<28

	// Qualification by instruction address: the bundle of `load`, and the faulting one. 16
	// bytes each.
	put ibr, 2, 0
	put ibr, 3, 0
	put ibr, 4, 0
	put ibr, 5, 0
	put ibr, 6, 0
	put ibr, 7, 0
	put ibr, 0, load
	put ibr, 1, 0x0F00000000000000 | (0x00FFFFFFFFFFFFFF & ~15)
	put pmc, 13, 0
	select 0x60, 0x61, 0x62
	start
	walk 46, 2
	movl r11=5<<61;;
	br.call.sptk.few b1=faults
	freeze
	counted 2, 2, 2			// 46
	put ibr, 0, faults
	select 0x60, 0x61, 0x62
	start
	walk 48, 2
	movl r11=5<<61;;
	br.call.sptk.few b1=faults
	freeze
	counted 1, 1, 0			// 50
	put pmc, 13, 1

	// The walker reads L2: the entries of pages 64 to 73 are in two lines. Each page's data is
	// a line in no cache.
	select 0x69, 0x64, 0x4C, 0x66, 0x0201	// L2 references that read; L1D: reads, misses; BUS_RD_DATA
	start
	walk 64, 10
	freeze
	counted 20, 10, 12, 10		// 54
	// By data address: the entries of pages 80 to 87. References of instructions and walker,
	// and those of the walker alone.
	put dbr, 0, TABLE + 8 * 80
	put dbr, 1, 0x0F00000000000000 | (0x00FFFFFFFFFFFFFF & ~63)
	put dbr, 2, TABLE + 8 * 80
	put dbr, 3, 0x0F00000000000000 | (0x00FFFFFFFFFFFFFF & ~63)
	put dbr, 4, TABLE + 8 * 80
	put dbr, 5, 0x0F00000000000000 | (0x00FFFFFFFFFFFFFF & ~63)
	put dbr, 6, TABLE + 8 * 80
	put dbr, 7, 0x0F00000000000000 | (0x00FFFFFFFFFFFFFF & ~63)
	put pmc, 11, 0
	select 0x63, 0x6C, 0x69, 0x64, 0x0100
	start
	walk 78, 12
	freeze
	counted 8, 8, 8, 0		// 58
	put pmc, 11, 1<<28

	// Code: by the walker, and by software.
	translate_code
	movl r14=callee
	movl r3=(4<<61) + (200<<12);;
	dep r14=r14,r3,0,12;;
	mov b6=r14
	mov r20=r14
	put pmc, 10, 1<<18 | 1<<7 | 1
	put pmd, 0, 0
	select 0x23, 0x27, 0x28, 0x63
	start
	br.call.sptk.few b0=b6;;
	br.call.sptk.few b0=b6;;
	freeze
	counted 1, 1, 1, 1		// 62: the walker's read is a reference, too
	code_is ((4<<61) + (200<<12) + 0x20), 0	// 66
	put pmc, 10, 1<<19 | 1<<7 | 1
	select 0x23, 0x27, 0x28
	movl r14=(5<<61) + 0x8040;;
	mov b6=r14
	start
	br.call.sptk.few b0=b6;;
	freeze
	counted 1, 1, 0			// 67
	code_is ((5<<61) + 0x8040), 1	// 71
	finish 0

	.balign 16
faults:
{ .mmi
	ld8 r8=[r11]
	nop.m 0
	nop.i 0;;
}
	br.ret.sptk.few b1;;
	.balign 16
walk:
load:
{ .mib
	ld1 r8=[r11]
	add r11=r11,r13
	br.cloop.sptk.few load;;
}
	br.ret.sptk.few b1;;

	.balign 4096
	.skip 32
callee:
{ .mib
	addl r15=0x4711,r0
	nop.i 0
	br.ret.sptk.few b0;;
}
	table
