// SPDX-License-Identifier: BSD-2-Clause
// A store to where no memory is, of an address that the processor has.
	.include "begin.inc"
	movl r3=0x40000000000;;
	st8 [r3]=r0;;
