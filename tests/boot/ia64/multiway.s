// SPDX-License-Identifier: BSD-2-Clause
// BRANCH_MULTIWAY (0EH) by path and outcome, by hand. Static hints predict all branches (7.8,
// BRANCH_PREDICTOR.3RD_STAGE), because no table has them. A bundle has two branches. The first that
// is predicted taken, or is taken, decides:
// 	7 are taken as predicted; 5 are not taken, as predicted;
// 	3 are taken on another path (none is predicted taken; a later one is; an earlier one is);
// 	2 are not taken, though one is predicted taken;
// 	1 is taken as predicted, to a target that the empty return stack lacks.
// Correct 12, wrong path 5, wrong target 1: 18; taken 7 + 3 + 1, not taken 5 + 2.
	.include "begin.inc"
	.include "monitor.inc"
	monitors_off
	cmp.eq p6,p7=r0,r0

.macro bundle first, second
{ .mbb
	nop.m 0
	\first
	\second;;
}
1:
.endm
.macro body
	start
	.rept 7
	bundle "(p6) br.cond.sptk.few 1f", "(p7) br.cond.spnt.few _start"
	.endr
	.rept 5
	bundle "(p7) br.cond.spnt.few _start", "(p7) br.cond.spnt.few _start"
	.endr
	bundle "(p6) br.cond.spnt.few 1f", "(p7) br.cond.spnt.few _start"
	bundle "(p6) br.cond.spnt.few 1f", "(p6) br.cond.sptk.few _start"
	bundle "(p7) br.cond.sptk.few _start", "(p6) br.cond.spnt.few 1f"
	.rept 2
	bundle "(p7) br.cond.sptk.few _start", "(p7) br.cond.spnt.few _start"
	.endr
	movl r9=indirect_\@;;
	mov b6=r9;;
	bundle "(p6) br.cond.sptk.few b6", "(p7) br.cond.spnt.few _start"
indirect_\@:
	freeze
.endm
	select 0x0E, 0x0E, 0x0E, 0x0E, 0x3210	// all paths: all, correct, wrong path, wrong target
	body
	counted 18, 12, 5, 1
	select 0x0E, 0x0E, 0x0E, 0x0E, 0xBA98	// not taken
	body
	counted 7, 5, 2, 0
	select 0x0E, 0x0E, 0x0E, 0x0E, 0xFEDC	// taken
	body
	counted 11, 7, 3, 1
	select 0x0D, 0x0D, 0x0D, 0x0D, 0x8421	// taken in slot 0, 1, 2; none
	body
	counted 0, 7 + 2 + 1, 1, 7
	finish 0
