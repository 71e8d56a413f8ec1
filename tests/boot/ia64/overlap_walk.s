// SPDX-License-Identifier: BSD-2-Clause
// The page walker's insertion overlaps a translation register: a machine check, which nothing
// defers.
	.include "begin.inc"
	.include "vectors.inc"
	.include "translate.inc"

	.set PAGES, 16
	walker_table PAGES, 8
	insert_register "itr.d dtr", 2, (4<<61) + 0x5000, SIZE_4K, (PAGE | RW | 0x285000)
	region 4, (SIZE_16K | 1 | 0x200<<8)	// page 1 is 4000H to 7FFFH
	ssm 1<<17;;
	srlz.i;;
	srlz.d
	movl r2=(4<<61) + 0x4000;;
	ld8.s r8=[r2];;
	finish 0
	.balign 4096
callee:
	nop.m 0;;
	table
