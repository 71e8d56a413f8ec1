// SPDX-License-Identifier: BSD-2-Clause
// Translation: TLBs, the VHPT walker, keys, access rights; faults, and their ISR, IFA, ITIR and
// IHA: software developer's manual, volume 2, chapters 4 and 8. The status is the number of the
// check that fails.
	.include "begin.inc"
	.include "vectors.inc"
	.set W, 1<<33
	.set R, 1<<34
	.set X, 1<<32
	.set NA, 1<<35
	.include "translate.inc"

.macro load address
	movl r2=\address;;
{ .mmi
	ld8 r8=[r2]
	nop.m 0
	nop.i 0;;
}
.endm
.macro store address
	movl r2=\address;;
{ .mmi
	st8 [r2]=r2
	nop.m 0
	nop.i 0;;
}
.endm
.macro faults vector, isr, address
	found \vector, r16
	found \isr, r17
	found \address, r20
.endm

	movl r2=vectors;;
	mov cr.iva=r2
	bsw.1
	region 0, SIZE_16K
	region 5, (SIZE_16K | 0x123<<8)
	ssm 1<<13;;
	srlz.i
	insert_register "itr.d dtr", 0, 0, SIZE_16M, (PAGE | RWX)	// this program's own
	insert_register "itr.i itr", 7, 0, SIZE_16M, (PAGE | RWX)
	insert_register "itr.i itr", 7, 0, SIZE_16M, (PAGE | RWX)	// no overlap with itself
	ssm 1<<17;;			// PSR.dt
	srlz.d

	insert itc.d, 0xA000000000000000, SIZE_16K, (PAGE | RW | 0x200000)
	movl r2=0xA000000000003FF8
	movl r3=0x203FF8
	movl r4=0x123456789ABCDEF0;;
	st8 [r2]=r4;;
	ld8 r8=[r3];;
	is r8, 0x123456789ABCDEF0	// 1
	tpa r8=r2;;
	is r8, 0x203FF8

	load 0xA000000000004000		// 3: no translation
	faults 0x1000, R, 0xA000000000004000
	rsm 1<<13;;
	srlz.d
	mov r8=cr.itir;;
	ssm 1<<13;;
	srlz.d
	is r8, (SIZE_16K | 0x123<<8)	// 6: the region's page size
	movl r2=0xA000000000004000;;
{ .mmi
	nop.m 0
	probe.r r8=r2,0
	nop.i 0;;
}
	found 0x1000, r16
	found (R | NA | 2 | 1<<41), r17
	tak r8=r2;;
	is r8, 1			// 9
	load 0x0010000000000000
	faults 0x5400, (0x30 | R), 0x0010000000000000		// 10

	insert itc.d, 0xA000000000004000, SIZE_16K, 0
	load 0xA000000000004000
	faults 0x5000, R, 0xA000000000004000	// 13
	insert itc.d, 0xA000000000004000, SIZE_16K, (PAGE | RW | 7<<2 | 0x204000)
	load 0xA000000000004000
	faults 0x5600, (R | 0x20), 0xA000000000004000	// 16
	insert itc.d, 0xA000000000004000, SIZE_16K, (PAGE | R_ | 0x204000)
	store 0xA000000000004000
	faults 0x5300, W, 0xA000000000004000	// 19
	movl r2=0xA000000000004000;;
	probe.r r8=r2,0;;
	is r8, 1
	probe.w r8=r2,0;;
	is r8, 0
	probe.r r8=r2,3;;		// a page of level 0
	is r8, 0
	insert itc.d, 0xA000000000004000, SIZE_16K, (1 | 1<<5 | RW | 0x204000)
	store 0xA000000000004000
	faults 0x2000, W, 0xA000000000004000	// 25
	insert itc.d, 0xA000000000004000, SIZE_16K, (1 | 1<<6 | RW | 0x204000)
	load 0xA000000000004000
	faults 0x2800, R, 0xA000000000004000	// 28

	// Keys.
	insert itc.d, 0xA000000000004000, (SIZE_16K | 0x77<<8), (PAGE | RW | 0x204000)
	movl r2=0xA000000000004000;;
	tak r8=r2;;
	is r8, 0x7700			// 31
	mov r2=0
	mov r3=1;;
	mov pkr[r2]=r3			// key 0 is this program's
	ssm 1<<15;;			// PSR.pk
	srlz.d
	load 0xA000000000004000
	faults 0x1C00, R, 0xA000000000004000	// 32
	mov r2=1
	mov r3=0x7703;;			// no writes
	mov pkr[r2]=r3;;
	srlz.d
	store 0xA000000000004000
	faults 0x5100, W, 0xA000000000004000	// 35
	rsm 1<<15;;
	srlz.d

	// Purges.
	movl r2=0xA000000000004000
	mov r3=SIZE_16K;;
	ptc.l r2,r3;;
	srlz.d
	load 0xA000000000004000
	faults 0x1000, R, 0xA000000000004000	// 38
	movl r2=0x1000;;
	load 0x1000			// ptc.l leaves registers alone
	found 0x1000, r16		// 41: the last interruption is still the same
	ptc.e r0;;
	srlz.d
	load 0xA000000000000000
	faults 0x1000, R, 0xA000000000000000	// 42

	// The VHPT with short entries: 32 KB at 100000H of the region.
	region 4, (SIZE_4K | 1 | 0x200<<8)
	movl r2=0x100000 | 15<<2 | 1;;
	mov cr.pta=r2;;
	srlz.i
	movl r2=0x8000000000005000;;
	thash r8=r2;;
	is r8, 0x8000000000100028	// 45
	load 0x8000000000005000
	faults 0x0000, R, 0x8000000000005000	// 46
	rsm 1<<13;;
	srlz.d
	mov r8=cr.iha;;
	ssm 1<<13;;
	srlz.d
	is r8, 0x8000000000100028	// 49
	insert_register "itr.d dtr", 1, 0x8000000000100000, SIZE_64K, (PAGE | RW | 0x240000)
	load 0x8000000000005000
	faults 0x5000, R, 0x8000000000005000	// 50: the entry is not present
	movl r2=0x240028
	movl r3=PAGE | RW | 0x203000;;
	st8 [r2]=r3
	ptc.e r0;;
	srlz.d
	load 0x8000000000005FF8
	is r8, 0x123456789ABCDEF0	// 53

	// The VHPT with long entries.
	movl r2=0x8000000000100000 | 1<<8 | 15<<2 | 1;;
	mov cr.pta=r2
	ptc.e r0;;
	srlz.i
	movl r2=0x8000000000005000;;
	thash r8=r2;;
	is r8, 0x80000000001040A0	// 54: page 5 xor region 200H, 32 bytes each
	movl r2=0x2440A0
	movl r3=PAGE | RW | 0x203000
	mov r6=SIZE_4K;;
	st8 [r2]=r3,8;;
	st8 [r2]=r6			// a valid entry, except for its tag, 0
	load 0x8000000000005000
	faults 0x0800, R, 0x8000000000005000	// 55: the tag of another address
	movl r4=0x8000000000005000;;
	ttag r5=r4
	movl r2=0x2440B0;;
	st8 [r2]=r5;;
	load 0x8000000000005FF8
	is r8, 0x123456789ABCDEF0	// 58

	// A TLB miss while PSR.ic is 0: data nested TLB. The handler continues after IIP.
	movl r2=nested-16
	mov r3=psr
	movl r4=1<<44 | 1<<13
	rsm 1<<13;;
	srlz.i;;
	or r3=r3,r4
	mov cr.iip=r2;;
	mov cr.ipsr=r3
	movl r2=0xA000000000000000;;
	ld8 r8=[r2];;
	.balign 16
nested:
{ .mmi
	nop.m 0
	nop.m 0
	nop.i 0;;
}
	found 0x1400, r16		// 59

	// Code.
	translate_code
	movl r2=callee
	movl r3=0xA000000000000000;;
	dep r2=r2,r3,0,14;;
	mov b6=r2
	br.call.sptk.few b0=b6;;
	found 0x0C00, r16		// 60
	found X, r17
	insert itc.i, 0xA000000000000000, SIZE_16K, (PAGE | RW | 0x100000)
	br.call.sptk.few b0=b6;;
	found 0x5200, r16		// 62
	found X, r17
	insert itc.i, 0xA000000000000000, SIZE_16K, (PAGE | 1<<9 | 0x100000)
	br.call.sptk.few b0=b6;;
	is r8, 0x4711			// 64
	ptc.e r0;;
	srlz.i
	br.call.sptk.few b0=b6;;
	found 0x0C00, r16		// 65
	finish 0

	.balign 16
callee:
{ .mib
	addl r8=0x4711,r0
	nop.i 0
	br.ret.sptk.few b0;;
}
	table
