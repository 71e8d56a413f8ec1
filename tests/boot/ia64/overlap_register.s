// SPDX-License-Identifier: BSD-2-Clause
// An insertion into a translation register overlaps another one: a machine check.
	.include "begin.inc"
	.include "translate.inc"

	ssm 1<<13;;
	srlz.i;;
	insert_register "itr.i itr", 0, 0x11000, SIZE_4K, (PAGE | RWX)
	insert_register "itr.i itr", 1, 0x10000, SIZE_64K, (PAGE | RWX)
	finish 0
