// SPDX-License-Identifier: BSD-2-Clause
// Flushes of the pipeline by a use of a multimedia result that comes too early for the bypass to
// the integer units (33H, table 7-32, IEU_FLUSH), with the timed clock; by hand from
// hal/emu/model/merced.machine: too early is less than 4 cycles after the multimedia operation,
// and the result is then there after 10. Another multimedia operation waits for 2 cycles.
	.include "begin.inc"
	.include "monitor.inc"
	.include "timed.inc"
	monitors_off
	mov r20=r0
	mov r10=1;;

	// A use after 1, 3 and 4 cycles.
	classes after_1, 1+1, 2, 0, 9, 0, 0, 9
	classes after_3, 1+1, 2+2, 0, 7, 0, 0, 7
	classes after_4, 1+1, 2+3, 0, 0, 0, 0, 0
	// A multimedia operation waits for the scoreboard.
	classes multimedia, 1+1, 2+1, 0, 0, 1, 0, 0
	// A parallel addition is of the same units, and its own result is there in the next cycle.
	classes parallel, 1+1, 3+1, 0, 0, 1, 0, 0
	// The flush is as long if a load's result would come earlier.
	classes loaded, 1+1, 2, 0, 9, 0, 0, 9

	twice after_1, 0x33, 0x33, 0x33, 0x33, 0xF178
	counted 1, 0, 0, 1
	twice after_4, 0x33, 0x33, 0x33, 0x33, 0xF178
	counted 0, 0, 0, 0
	// Both uses in a group are one flush.
	twice two, 0x33, 0x33, 0x00, 0x04, 0x0018
	counted 1, 0, 9, 9
	finish 0

.macro alone a, b="nop.i 0"
{ .mii
	nop.m 0
	\a
	\b;;
}
.endm
	block after_1
	alone "mux1 r14=r10,@rev"
	alone "add r15=r14,r14"
	end
	block after_3
	alone "mux1 r14=r10,@rev"
	alone "nop.i 0"
	alone "nop.i 0"
	alone "add r15=r14,r14"
	end
	block after_4
	alone "popcnt r14=r10"
	alone "nop.i 0"
	alone "nop.i 0"
	alone "nop.i 0"
	alone "add r15=r14,r14"
	end
	block multimedia
	alone "mux1 r14=r10,@rev"
	alone "mux1 r15=r14,@rev"
	end
	block parallel
	alone "mux1 r14=r10,@rev"
	alone "padd1 r15=r14,r14"
	alone "add r16=r15,r15"
	end
	block loaded
{ .mii
	ld8 r16=[r12]
	mux1 r14=r10,@rev
	nop.i 0;;
}
	alone "add r15=r14,r16"
	end
	block two
	alone "mux1 r14=r10,@rev"
	alone "add r15=r14,r14", "add r16=r14,r14"
	end
