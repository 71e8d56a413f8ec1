// SPDX-License-Identifier: BSD-2-Clause
// An endless loop.
	.include "begin.inc"
again:	br.cond.sptk.few again;;
