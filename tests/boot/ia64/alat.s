// SPDX-License-Identifier: BSD-2-Clause
// ALAT entries that another one displaces (38H), by the register file of the new one, counted by
// hand. The ALAT has 16 sets of two; addresses that differ by 128 share a set.
// 	Five floating-point loads, one of them a pair: the third, fourth and fifth each displace
// 	one. Then four integer loads into another set: the third and the fourth displace one, and
// 	so does an integer check load that fails and keeps its entry.
	.include "begin.inc"
	.include "monitor.inc"
	monitors_off
	movl r10=0x180000;;

.macro body
	invala
	movl r10=0x180000
	movl r11=0x180080
	movl r12=0x180100
	movl r13=0x180180
	movl r14=0x180200;;
	start
	ldf8.a f10=[r10];;
	ldf8.a f11=[r11];;
	ldfs.a f12=[r12];;
	ldfpd.a f14,f15=[r13];;
	ldfd.a f16=[r14];;
	adds r10=8,r10
	adds r11=8,r11
	adds r12=8,r12
	adds r13=8,r13
	adds r14=8,r14;;
	ld8.a r20=[r10];;
	ld4.a r21=[r11];;
	ld2.a r22=[r12];;
	ld1.a r23=[r13];;
	ld8.c.nc r24=[r14];;
	freeze
.endm
	select 0x38, 0x38, 0x38, 0x37, 0x3123
	body
	counted 6, 3, 3, 1
	select 0x6C, 0x63, 0x6D, 0x37, 0x1000	// loads, all references, stores; failing checks, integer
	body
	counted 10, 10, 0, 1
	finish 0
