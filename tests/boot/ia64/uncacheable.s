// SPDX-License-Identifier: BSD-2-Clause
// References to uncacheable and write-coalescing memory, counted by hand. Bit 63 of a physical
// address, or the attribute of a translation, makes memory uncacheable. Each read is a partial bus
// transaction (BRP), and so is each write (BWP, table 7-23), but one of write-coalescing memory.
// A semaphore is one of each. Such a reference looks into no cache (7.8).
	.include "begin.inc"
	.include "monitor.inc"
	.include "vectors.inc"
	.include "translate.inc"
	.include "lines.inc"
	.equ UC, 4<<2
	.equ UCE, 5<<2
	.equ WC, 6<<2
	.equ pages, 4<<61		// of region 4: UC, UCE, WC, cacheable

	movl r2=vectors;;
	mov cr.iva=r2
	bsw.1;;
	ssm 1<<13;;			// PSR.ic
	srlz.i
	cmp.eq p6,p7=r0,r0		// p7 is false
	monitors_off

	// Physical addresses. 5 loads, 2 stores and a semaphore bypass the caches; one load and one
	// store do not.
	second 0x6E, 0x6F, 0x6C, 0x6D, 0
	counted 5, 2, 5 + 1, 2 + 1
	second 0x48, 0x48, 0x4D, 0x4D, 0x2121	// BUS_PARTIAL, BUS_RD_PRTL
	counted 5 + 2 + 2, 5 + 2 + 2, 5 + 1, 5 + 1
	second 0x47, 0x4A, 0x49, 0x7B, 0x0222	// BUS_ALL, BUS_MEMORY, BUS_BURST, L3_REFERENCES
	counted 9, 9, 0, 0
	second 0x5D, 0x4B, 0x4F, 0x52, 0x2220	// BRL, BRIL and BWL are none
	counted 0, 0, 0, 0
	second 0x63, 0x64, 0x66, 0x69, 0x3000	// the prefetch is a reference
	counted 5 + 2 + 1 + 1 + 2, 1, 0, 1
	second 0x68, 0x6A, 0x6E, 0x6E, 0
	counted 1, 0, 5, 5

	// The register stack engine: 40 stores and 40 loads.
.macro round
	movl r2=1<<63 | 0x300000
	flushrs;;
	mov ar.bspstore=r2;;
	start
	br.call.sptk.few b1=flush
	freeze
.endm
	alloc r4=ar.pfs,0,40,0,0;;
	.rept 2
	select 0x6E, 0x6F, 0x48, 0x4D, 0x2200
	round
	.endr
	counted 40, 40, 80, 40
	.rept 2
	select 0x72, 0x64, 0x69, 0x6E, 0x0300
	round
	.endr
	counted 40, 0, 0, 40
	movl r2=0x300000
	flushrs;;
	mov ar.bspstore=r2;;

	// Translated addresses, for which bit 63 has no meaning.
	region 4, (SIZE_4K | 1 | 0x200<<8)
	insert_register "itr.d dtr", 0, 0, SIZE_16M, (PAGE | RWX)
	insert itc.d, pages, SIZE_4K, (PAGE | RW | UC | 0x280000)
	insert itc.d, pages + (1<<12), SIZE_4K, (PAGE | RW | UCE | 0x281000)
	insert itc.d, pages + (2<<12), SIZE_4K, (PAGE | RW | WC | 0x282000)
	insert itc.d, pages + (3<<12), SIZE_4K, (PAGE | RW | 0x283000)
	ssm 1<<17;;			// PSR.dt
	srlz.d
.macro each_page a, b, c, d, umasks
	.rept 2
	select \a, \b, \c, \d, \umasks
	br.call.sptk.few b1=touch;;
	.endr
.endm
	each_page 0x6E, 0x6F, 0x6C, 0x6D, 0
	counted 3, 3, 4, 4
	each_page 0x48, 0x4D, 0x64, 0x69, 0x3022
	counted 5, 3, 1, 1		// the WC page's store stays in the coalescing buffer
	insert itc.d, pages + (1<<12), SIZE_4K, (PAGE | RW | 0x281000)
	each_page 0x6E, 0x6F, 0x48, 0x64, 0x0200
	counted 2, 2, 3, 2

	// The page walker reads its table in an uncacheable page, for a load of a cacheable one.
	insert_register "itr.d dtr", 1, TABLE, SIZE_64K, (PAGE | RW | UC | 0x240000)
	movl r2=0x240000 + 8 * 16
	movl r3=0x290000 | PAGE | RW
	movl r4=0x100000 | 15<<2 | 1;;
	st8 [r2]=r3
	mov cr.pta=r4;;
	srlz.d
	.rept 2
	movl r11=pages + (16<<12)
	mov r14=12<<2;;
	ptc.l r11,r14;;
	srlz.d
	select 0x6E, 0x6C, 0x63, 0x4D, 0x2000
	start
	ld8 r14=[r11]
	nop.m 0
	nop.m 0;;
	freeze
	.endr
	counted 1, 2, 2, 1
	finish 0

	.balign stride
body:
	movl r10=1<<63 | 0x180000
	movl r11=0x180100
	start
	ld8 r14=[r10]
	st8 [r10]=r0;;
	ldfd f6=[r10]
	stfd [r10]=f0
	ld8.a r16=[r10];;		// gives 0 without a read
	ld8.c.clr r16=[r10];;		// so the ALAT does not have it
	ld8.c.clr r16=[r10]		// nor this time
	ld8.nt1 r17=[r10]
	lfetch [r10]			// does nothing
	xchg8 r18=[r10],r0;;
(p7)	ld8 r20=[r10]
(p7)	st8 [r10]=r0
	ld8 r19=[r11]			// cacheable
	st8 [r11]=r0;;
	freeze
	br.ret.sptk.few b1;;
flush:
{ .mib
	flushrs
	nop.i 0
	nop.b 0;;
}
	br.ret.sptk.few b1;;
	.balign 64
touch:
	movl r10=pages
	movl r11=pages + (1<<12)
	movl r14=pages + (2<<12)
	movl r15=pages + (3<<12)
	start
	ld8 r16=[r10]
	ld8 r17=[r11]
	ld8 r18=[r14]
	ld8 r19=[r15];;
	st8 [r10]=r0
	st8 [r11]=r0
	st8 [r14]=r0
	st8 [r15]=r0;;
	nop.m 0
	nop.m 0
	freeze
	br.ret.sptk.few b1;;
	table
