// SPDX-License-Identifier: BSD-2-Clause
// Monitoring of one process, of several, and of all (Itanium Processor Reference Manual, 6.1.3.2,
// figures 6-6 to 6-8): the kernel only restores each process's PSR. The processes make 3, 5 and 7
// stores at level 3; each calls the kernel once, whose handler makes one store. PMD4 counts stores,
// by hand.
	.include "begin.inc"
	.include "monitor.inc"
	.equ UP, 1<<2
	.equ PP, 1<<21
	.equ USER, 3<<32 | 1<<44 | 1<<13	// level 3, bank 1, PSR.ic
	.equ STORES, 0x6D<<8
	.equ CALL, 0x10
	.equ EXIT, 0x20

// Switches to a process whose PSR has these bits, until it exits.
.macro process code, bits
	movl r2=\code
	movl r3=USER | \bits
	movl r4=1f;;
	mov b7=r4
	mov cr.iip=r2
	mov cr.ipsr=r3
	mov cr.ifs=r0;;
	rfi;;
	.balign 16
1:
.endm

// Counts with these bits of PMC4 and DCR, and of the processes' PSR.
.macro monitor pmc, dcr, one, two, three, expected
	put pmc, 0, 1
	put pmc, 4, (STORES | \pmc)
	put pmd, 4, 0
	mov r2=\dcr;;
	mov cr.dcr=r2
	put pmc, 0, 0
	srlz.d
	process first, \one
	process second, \two
	process third, \three
	put pmc, 0, 1
	srlz.d
	pmd_is 4, \expected
.endm

	movl r2=vectors;;
	mov cr.iva=r2
	movl r10=0x181000
	rsm 1<<13;;			// PSR.ic
	srlz.i
	monitors_off
	// Level 3: PMC.plm is 1000. One process, two, all.
	monitor 8, 0, UP, 0, 0, 3
	monitor 8, 0, UP, UP, 0, 3 + 5
	monitor 8, 0, UP, UP, UP, 3 + 5 + 7
	// And level 0: 1001. PSR.up holds in handlers of the process.
	monitor 9, 0, UP, 0, 0, 3 + 1
	monitor 9, 0, UP, UP, 0, 3 + 5 + 2
	monitor 9, 0, UP, UP, UP, 3 + 5 + 7 + 3
	// And interruptions: PMC.pm, DCR.pp. Each handler has PSR.pp.
	monitor 0x49, 1, PP, 0, 0, 3 + 3
	monitor 0x49, 1, PP, PP, 0, 3 + 5 + 3
	monitor 0x49, 1, PP, PP, PP, 3 + 5 + 7 + 3
	// Without DCR.pp no handler counts.
	monitor 0x49, 0, PP, PP, PP, 3 + 5 + 7
	// Each kind of monitor has its own bit.
	monitor 9, 0, PP, PP, PP, 0
	monitor 0x49, 0, UP, UP, UP, 0
	finish 0

.macro call number
{ .mii
	break.m \number
	nop.i 0
	nop.i 0;;
}
.endm
.macro stores label, count
	.balign 16
\label:
	.rept \count
	st8 [r10]=r0;;
	.endr
	call CALL
	call EXIT
.endm
	stores first, 3
	stores second, 5
	stores third, 7

	.section .vectors,"ax"
	.balign 0x8000
vectors:
	.org 0x2C00			// a break: EXIT goes on at b7, CALL with the next bundle
	mov r16=cr.iim
	mov r17=EXIT
	mov r18=cr.iip;;
	cmp.eq p6,p7=r16,r17
	add r18=16,r18;;
(p6)	br.cond.sptk.few b7
(p7)	st8 [r10]=r0
	mov cr.iip=r18;;
	rfi;;
