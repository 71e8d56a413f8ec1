// SPDX-License-Identifier: BSD-2-Clause
// L3_WRITES (7EH) by source and outcome, by hand. 8 lines, which share a set of six in L2, are
// stored to twice. Each time L2 requests the line from L3: 8 misses, then 8 hits. The 7th and 8th
// store displace a dirty line of L2, and so does each store of the second time: 10 writebacks of
// lines that L3 has. Then a line is stored to (a miss). 4 reads displace it in its set of L3, and 2
// more in its set of L2: its writeback misses.
// 	data: 17, hits 8, misses 9; writebacks: 11, hits 10, misses 1; all: 28, hits 18,
// 	misses 10.
	.include "begin.inc"
	.include "monitor.inc"
	.include "lines.inc"
	.equ data, 0x1002000
	.equ alone, 0x1003000
	monitors_off

	second 0x7E, 0x7E, 0x7E, 0x7E, 0x7EDF
	counted 28, 18, 10, 17
	second 0x7E, 0x7E, 0x7E, 0x7E, 0x9B65
	counted 8, 9, 11, 10
	second 0x7E, 0x7D, 0x7B, 0x7C, 0x00BA	// L3_READS.DATA_READS.ALL, L3_REFERENCES, L3_MISSES
	counted 1, 6, 28 + 6, 10 + 6
	second 0x63, 0x6C, 0x6D, 0x7F, 0		// references, loads, stores, replaced lines of L3
	counted 2*8 + 1 + 6, 6, 2*8 + 1, 2	// the fourth one read, and the writeback
	finish 0

	.balign stride
body:
	start
	each data, stride, 8, "fc r10"
	each alone, 1<<20, 5, "fc r10"
	each alone + stride, stride, 2, "fc r10"
	freeze
	anew
	.rept 2
	each data, stride, 8, "st8 [r10]=r0"
	.endr
	each alone, stride, 1, "st8 [r10]=r0"
	each alone + (1<<20), 1<<20, 4, "ld8 r14=[r10]"
	each alone + stride, stride, 2, "ld8 r14=[r10]"
	freeze
	br.ret.sptk.few b1;;
