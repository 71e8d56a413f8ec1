/* SPDX-License-Identifier: BSD-2-Clause */
/* The way into the monitor and out of it. All entries of its two trap tables, which start.c fills, are one instruction,
 * a software trap, so that everything arrives in one place, hyperprivileged, one trap level above the guest's trap;
 * the trap's registers of that level say which entry it was. The way out executes RETRY at that level, to go on in the
 * guest's own table, or at the guest's, to go on where it was. */

#include "frame.h"
#include "layout.h"

	.register %g2, #scratch
	.register %g3, #scratch
	.register %g6, #scratch
	.register %g7, #scratch

	/* Eight registers, the first of which has number `first`, and the frame, of which %g2 has the address. */
	.macro	save_group group, first
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	stx	%\group\n, [%g2 + HYPER_REGISTERS + 8 * (\first + \n)]
	.endr
	.endm

	.macro	load_group group, first
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	ldx	[%g2 + HYPER_REGISTERS + 8 * (\first + \n)], %\group\n
	.endr
	.endm

	/* Entries, which are copied into the tables: none is relative to its place. */
	.text
	.global	hyper_any, hyper_raise, hyper_enter, hyper_entries_end
hyper_any:
	ta	HYPER_TRAP_ENTER
hyper_raise:
	sethi	%hi(raised), %l0
	jmpl	%l0 + %lo(raised), %g0
	nop
hyper_enter:
	rd	%tick, %g1
	sethi	%hi(entered), %g2
	jmpl	%g2 + %lo(entered), %g0
	sethi	%hi(HYPER_FRAME), %g2
hyper_entries_end:

entered:
	stx	%g1, [%g2 + HYPER_ENTRY_TICK]
	rdpr	%tl, %g1
	stx	%g1, [%g2 + HYPER_ENTRY + TRAP_TL]
	rdpr	%tpc, %g3
	stx	%g3, [%g2 + HYPER_ENTRY + TRAP_TPC]
	rdpr	%tnpc, %g3
	stx	%g3, [%g2 + HYPER_ENTRY + TRAP_TNPC]
	rdpr	%tstate, %g3
	stx	%g3, [%g2 + HYPER_ENTRY + TRAP_TSTATE]
	sub	%g1, 1, %g3
	wrpr	%g3, 0, %tl
	rdpr	%tt, %g3
	stx	%g3, [%g2 + HYPER_TRAP + TRAP_TL]
	rdpr	%tpc, %g3
	stx	%g3, [%g2 + HYPER_TRAP + TRAP_TPC]
	rdpr	%tnpc, %g3
	stx	%g3, [%g2 + HYPER_TRAP + TRAP_TNPC]
	rdpr	%tstate, %g3
	stx	%g3, [%g2 + HYPER_TRAP + TRAP_TSTATE]
	srlx	%g3, 40, %g3
	and	%g3, 7, %g3
	stx	%g3, [%g2 + HYPER_GL]
	wrpr	%g1, 0, %tl
	rd	%y, %g3
	stx	%g3, [%g2 + HYPER_Y]
	rd	%softint, %g3
	stx	%g3, [%g2 + HYPER_SOFTINT]
	rd	%stick_cmpr, %g3
	stx	%g3, [%g2 + HYPER_STICK_CMPR]

	/* The monitor executes in the guest's window, and uses no other. */
	save_group o, 8
	save_group l, 16
	save_group i, 24
	mov	%g2, %o0
	ldx	[%o0 + HYPER_GL], %o1
	rdpr	%gl, %o2
	wrpr	%o1, 0, %gl
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	stx	%g\n, [%o0 + HYPER_REGISTERS + 8 * \n]
	.endr
	wrpr	%o2, 0, %gl
	sethi	%hi(hyper_stack_end - STACK_FRAME - STACK_BIAS), %sp
	or	%sp, %lo(hyper_stack_end - STACK_FRAME - STACK_BIAS), %sp
	mov	%o0, %l0
	call	hyper_exit
	mov	%o2, %l1

	ldx	[%l0 + HYPER_GL], %o1
	wrpr	%o1, 0, %gl
	.irp	n, 1, 2, 3, 4, 5, 6, 7
	ldx	[%l0 + HYPER_REGISTERS + 8 * \n], %g\n
	.endr
	wrpr	%l1, 0, %gl
	ldx	[%l0 + HYPER_ENTRY + TRAP_TL], %o1
	ldx	[%l0 + HYPER_RAISE], %o2
	brz,pt	%o2, 1f
	nop
	sub	%o1, 1, %o2
	wrpr	%o2, 0, %tl
	ta	HYPER_TRAP_RAISE
raised:	sethi	%hi(HYPER_FRAME), %l0
	ldx	[%l0 + HYPER_ENTRY + TRAP_TL], %o1

1:	mov	%l0, %g2
	sub	%o1, 1, %o2
	wrpr	%o2, 0, %tl
	ldx	[%g2 + HYPER_TRAP + TRAP_TL], %g1
	wrpr	%g1, 0, %tt
	ldx	[%g2 + HYPER_TRAP + TRAP_TPC], %g1
	wrpr	%g1, 0, %tpc
	ldx	[%g2 + HYPER_TRAP + TRAP_TNPC], %g1
	wrpr	%g1, 0, %tnpc
	ldx	[%g2 + HYPER_TRAP + TRAP_TSTATE], %g1
	wrpr	%g1, 0, %tstate
	wrpr	%o1, 0, %tl
	ldx	[%g2 + HYPER_ENTRY + TRAP_TPC], %g1
	wrpr	%g1, 0, %tpc
	ldx	[%g2 + HYPER_ENTRY + TRAP_TNPC], %g1
	wrpr	%g1, 0, %tnpc
	ldx	[%g2 + HYPER_ENTRY + TRAP_TSTATE], %g1
	wrpr	%g1, 0, %tstate
	ldx	[%g2 + HYPER_LEAVE_TL], %g1
	wrpr	%g1, 0, %tl

	load_group o, 8
	load_group l, 16
	load_group i, 24
	ldx	[%g2 + HYPER_Y], %g1
	wr	%g1, 0, %y
	ldx	[%g2 + HYPER_CLEAR_SOFTINT], %g1
	wr	%g1, 0, %clear_softint
	ldx	[%g2 + HYPER_SET_SOFTINT], %g1
	wr	%g1, 0, %set_softint
	ldx	[%g2 + HYPER_ALARM], %g3
	ldx	[%g2 + HYPER_STICK], %g4
	ldx	[%g2 + HYPER_STICK_CMPR], %g5
	ldx	[%g2 + HYPER_KEEP_STICK_CMPR], %g6
	ldx	[%g2 + HYPER_SLED], %g7

	/* From here on instructions are counted: HYPER_OUT, and from %stick's write HYPER_OUT_STICK. The alarm is in
	 * ticks, of which eight are five instructions. */
	rd	%tick, %g1
	stx	%g1, [%g2 + HYPER_EXIT_TICK]
	sllx	%g1, 1, %g1
	srlx	%g1, 1, %g1
	mulx	%g1, 5, %g1
	add	%g1, 7, %g1
	srlx	%g1, 3, %g1
	add	%g1, %g3, %g1
	sllx	%g1, 3, %g1
	udivx	%g1, 5, %g1
	wr	%g1, 0, %tick_cmpr
	wr	%g4, 0, %stick
	brnz,pn	%g6, 2f
	nop
	wr	%g5, 0, %stick_cmpr
	ba,pt	%xcc, 3f
	nop
2:	nop
	nop
	nop
3:	jmpl	%g7, %g0
	nop
	.rept	HYPER_SLED_MOST
	nop
	.endr
	.global	hyper_sled_end
hyper_sled_end:
	retry

	.bss
	.balign	0x8000
	.global	hyper_privileged_table, hyper_hyperprivileged_table
hyper_privileged_table:
	.skip	HYPER_PRIVILEGED_ENTRIES << HYPER_ENTRY_SHIFT
hyper_hyperprivileged_table:
	.skip	HYPER_HYPERPRIVILEGED_ENTRIES << HYPER_ENTRY_SHIFT
	.balign	16
	.skip	0x8000
hyper_stack_end:

	.section .note.GNU-stack, "", @progbits
