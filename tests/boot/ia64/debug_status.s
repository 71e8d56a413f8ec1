// SPDX-License-Identifier: BSD-2-Clause
// PSR.db does not change counts that no address qualifies: instructions and cycles of 15 nops between start's two
// instructions and freeze's one, with PMC11.pt 1 and 0, with the branch trace and without. No breakpoint register has a
// condition.
	.include "begin.inc"
	.include "monitor.inc"
	.include "observers.inc"
	.irp i, 0, 2, 4, 6
	put ibr, \i, 0
	put ibr, \i + 1, 0
	put dbr, \i, 0
	put dbr, \i + 1, 0
	.endr
	monitors_off
	is_timed
	cmp.ne p10,p11=r0,r8;;

.macro status instruction
	mov r8=psr
	movl r9=1<<24;;			// PSR.db
	\instruction r8=r8,r9;;
	mov psr.l=r8;;
	srlz.i;;
.endm
// With the timed clock a cycle has three nops, as start has two instructions; freeze is alone.
.macro nops
	select 0x08, 0x30, 0x12, 0x12
	start
	.rept 5
{ .mii
	nop.m 0
	nop.i 0
	nop.i 0;;
}
	.endr
	freeze
	pmd_is 4, 2 + 15 + 1
	pmd_is 5, 15
.endm
.macro checks
	nops
	put pmc, 11, 0
	nops
	put pmc, 12, 0xFF81
	nops
	put pmc, 11, 1<<28
	nops
	put pmc, 12, 0
.endm
	status andcm
	checks
	status or
	checks
	status andcm
	finish 0
