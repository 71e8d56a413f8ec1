// SPDX-License-Identifier: BSD-2-Clause
// A break whose handler breaks.
	.include "begin.inc"
	movl r2=vectors;;
	mov cr.iva=r2;;
	break.m 1

	.section .vectors,"ax"
	.balign 0x8000
vectors:
	.skip 0x2C00
	break.m 2
