// SPDX-License-Identifier: BSD-2-Clause
// Rare events, by hand: sub-events of branches that no other program raises, an advanced
// floating-point load that displaces one, lines that leave L3 and come back, a flush.
// tests/boot/ia64_events.t depends on this program.
	.include "begin.inc"
	.include "monitor.inc"
	monitors_off
	cmp.ne p8,p9=r0,r0

	// Taken in slot 0.
	select 0x0D, 0x0D, 0x0E, 0x0E, 0xE911
	start
{ .bbb
	br.cond.sptk.few zero
	nop.b 0
	nop.b 0;;
}
zero:
	freeze
	counted 1, 1, 0, 0

	// Two branches of a bundle, predicted not taken and not taken: one correct prediction.
	select 0x0E, 0x0E, 0x10, 0x0D, 0x80A9
	start
{ .mbb
	nop.m 0
(p8)	br.cond.spnt.few _start
(p8)	br.cond.spnt.few _start;;
}
	freeze
	counted 1, 0, 1, 1

	// A target address register predicts each branch taken, in the first stage: wrong if it is
	// not taken.
	select 0x10, 0x10, 0x0F, 0x0F, 0x5464
	start
	brp.sptk.imp past,leap;;
leap:
{ .mib
	nop.m 0
	nop.i 0
(p8)	br.cond.sptk.few past;;
}
	nop.m 0;;
past:
	freeze
	counted 1, 1, 1, 0

	// It names no slot: if another branch of the bundle is taken, its path is right, and its
	// target wrong. Section 7.8 says of BRANCH_PATH's unit mask 5: "should always count zero".
	select 0x10, 0x0F, 0x0F, 0x0E, 0xF577
	start
	brp.sptk.imp far,fork;;
fork:
{ .mbb
	nop.m 0
(p8)	br.cond.sptk.few far
	br.cond.sptk.few near;;
}
far:
	nop.m 0;;
near:
	freeze
	counted 1, 1, 0, 1

	// Not taken three times: predicted by its hint, then by the tables, which are wrong the
	// fourth time.
	select 0x0F, 0x0F, 0x0F, 0x10, 0xA9AE
	mov r5=4
	start
again:
	add r5=-1,r5;;
	cmp.eq p10,p11=r0,r5;;
{ .mib
	nop.m 0
	nop.i 0
(p10)	br.cond.dpnt.few done;;
}
{ .mib
	nop.m 0
	nop.i 0
	br.cond.sptk.few again;;
}
done:
	freeze
	counted 1, 2, 1, 1

	// An indirect branch goes elsewhere the second time: the second stage predicts the first
	// target.
	select 0x10, 0x0F, 0x10, 0x10, 0x98BB
	movl r5=first
	movl r6=second;;
	mov b6=r5
	mov b7=r6
	start
turn:
{ .mib
	nop.m 0
	nop.i 0
	br.cond.dptk.few b6;;
}
first:
	mov b6=r6
{ .mib
	nop.m 0
	nop.i 0
	br.cond.sptk.few turn;;
}
	nop.m 0;;
second:
	freeze
	counted 1, 1, 1, 0

	// Three advanced loads whose addresses differ only in bits that do not select one of the
	// ALAT's 16 sets of two.
	select 0x38, 0x38, 0x38, 0x7F, 0x321
	movl r10=0x2000000
	movl r11=0x2000080
	movl r12=0x2000100;;
	start
	ldf8.a f20=[r10]
	ldf8.a f21=[r11]
	ldf8.a f22=[r12];;
	freeze
	counted 0, 1, 1

	// L3 has 16,384 sets of 4 lines, L2 256 of 6. Of seven lines 1 MB apart the first one,
	// which is dirty, has left L3 when it leaves L2. It goes back to L3, and displaces the
	// fourth line there.
	select 0x7E, 0x7E, 0x7F, 0x4F, 0x20BA
	movl r10=0x200A000
	movl r11=1<<20
	mov ar.lc=5
	start
	st8 [r10]=r0;;
6:
	add r10=r11,r10;;
	ld8 r12=[r10]
{ .mib
	nop.m 0
	nop.i 0
	br.cloop.sptk.few 6b;;
}
	freeze
	counted 1, 1, 4, 1

	// Of seven lines 16 KB apart the first one has left L2, but not L3, where a store finds it.
	select 0x7E, 0x7E, 0x7D, 0x7F, 0xA75
	movl r10=0x280B000
	movl r11=16<<10
	movl r14=0x280B000
	mov ar.lc=5
	start
	ld8 r12=[r10]
7:
	add r10=r11,r10;;
	ld8 r12=[r10]
{ .mib
	nop.m 0
	nop.i 0
	br.cloop.sptk.few 7b;;
}
	st8 [r14]=r0;;
	freeze
	counted 1, 1, 7

	// A dirty line is flushed: it is invalidated on the bus, and written to memory.
	select 0x4E, 0x52, 0x4E, 0x52, 0x1122
	start
	st8 [r14]=r0;;
	fc r14;;
	freeze
	counted 1, 1, 1, 1
	finish 0
