// SPDX-License-Identifier: BSD-2-Clause
// IBR8 does not exist.
	.include "begin.inc"
	mov r3=8;;
	mov ibr[r3]=r3
