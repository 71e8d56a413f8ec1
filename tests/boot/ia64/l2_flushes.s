// SPDX-License-Identifier: BSD-2-Clause
// Flushes of L2's pipeline by cause (table 7-31), with the timed clock, by hand. A store conflicts
// with another one to its line of 64 bytes in the same or the previous cycle. A load conflicts with
// a store that has modified its line, as long as L2 takes: 6 cycles. L2 rejects a reference that
// waits for a queue of the bus (queues.s).
	.include "begin.inc"
	.include "monitor.inc"
	.include "lines.inc"
	.equ data, 0x1002000
	.equ line, 64
	monitors_off

// L2_FLUSHES, and L2_FLUSH_DETAILS for store conflicts, address conflicts, rejects.
.macro flushes function, all, stores, addresses, rejects
	.rept 2
	select 0x76, 0x77, 0x77, 0x77, 0x4210
	br.call.sptk.few b1=\function;;
	.endr
	counted \all, \stores, \addresses, \rejects
.endm
	flushes same_cycle, 1, 1, 0, 0
	flushes next_cycle, 1, 1, 0, 0
	flushes later, 0, 0, 0, 0
	flushes other_line, 0, 0, 0, 0
	// Floating-point loads do not look into L1D.
	flushes load_after_1, 1, 0, 1, 0
	flushes load_after_6, 1, 0, 1, 0
	flushes load_after_7, 0, 0, 0, 0
	flushes load_modified, 0, 0, 0, 0
	flushes load_other, 0, 0, 0, 0
	flushes load_l1d, 0, 0, 0, 0
	flushes full, 1, 0, 0, 1
	// All reasons together.
	.rept 2
	select 0x77, 0x77, 0x6D, 0x4E, 0x20F7
	br.call.sptk.few b1=mixed;;
	.endr
	counted 2, 2, 3, 0
	finish 0

// The line at r10 is in L2, unmodified. r11 is in it, r14 in the next one.
.macro body label
	.balign 64
\label:
	movl r10=data
	movl r11=data + 8
	movl r14=data + line;;
	fc r10
	fc r14;;
	ldfd f6=[r10]
	ldfd f7=[r14]
	drain
.endm
.macro end
	drain
	freeze
	br.ret.sptk.few b1;;
.endm
.macro alone a, b="nop.m 0"
{ .mmi
	\a
	\b
	nop.i 0;;
}
.endm
.macro pass cycles
	.rept \cycles
	alone "nop.m 0"
	.endr
.endm
	body same_cycle
	start
	alone "st8 [r10]=r0", "st8 [r11]=r0"
	end
	body next_cycle
	start
	alone "st8 [r10]=r0"
	alone "st8 [r11]=r0"
	end
	body later
	start
	alone "st8 [r10]=r0"
	pass 1
	alone "st8 [r11]=r0"
	end
	body other_line
	start
	alone "st8 [r10]=r0"
	alone "st8 [r14]=r0"
	end
.macro load_after label, cycles, load
	body \label
	start
	alone "st8 [r10]=r0"
	pass \cycles - 1
	alone "\load"
	end
.endm
	load_after load_after_1, 1, "ldfd f6=[r11]"
	load_after load_after_6, 6, "ldfd f6=[r11]"
	load_after load_after_7, 7, "ldfd f6=[r11]"
	load_after load_other, 1, "ldfd f6=[r14]"
	body load_modified
	st8 [r10]=r0
	drain
	start
	alone "st8 [r10]=r0"
	alone "ldfd f6=[r11]"
	end
	body load_l1d
	ld8 r15=[r10]
	drain
	start
	alone "st8 [r10]=r0"
	alone "ld8 r15=[r11]"
	end
	body mixed
	start
	alone "st8 [r10]=r0", "st8 [r11]=r0"
	alone "ldfd f6=[r11]"
	pass 1
	alone "st8 [r14]=r0"
	end

	// Sixteen reads of memory, one per cycle; BRQ has 15 entries.
	.balign 64
full:
	each data, line, 16, "fc r10"
	movl r10=data
	drain
	start
	.rept 16
	alone "ldfd f6=[r10],line"
	.endr
	end
