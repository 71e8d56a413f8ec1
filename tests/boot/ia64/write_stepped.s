// SPDX-License-Identifier: BSD-2-Clause
// A single-step trap follows a write of the monitor, while only CPU_CYCLES count. No cycle passes
// twice: no counter overflows, and PMD4 stays far below 2^16.
	.include "begin.inc"
	.include "monitor.inc"
	monitors_off
	select 0x12
	put pmc, 5, 0
	put pmc, 6, 0
	put pmc, 7, 0
	put pmd, 4, 0
	movl r2=vectors
	movl r3=begin
	movl r4=1<<40 | 1<<44 | 1<<13 | 1<<2;;
	mov cr.iva=r2
	mov cr.iip=r3
	mov cr.ipsr=r4
	mov cr.ifs=r0;;
	mov pmc[r0]=r0;;
	rfi;;
	.balign 16
begin:
	mov r3=5
	mov r4=0;;
	mov pmc[r3]=r4;;
	nop.i 0;;
	nop.i 0;;
	.balign 16
end:
	mov r8=pmc[r0];;
	mov r2=1;;
	mov pmc[r0]=r2;;
	is r8, 0
	mov r8=4;;
	mov r8=pmd[r8];;
	shr.u r8=r8,16;;
	is r8, 0
	finish 0
	.section .vectors,"ax"
	.balign 0x8000
vectors:
	.skip 0x6000			// single step
	mov r22=cr.iip
	mov r23=cr.ipsr
	movl r24=end;;
	cmp.eq p6,p7=r22,r24;;
(p6)	dep r23=0,r23,40,1;;
(p6)	mov cr.ipsr=r23;;
	rfi;;
