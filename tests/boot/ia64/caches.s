// SPDX-License-Identifier: BSD-2-Clause
// Misses of walks through memory, calculated from the geometry (table 8-1): L1D 128 sets of 4 lines
// of 32 bytes, L2 256 sets of 6 lines of 64, L3 16,384 sets of 4 lines of 64. A walk that fits does
// not miss. With one line more than a set has ways, each line of the set has been replaced when the
// walk needs it again.
	.include "begin.inc"
	.include "monitor.inc"
	monitors_off

// Walks three times, and counts the third time: the code is in L1I then, and no longer in L2.
.macro walk bytes, stride, function
	movl r20=\bytes / \stride - 1
	mov r21=\stride;;
	.rept 3
	put pmd, 4, 0
	put pmd, 5, 0
	put pmd, 6, 0
	put pmd, 7, 0
	br.call.sptk.few b1=\function;;
	.endr
.endm

	// L1D by lines: the size from which it misses.
	select 0x64, 0x66, 0x69, 0x6A, 0x0100
	walk 8 << 10, 32, load
	counted 256, 0, 0, 0
	select 0x64, 0x66, 0x69, 0x6A, 0x0100
	walk 16 << 10, 32, load
	counted 512, 0, 0, 0
	select 0x64, 0x66, 0x69, 0x6A, 0x0100
	walk 17 << 10, 32, load		// 32 sets have 5 lines
	counted 544, 160, 160, 0
	select 0x64, 0x66, 0x69, 0x6A, 0x0100
	walk 20 << 10, 32, load		// all sets have
	counted 640, 640, 640, 0

	// L2.
	select 0x68, 0x6A, 0x7B, 0x7C
	walk 96 << 10, 64, load
	counted 1536, 0, 0, 0
	select 0x68, 0x6A, 0x7B, 0x7D, 0x9000
	walk 97 << 10, 64, load		// 16 sets have 7 lines
	counted 1552, 112, 112, 112
	select 0x68, 0x6A, 0x7B, 0x7D, 0xA000
	walk 112 << 10, 64, load	// all sets have
	counted 1792, 1792, 1792, 0

	// L3 and the bus.
	select 0x7B, 0x7C, 0x7F, 0x4C, 0x2000
	walk 4 << 20, 64, load
	counted 65536, 0, 0, 0
	select 0x7B, 0x7C, 0x7F, 0x4C, 0x2000
	walk 5 << 20, 64, load
	counted 81920, 81920, 81920, 81920
	select 0x47, 0x49, 0x4A, 0x4B, 0x2122
	walk 5 << 20, 64, load
	counted 81920, 81920, 81920, 81920

	// Stores: each store that misses L2 reads a line (BRIL) and writes back a dirty one to L3;
	// L3 writes one back to memory.
	select 0x69, 0x7E, 0x7E, 0x7C, 0x0972
	walk 128 << 10, 64, store
	select 0x69, 0x7E, 0x7E, 0x7C, 0x0972
	walk 128 << 10, 64, store
	counted 2048, 2048, 2048, 0
	select 0x7B, 0x4F, 0x52, 0x4C, 0x2222
	walk 5 << 20, 64, store
	counted 2*81920, 81920, 81920, 0

	// Floating-point loads bypass L1D. Semaphores read and write in L2.
	select 0x64, 0x69, 0x69, 0x68, 0x0210
	walk 8 << 10, 32, load_float
	counted 0, 256, 0, 256
	select 0x63, 0x69, 0x69, 0x68, 0x0230
	walk 8 << 10, 32, exchange
	counted 256, 512, 256, 512
	finish 0

.macro walker label, instruction
	.balign 64
\label:
	movl r10=0x1000000
	mov ar.lc=r20
	start
turn_\label:
{ .mib
	\instruction
	nop.i 0
	nop.b 0;;
}
{ .mib
	add r10=r10,r21
	nop.i 0
	br.cloop.sptk.many turn_\label;;
}
	freeze
	br.ret.sptk.few b1;;
.endm
	walker load, "ld8 r14=[r10]"
	walker store, "st8 [r10]=r0"
	walker load_float, "ldfd f6=[r10]"
	walker exchange, "xchg8 r14=[r10],r0"
