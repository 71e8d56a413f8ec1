// SPDX-License-Identifier: BSD-2-Clause
// An advanced load that displaces an entry of the ALAT while nothing counts is not counted later:
// three loads into one set of two ways, then a plain load while ALAT_REPLACEMENT and LOADS_RETIRED
// count.
	.include "begin.inc"
	.include "monitor.inc"
	monitors_off
	movl r10=0x180000
	movl r11=0x180080
	movl r12=0x180100;;
	ld8.a r20=[r10];;
	ld8.a r21=[r11];;
	ld8.a r22=[r12];;
	select 0x38, 0x6c, 0x13, 0x13, 0x03
	start
	ld8 r23=[r10];;
	freeze
	counted 0, 1
	finish 0
