// SPDX-License-Identifier: BSD-2-Clause
// A store to an implemented address without memory.
	.include "begin.inc"
	movl r3=0x40000000000;;
	st8 [r3]=r0;;
