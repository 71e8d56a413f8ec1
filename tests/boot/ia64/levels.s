// SPDX-License-Identifier: BSD-2-Clause
// CPU_CPL_CHANGES, counted by hand: a change counts for monitors of the new level, and not without
// such monitors.
	.include "begin.inc"
	.include "monitor.inc"
	.set CPL_CHANGES, 0x34

// Goes to level 3 and back to level 0 (epc: code is not translated).
.macro round_trip
	movl r9=3f
	movl r8=3<<62;;
	mov b1=r9
	mov ar.pfs=r8;;
	br.ret.sptk.few b1;;
	.balign 16
3:	epc;;
.endm

// The arguments are the privilege levels of PMC4, 5 and 6, as bits. Three round trips are counted,
// but not those before and after them.
.macro trips a, b, c
	select CPL_CHANGES, CPL_CHANGES, CPL_CHANGES
	put pmc, 4, (\a | CPL_CHANGES << 8)
	put pmc, 5, (\b | CPL_CHANGES << 8)
	put pmc, 6, (\c | CPL_CHANGES << 8)
	round_trip
	start
	round_trip
	round_trip
	round_trip
	mov r2=1;;
	freeze
	round_trip
.endm

	monitors_off
	trips 1, 8, 9
	counted 3, 3, 6
	trips 1, 0, 0			// a PMD whose monitor has no level is undefined
	pmd_is 4, 3
	trips 8, 0, 0
	pmd_is 4, 3
	finish 0
