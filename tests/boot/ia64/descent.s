// SPDX-License-Identifier: BSD-2-Clause
// Endless recursion: the backing store grows beyond memory.
	.include "begin.inc"
descend:
	alloc r32=ar.pfs,0,8,0,0;;
	br.call.sptk.many b0=descend;;
