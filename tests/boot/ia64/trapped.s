// SPDX-License-Identifier: BSD-2-Clause
// Branches that trap leave their source in the branch trace buffer, but not their target: section 6.2.8.2, footnote 1.
// By hand: the next branch in the buffer is the one in the trap's vector, which goes to `note`.
	.include "begin.inc"
	.include "vectors.inc"
	.include "monitor.inc"

// Clears the buffer; traces all branches at level 0.
.macro trace
	select
	put pmc, 12, 0xFF81
	put pmd, 16, 0
.endm

// PMD8 is the branch at slot 2 of `bundle`, PMD9 and PMD10 that of the vector. Their last bits are
// 1, and 4 for each slot; 2 is for a wrong prediction, and for a target.
.macro traced bundle, vector
	pmd_is 16, 3
	source 8, \bundle
	source 9, vectors + \vector
	pmd_is 10, note + 2
.endm
.macro source number, bundle
	mov r8=\number;;
	mov r8=pmd[r8];;
	and r8=-3,r8;;
	is r8, (\bundle + 1 + 2 * 4)
.endm

	movl r2=vectors;;
	mov cr.iva=r2
	bsw.1;;
	ssm 1<<13;;			// PSR.ic
	srlz.i;;
	monitors_off
	trace
	psr_bit or, 26			// tb
	start
branch:
{ .mib
	nop.m 0
	nop.i 0
	br.cond.sptk.few onward;;
}
	finish 100
	.balign 16
onward:
{ .mii
	nop.m 0				// the handler continues with the next bundle
	nop.i 0
	nop.i 0;;
}
	freeze
	psr_bit andcm, 26
	found 0x5F00, r16		// 1
	traced branch, 0x5F00		// 2 to 5

	trace
	psr_bit or, 25			// lp
	movl r9=lower
	movl r8=3<<62;;
	mov b1=r9
	mov ar.pfs=r8;;
	start
return:
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b1;;
}
	finish 101
	lower_target
	freeze
	found 0x5E00, r16		// 6
	traced return, 0x5E00		// 7 to 10
	finish 0
	table
