// SPDX-License-Identifier: BSD-2-Clause
// A branch to IA-32 code: a fault if PSR.di disables it, or with a predicate; otherwise the run
// ends.
	.include "begin.inc"
	.include "vectors.inc"

	movl r2=vectors;;
	mov cr.iva=r2
	bsw.1
	ssm 1<<13;;
	srlz.i
	movl r2=0x123450;;
	mov b6=r2
	cmp.eq p9,p0=r0,r0
	movl r2=1<<22;;
	mov r3=psr;;
	or r3=r3,r2;;
	mov psr.l=r3;;
	srlz.i;;
{ .bbb
	br.ia.sptk.few b6
	nop.b 0
	nop.b 0;;
}
	found 0x5400, r16		// 1
	found 0x40, r17			// 2: disabled instruction set transition, in slot 0
	rsm 1<<22;;
	srlz.i;;
	nop.m 0;;
(p9)	br.ia.sptk.few b6;;
	found 0x5400, r16		// 3
	br.ia.sptk.few b6;;
	finish 0
	table
