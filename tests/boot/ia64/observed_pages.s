// SPDX-License-Identifier: BSD-2-Clause
// Translation, for tests/unit/hal/test_ia64_observed.c: misses of both levels of the data TLB and
// of the instruction TLB, served by the page walker and by software, also for the register stack
// engine. The program does not access the performance monitor.
	.include "begin.inc"
	.include "vectors.inc"
	.include "translate.inc"
	.set PAGES, 256

// Reads one byte of each page of a range of pages of region 4.
.macro walk first, pages
	mov r10=\pages-1
	movl r11=(4<<61) + (\first<<12)
	movl r13=1<<12;;
	mov ar.lc=r10
	br.call.sptk.few b1=walk;;
.endm
	walker_table PAGES, 200		// page 200 is `callee`
	ptc.e r0
	ssm 1<<17;;			// PSR.dt
	srlz.i

	walk 0, 10
	walk 0, 40			// the last 8 replace the first 8 of the first level
	walk 0, 40
	walk 64, 110			// more pages than both levels have entries
	walk 64, 10
	movl r11=(4<<61) + (39<<12)
	mov r14=12<<2;;
	ptc.l r11,r14;;
	srlz.d;;
	walk 39, 1

	// A fault: no walker in region 5. A speculative load and a probe of the same page.
	movl r11=(5<<61) + 0x123458;;
{ .mmi
	nop.m 0
	ld8 r8=[r11]
	nop.i 0;;
}
	ld8.s r8=[r11]
	movl r11=(4<<61) + (202<<12) + 8;;
	probe.r r9=r11,0
	ld8.s r8=[r11]
	lfetch [r11];;
	st8 [r11]=r0
	xchg8 r9=[r11],r0;;
	ld8.a r8=[r11];;
	ld8.c.clr r8=[r11];;
	chk.s r8,1f
	nop.b 0
1:

	// Uncacheable and write-coalescing pages. After that the page walker's table is in such a
	// page.
	insert itc.d, 5<<61, SIZE_16K, (PAGE | RW | 4<<2 | 0x280000)
	insert itc.d, (5<<61) + (1<<14), SIZE_16K, (PAGE | RW | 6<<2 | 0x284000)
	movl r11=5<<61
	movl r14=(5<<61) + (1<<14);;
	ld8 r8=[r11]
	st8 [r14]=r0;;
	ld8 r8=[r14]
	st8 [r11]=r0;;
	insert_register "itr.d dtr", 1, TABLE, SIZE_64K, (PAGE | RW | 4<<2 | 0x240000)
	walk 100, 20
	insert_register "itr.d dtr", 1, TABLE, SIZE_64K, (PAGE | RW | 0x240000)

	// The backing store is in pages whose translations the page walker inserts.
	movl r2=(4<<61) + (210<<12) + 0xF00;;
	flushrs;;
	mov ar.bspstore=r2
	mov r8=psr
	movl r9=1<<27;;			// PSR.rt
	or r8=r8,r9;;
	mov psr.l=r8;;
	srlz.d
	alloc r4=ar.pfs,0,60,0,0;;
	br.call.sptk.few b1=flush;;
	ptc.e r0;;
	srlz.d;;
	br.call.sptk.few b1=flush;;

	// Code: translations from the page walker, and from software.
	translate_code
	movl r14=callee
	movl r3=(4<<61) + (200<<12);;
	dep r14=r14,r3,0,12;;
	mov b6=r14
	br.call.sptk.few b0=b6;;
	br.call.sptk.few b0=b6;;
	ptc.e r0;;
	srlz.i;;
	br.call.sptk.few b0=b6;;
	movl r14=(5<<61) + 0x8040;;
	mov b6=r14
	br.call.sptk.few b0=b6;;
	finish 0

	.balign 16
walk:
{ .mib
	ld1 r8=[r11]
	add r11=r11,r13
	br.cloop.sptk.few walk;;
}
	br.ret.sptk.few b1;;
flush:
{ .mib
	flushrs
	nop.i 0
	nop.b 0;;
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
