// SPDX-License-Identifier: BSD-2-Clause
// L3_READS (7DH) by source and outcome, by hand. 8 lines of data, which share a set of six in L2,
// are read three times; 9 lines of code, which share another set, execute twice. L2 never has the
// next line; L3 has it, except for the first time.
// 	data: 24, hits 16, misses 8; instructions: 18, hits 9, misses 9; all: 42, hits 25,
// 	misses 17.
	.include "begin.inc"
	.include "monitor.inc"
	.include "lines.inc"
	.equ data, 0x1002000
	monitors_off

	second 0x7D, 0x7D, 0x7D, 0x7D, 0xBEDF
	counted 42, 25, 17, 24
	second 0x7D, 0x7D, 0x7D, 0x7D, 0x57A9
	counted 16, 8, 18, 9
	second 0x7D, 0x7B, 0x7C, 0x6C, 0x0006	// L3_REFERENCES, L3_MISSES, LOADS_RETIRED
	counted 9, 42, 17, 24
	finish 0

	.balign stride
body:
	start
	each data, stride, 8, "fc r10"
	each chain, stride, chained, "fc r10"
	freeze
	anew
	.rept 3
	each data, stride, 8, "ld8 r14=[r10]"
	.endr
	.rept 2
	br.call.sptk.few b7=chain;;
	.endr
	freeze
	br.ret.sptk.few b1;;
	chain_of_lines
