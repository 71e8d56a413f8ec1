// SPDX-License-Identifier: BSD-2-Clause
// A loop without an end.
	.include "begin.inc"
again:	br.cond.sptk.few again;;
