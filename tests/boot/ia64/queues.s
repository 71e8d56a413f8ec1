// SPDX-License-Identifier: BSD-2-Clause
// Requests in the bus request queue (BRQ) and in the bus's in-order queue (IOQ) in each cycle of
// the timed clock (7.8), by hand from hal/emu/model/merced.machine: L2 takes 6 cycles, L3 21,
// memory 120. A read that misses L2 is in BRQ from its cycle 6 on until its data is there, a
// transaction for 99 cycles (120 - 21) in IOQ. BRQ has 15 entries, IOQ 8.
	.include "begin.inc"
	.include "monitor.inc"
	.include "lines.inc"
	.equ data, 0x1002000
	.equ lasts, 99			// a transaction in IOQ
	.equ reads, 114			// a read of memory in BRQ: 120 - 6
	.equ line, 64
	monitors_off

// Both parts of both numbers, LO and HI, in the second run of a body.
.macro live function, brq_lo, brq_hi, ioq_lo, ioq_hi
	.rept 2
	select 0x5B, 0x5C, 0x57, 0x58
	br.call.sptk.few b1=\function;;
	.endr
	counted \brq_lo, \brq_hi, \ioq_lo, \ioq_hi
.endm
// Other events.
.macro events function, a, b, c, d, umasks
	.rept 2
	select \a, \b, \c, \d, \umasks
	br.call.sptk.few b1=\function;;
	.endr
.endm

	// One read of memory, of L3, of L2.
	live one, reads, 0, lasts, 0
	live near, 15, 0, 0, 0
	live nearest, 0, 0, 0, 0

	// Five reads, one in each cycle: 1 to 4 are in a queue for two cycles each, 5 for all others.
	live five, (1+2+3)*2 + reads-4, 2 + reads-4, (1+2+3)*2 + lasts-4, 2 + lasts-4

	// Ten: the ninth and the tenth wait until the first two have left IOQ, for 91 cycles each.
	// BRQ holds 1 and 3 to 9 for two cycles each, 2 for 93, 10 for 105; IOQ 1 and 3 to 7 for
	// two cycles each, 2 for 93, 8 for 94.
	.equ part, 2*1 + 93*2 + 2*3 + 2*(1+2+3)
	live ten, part + 2*1 + 105*2, 4*2 + 2*2*2 + 105*2, part, 4*2 + 94*2
	events ten, 0x03, 0x5D, 0x4B, 0x47, 0x2200
	counted 210, 10, 10, 10

	// Sixteen: the last finds BRQ full until the first read has left it, and starts 99 cycles
	// later. IOQ has room when it arrives there, 219 cycles after its issue: 120 + 99.
	events sixteen, 0x03, 0x5D, 0x4B, 0x47, 0x2200
	counted 99 + 119, 16, 16, 16

	// A store reads a line (BRIL). A flush is a transaction without a read (BIL), a flush of a
	// dirty line two (BWL).
	live store, reads, 0, lasts, 0
	live flush, 0, 0, lasts, 0
	live flush_dirty, 0, 0, 2*lasts, 0

	// Uncacheable memory: a read (BRP), a write (BWP), a semaphore: both.
	live uncacheable_read, reads, 0, lasts, 0
	live uncacheable_write, 0, 0, lasts, 0
	live uncacheable_both, reads, 0, 2*lasts, 0

	// Code: a line of memory. Nothing else is issued meanwhile.
	live code, reads, 0, lasts, 0
	events code, 0x01, 0x05, 0x5D, 0x12, 0
	pmd_is 4, 120
	pmd_is 6, 1
	finish 0

.macro flush_lines count
	movl r10=data
	mov r22=\count-1;;
	mov ar.lc=r22;;
1:
{ .mib
	fc r10
	nop.i 0
	nop.b 0;;
}
{ .mib
	add r10=line,r10
	nop.i 0
	br.cloop.sptk.few 1b;;
}
	movl r10=data
	drain
.endm
// One instruction in a cycle of its own.
.macro alone instruction
{ .mii
	\instruction
	nop.i 0
	nop.i 0;;
}
.endm
.macro end
	drain
	freeze
	br.ret.sptk.few b1;;
.endm
.macro body label
	.balign 64
\label:
.endm
// Loads `count` lines, one per cycle, and uses the last one. r10 and r11 are the next two lines.
.macro loads label, count
	body \label
	flush_lines \count
	movl r11=data + line;;
	start
	.rept \count / 2
{ .mii
	ld8 r14=[r10],2*line
	nop.i 0
	nop.i 0;;
}
{ .mii
	ld8 r15=[r11],2*line
	nop.i 0
	nop.i 0;;
}
	.endr
	.if \count % 2
	alone "ld8 r15=[r10]"
	.endif
	alone "add r16=r15,r15"
	end
.endm
	loads one, 1
	loads five, 5
	loads ten, 10
	loads sixteen, 16

	// Six more lines of a set of L2 displace the first one.
	body near
	each data, stride, 7, "ld8 r14=[r10]"
	movl r10=data
	drain
	start
	alone "ld8 r14=[r10]"
	end
	body nearest
	movl r10=data;;
	ld8 r14=[r10]
	drain
	start
	alone "ldfd f6=[r10]"
	end
	body store
	flush_lines 1
	start
	alone "st8 [r10]=r0"
	end
	body flush
	flush_lines 1
	start
	alone "fc r10"
	end
	body flush_dirty
	movl r10=data;;
	st8 [r10]=r0
	drain
	start
	alone "fc r10"
	end

	body uncacheable_read
	movl r10=1<<63 | data
	drain
	start
	alone "ld8 r14=[r10]"
	end
	body uncacheable_write
	movl r10=1<<63 | data
	drain
	start
	alone "st8 [r10]=r0"
	end
	body uncacheable_both
	movl r10=1<<63 | data
	drain
	start
	alone "xchg8 r14=[r10],r0"
	end

	body code
	movl r10=far;;
	fc r10
	drain
	start
	br.call.sptk.few b7=far;;
	end
	.balign 4096
far:
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b7;;
}
	.skip 4096
