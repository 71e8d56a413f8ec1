// SPDX-License-Identifier: BSD-2-Clause
// The register stack engine's references, counted by hand: with each observer, and qualified by
// opcode and address of the instruction that causes them (6.2.6: PMC11.pt is 1). 40 registers are
// flushed to 300000H and loaded again. The next collection of NaT bits is at 3001F8H, 63 registers
// away, so there are 40 stores and 40 loads.
	.include "begin.inc"
	.include "monitor.inc"
	.include "observers.inc"
	monitors_off

// br.call, flushrs and br.ret: the return leaves the caller's frame of 40 registers incomplete.
.macro round
	movl r2=0x300000
	flushrs;;
	mov ar.bspstore=r2;;
	start
{ .mib
	nop.m 0
	nop.i 0
	br.call.sptk.few b1=flush;;
}
	freeze
.endm
.macro references
	select 0x72, 0x65, 0x6C, 0x6D	// RSE_LOADS, RSE_REFERENCES, LOADS, STORES
	round
	counted 40, 80, 40, 40
.endm
// IA64_INST_RETIRED by PMC8 (unit mask 3) counts the instruction, too.
.macro tagged retired, loads, references, stores
	select 0x08, 0x72, 0x65, 0x6D, 3
	round
	counted \retired, \loads, \references, \stores
.endm
// By instruction type and opcode: all M instructions; all B instructions; br.ret (major opcode 0 in
// PMC bits 59:56, x6 21H in bits 51:46; mask bits of 1 ignore encoding bits 36:33 and 12:0).
	.set ANY_BITS, 0x3FFFFFF8
	.set ANY_OPERAND, 15<<22 | 0x1FFF<<3
.macro by_opcode
	put pmc, 8, (1<<60 | 0x21<<46 | ANY_OPERAND)
	tagged 1 + 40, 40, 40, 0
	put pmc, 8, (1<<60 | ANY_BITS)
	tagged 3 + 40, 40, 40, 0	// br.call, the nop.b of flushrs's bundle, br.ret
	put pmc, 8, (1<<63 | ANY_BITS)
	tagged 5 + 40, 0, 40, 40	// srlz.d, two nop.m, flushrs, the write of PMC0
	put pmc, 8, (1<<62 | ANY_BITS)
	tagged 4, 0, 0, 0		// adds, three nop.i
	put pmc, 8, 0xF00000003FFFFFF8
.endm
// By the address of a bundle: flushrs's, br.ret's.
.macro by_address
	put ibr, 1, 0x0F00000000000000 | (0x00FFFFFFFFFFFFFF & ~15)
	put pmc, 13, 0
	put ibr, 0, flush
	tagged 3 + 40, 0, 40, 40
	put ibr, 0, return
	tagged 3 + 40, 40, 40, 0
	put pmc, 13, 1
.endm
	alloc r4=ar.pfs,0,40,0,0;;
	for_each_observer references

	by_opcode
	put pmc, 12, 0xFF81
	by_opcode
	put pmc, 12, 0
	by_address
	put pmc, 11, 1<<28 | 1
	by_address
	put pmc, 11, 1<<28

	// The handler of break covers the frame and flushes 40 registers; rfi leaves it incomplete. rfi: x6 is 8.
	movl r2=vectors;;
	mov cr.iva=r2
	bsw.1;;
	ssm 1<<13;;			// PSR.ic
	srlz.i
.macro interrupted retired, loads, references, stores
	select 0x08, 0x72, 0x65, 0x6D, 3
	movl r2=0x300000
	flushrs;;
	mov ar.bspstore=r2;;
	start
{ .mmi
	break.m 1
	nop.m 0
	nop.i 0;;
}
	freeze
	counted \retired, \loads, \references, \stores
.endm
	put pmc, 8, (1<<60 | 8<<46 | ANY_OPERAND)
	interrupted 1 + 40, 40, 40, 0
	put pmc, 12, 0xFF81
	interrupted 1 + 40, 40, 40, 0
	put pmc, 12, 0
	put pmc, 8, (1<<63 | ANY_BITS)
	interrupted 6 + 40, 0, 40, 40	// four M instructions of the handler; `start` and `freeze`
	finish 0

	.balign 16
flush:
{ .mib
	flushrs
	nop.i 0
	nop.b 0;;
}
return:
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b1;;
}

	.section .vectors,"ax"
	.balign 0x8000
vectors:
	.skip 0x2C00			// break
{ .mib
	mov r16=cr.iip
	nop.i 0
	cover;;
}
{ .mii
	flushrs
	add r16=16,r16
	nop.i 0;;
}
{ .mii
	mov cr.iip=r16
	nop.i 0
	nop.i 0;;
}
{ .mib
	srlz.i
	nop.i 0
	rfi;;
}
