// SPDX-License-Identifier: BSD-2-Clause
// Disabled floating-point registers, traps of taken branches and of transfers to a lower privilege, and epc: software
// developer's manual, volume 2, sections 3.3.2 and 8.3. The status is the number of the check that fails.
	.include "begin.inc"
	.include "vectors.inc"
	.set SLOT1, 1<<41
	.set SLOT2, 1<<42

	movl r2=vectors;;
	mov cr.iva=r2
	bsw.1;;
	ssm 1<<13;;			// PSR.ic
	srlz.i;;

	psr_bit or, 18			// dfl
{ .mfi
	nop.m 0
	fmerge.s f6=f7,f8
	nop.i 0;;
}
	found 0x5500, r16		// 1
	found 1|SLOT1, r17
{ .mfi
	cmp.ne p8,p9=r0,r0
	nop.f 0
	nop.i 0;;
}
{ .mfi
	mov r10=3
(p8)	fmerge.s f6=f7,f8		// its predicate is false: no fault
	nop.i 0;;
}
{ .mfi
	add r10=1,r10
	fmerge.s f40=f0,f1		// not in the disabled half
	nop.i 0;;
}
	found 1, r24			// 3
	is r10, 4
	psr_bit andcm, 18
	psr_bit or, 19			// dfh
{ .mfi
	nop.m 0
	fmerge.s f40=f0,f1
	nop.i 0;;
}
	found 0x5500, r16		// 5
	found 2|SLOT1, r17
	psr_bit andcm, 19

	psr_bit or, 26			// tb
{ .mib
	nop.m 0
	nop.i 0
	br.cond.sptk.few taken;;
}
	finish 100
	.balign 16
taken:
{ .mii
	nop.m 0				// the handler continues with the next bundle
	nop.i 0
	nop.i 0;;
}
	psr_bit andcm, 26
	found 0x5F00, r16		// 7
	found 4|SLOT2, r17
	movl r9=taken
	bsw.0;;
	mov r8=r18;;
	bsw.1;;
	expect 200, r8, r9

	psr_bit or, 25			// lp
	movl r9=lower
	movl r8=3<<62;;
	mov b1=r9
	mov ar.pfs=r8;;
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b1;;
}
	finish 101
	lower_target
	mov r9=cr.dcr;;			// faults at level 3
	found 0x5E00, r30		// 9
	found 2|SLOT2, r29
	found 4, r24			// these four interruptions, and no other
	finish 0
	table
