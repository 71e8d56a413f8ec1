// SPDX-License-Identifier: BSD-2-Clause
// The timed clock's cycles by class (7.4), by hand from hal/emu/model/merced.machine.
	.include "begin.inc"
	.include "monitor.inc"
	.include "timed.inc"
	monitors_off
	movl r10=0x1000000
	mov r20=99;;

.macro all
	// A loop of 100 iterations: the first is a break, 99 follow a branch of the third stage,
	// each of which costs 2; the last is mispredicted.
	classes loop, 1+99+1, 1, 0, 99*2 + 9, 0, 0, 9
	// A load's use waits one cycle.
	classes use, 1+1, 2, 1, 0, 0, 1, 0
	// Two multiply-adds wait 4 cycles each for the previous one.
	classes chain, 1+1, 3+8, 0, 0, 8, 0, 0
	// Six instructions in a cycle; then bundles with too many I slots: each except the first
	// one is broken.
	classes six, 1+1, 1, 0, 0, 0, 0, 0
	classes ports, 1+1, 2, 0, 0, 0, 0, 0
	twice ports, 0x2D, 0x2E, 0x2F, 0x7F
	counted 3+6, 3, 4
	// An integer multiplication in floating-point registers: 9, 7 and 2 cycles.
	classes multiply, 1+1, 4 + 8+6+1, 0, 0, 8+6+1, 0, 0
	// The register stack engine: a cycle for each of 40 registers, out and in. The call and the
	// return, which the third stage predicts, cost 2 each; flushrs issues alone.
	classes stack, 1+1+1+1, 2, 80, 2+2, 0, 0, 0
	// The front end looks up one line of 32 bytes at a time, also if two bundles of two lines
	// issue in a cycle. The eight bundles after `start`, whose line is looked up already, are
	// in five lines: 100 iterations look up 4 + 99 * 5.
	twice lines, 0x20
	counted 4 + 99*5
.endm
	all
	// The same while the branch trace needs each cycle.
	put pmc, 12, 0xFF81
	all
	finish 0

	block loop
1:
{ .mib
	nop.m 0
	nop.i 0
	br.cloop.sptk.few 1b;;
}
	end
	block lines
1:
	.rept 7
{ .mfi
	nop.m 0
	nop.f 0
	nop.i 0
}
	.endr
{ .mib
	nop.m 0
	nop.i 0
	br.cloop.sptk.few 1b;;
}
	end
	block use
{ .mii
	ld8 r14=[r10]
	nop.i 0
	nop.i 0;;
}
{ .mii
	add r15=r14,r14
	nop.i 0
	nop.i 0;;
}
	end
	block chain
	.rept 3
{ .mfi
	nop.m 0
	fma.s0 f6=f6,f6,f6
	nop.i 0;;
}
	.endr
	end
	block six
{ .mfi
	nop.m 0
	nop.f 0
	nop.i 0
}
{ .mfi
	nop.m 0
	nop.f 0
	nop.i 0;;
}
	end
	block ports
{ .mii
	nop.m 0
	nop.i 0
	nop.i 0
}
{ .mii
	nop.m 0
	nop.i 0
	nop.i 0;;
}
	end
	block multiply
{ .mmi
	setf.sig f6=r10
	nop.m 0
	nop.i 0;;
}
{ .mfi
	nop.m 0
	xma.l f7=f6,f6,f0
	nop.i 0;;
}
{ .mmi
	getf.sig r14=f7
	nop.m 0
	nop.i 0;;
}
{ .mmi
	add r15=r14,r14
	nop.m 0
	nop.i 0;;
}
	end
	.balign 64
stack:
	alloc r4=ar.pfs,0,40,0,0;;
	start
{ .mib
	nop.m 0
	nop.i 0
	br.call.sptk.few b2=flush;;
}
	freeze
	mov ar.pfs=r4;;
	br.ret.sptk.few b1;;
flush:
{ .mib
	flushrs
	nop.i 0
	nop.b 0;;
}
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b2;;
}
