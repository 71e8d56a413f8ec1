// SPDX-License-Identifier: BSD-2-Clause
// The timed clock: mf.a waits until loads have ended; mf and fwb do not (Itanium Processor Reference Manual, 5.3, 5.7).
// By hand: a load of uncacheable memory takes 120 cycles (merced.machine). DATA_ACCESS_CYCLE is event 3.
	.include "begin.inc"
	.include "monitor.inc"
	.include "timed.inc"
	monitors_off
	movl r10=1<<63 | 0x180000;;
	twice acceptance, 0x03, 0x07
	counted 119, 119
	twice fence, 0x03, 0x07
	counted 0, 0
	finish 0

	block acceptance
	ld8 r14=[r10];;
	mf.a;;
	mf.a;;				// nothing is left
	end
	block fence
	ld8 r14=[r10];;
	mf;;
	fwb;;
	end
