// SPDX-License-Identifier: BSD-2-Clause
// A break without a table of interruption vectors.
	.include "begin.inc"
	break.m 0x1234
