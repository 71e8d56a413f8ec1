// SPDX-License-Identifier: BSD-2-Clause
// Cycles in which the back end waits for L1I (7.4, INST_ACCESS_CYCLE), with the timed clock, by
// hand: a fetch that misses costs the latency that merced.machine gives for the line's place. 9
// lines share a set of L1I and one of L2: they come from memory, and the second time from L3. Then
// L2 has the last 6, and L1I the last 4: the last 5, in order, all come from L2.
	.include "begin.inc"
	.include "monitor.inc"
	.include "lines.inc"
	.equ memory, 120
	.equ l3, 21
	.equ l2, 6
	monitors_off

.macro fetched entry, lines, latency
	movl r9=\entry;;
	mov b6=r9
	select 0x01, 0x22			// and L2_INST_DEMAND_READS
	br.call.sptk.few b1=measured;;
	.if \lines
	pmd_is 4, \lines * \latency
	pmd_is 5, \lines
	.endif
.endm
	fetched chain + (chained - 1) * stride, 0, 0	// `measured` is in L1I then
	each chain, stride, chained, "fc r10"
	fetched chain, chained, memory
	fetched chain, chained, l3
	fetched chain + 4 * stride, 5, l2
	finish 0

	.balign stride
measured:
	start
	br.call.sptk.few b7=b6;;
	freeze
	br.ret.sptk.few b1;;
	chain_of_lines
