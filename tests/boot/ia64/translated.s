// SPDX-License-Identifier: BSD-2-Clause
// Translated code and data, counted by hand. Event address registers hold their virtual addresses.
// Each page is accessed before the count, so the TLBs have its translation, and the page walker
// makes no references.
	.include "begin.inc"
	.include "monitor.inc"
	.include "vectors.inc"
	.include "translate.inc"
	.equ memory, 120		// merced.machine
	.equ page, 4<<61		// page 0 of region 4
	.equ code, page + (100<<12)

.macro point branch, label
	movl r14=\label - callee + code;;
	mov \branch=r14
.endm
.macro call branch
{ .mib
	nop.m 0
	nop.i 0
	br.call.sptk.few b0=\branch;;
}
.endm

	walker_table 128, 100		// page 100 is `callee`
	ptc.e r0
	ssm 1<<17;;			// PSR.dt
	srlz.i
	monitors_off
	translate_code
	point b6, reader
	point b7, waiter

	// A byte of each of 10 pages; 10 iterations of two bundles. Taken are the call, 9
	// iterations, and the return, all from slot 2.
.macro read
	movl r11=page
	movl r13=1<<12
	mov r10=9;;
	mov ar.lc=r10
.endm
	read
	call b6
	select 0x08, 0x6C, 0x0D, 0x12, 0x0400
	read
	start
	call b6
	freeze
	counted 2 + 3 + 10*6 + 3 + 1, 10, 1 + 9 + 1, 2 + 3 + 10*6 + 3 + 1

	// A load that misses all caches.
	movl r11=page + (20<<12) + 0x48;;
	ld8 r14=[r11]
	put pmc, 11, 1<<28 | 1
	select 0x67, 0x66, 0x6C, 0x0D, 0x4000
	start
	call b7
	freeze
	counted 1, 1, 1, 2
	pmd_is 2, page + (20<<12) + 0x48
	pmd_is 17, waiter - callee + code + 1
	mov r8=3;;
	mov r8=pmd[r8];;
	zxt2 r8=r8;;
	is r8, memory
	put pmc, 11, 1<<28

	// A line of code that misses all caches: `alone` starts and freezes the count itself.
	put pmc, 10, 1
	point b6, alone
	select 0x23, 0x22, 0x20, 0x08
	call b6
	counted 1, 1, 1, 2 + 1
	mov r8=0;;
	mov r8=pmd[r8];;
	dep r8=0,r8,1,1;;		// undefined, except for translations
	is r8, alone - callee + code + 1
	mov r8=1;;
	mov r8=pmd[r8];;
	is r8, memory
	finish 0

	.balign 4096
callee:
reader:
{ .mib
	ld1 r14=[r11]
	nop.i 0
	nop.b 0;;
}
{ .mib
	add r11=r11,r13
	nop.i 0
	br.cloop.sptk.few reader;;
}
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b0;;
}
	.balign 64
waiter:
	ld8 r14=[r11]
	nop.i 0;;
	.rept memory
	nop.m 0
	.endr
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b0;;
}
	.balign 64
alone:
	start
{ .mmi
	mov pmc[r0]=r2;;
	srlz.d
	nop.i 0;;
}
	br.ret.sptk.few b0;;
	table
