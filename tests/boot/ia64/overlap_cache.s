// SPDX-License-Identifier: BSD-2-Clause
// An insertion into the translation cache overlaps a translation register: a machine check.
	.include "begin.inc"
	.include "translate.inc"

	movl r2=0x10000;;
	mov cr.iva=r2
	ssm 1<<13;;
	srlz.i;;
	insert_register "itr.d dtr", 3, 0x10000, SIZE_64K, (PAGE | RW)
	// The same register again, and the other TLB: no overlap.
	insert_register "itr.d dtr", 3, 0x10000, SIZE_64K, (PAGE | RW | 0x10000)
	insert itc.i, 0x10000, SIZE_4K, (PAGE | RWX)
	insert itc.d, 0x20000, SIZE_4K, (PAGE | RW)
	insert itc.d, 0x1F000, SIZE_4K, (PAGE | RW)
	finish 0
