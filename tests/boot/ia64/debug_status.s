// SPDX-License-Identifier: BSD-2-Clause
// PSR.db does not change counts without address qualification. Counted: 15 nops, two instructions
// of `start`, one of `freeze`; with PMC11.pt 1 and 0, with the branch trace and without. No
// breakpoint register has a condition.
	.include "begin.inc"
	.include "monitor.inc"
	.include "observers.inc"
	no_breakpoints
	monitors_off

.macro status instruction
	mov r8=psr
	movl r9=1<<24;;			// PSR.db
	\instruction r8=r8,r9;;
	mov psr.l=r8;;
	srlz.i;;
.endm
.macro nops
	select 0x08, 0x30
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
