// SPDX-License-Identifier: BSD-2-Clause
// Recursion without an end: the backing store grows out of memory.
	.include "begin.inc"
descend:
	alloc r32=ar.pfs,0,8,0,0;;
	br.call.sptk.many b0=descend;;
