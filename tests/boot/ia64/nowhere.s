// SPDX-License-Identifier: BSD-2-Clause
// A branch to an address without memory.
	.include "begin.inc"
	movl r3=0x700000000000;;
	mov b6=r3;;
	br.cond.sptk.few b6;;
