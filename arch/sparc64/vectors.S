/* SPDX-License-Identifier: BSD-2-Clause */
/* Trap tables and entries. Traps in hyperprivileged mode use the hyperprivileged table; from lower
 * modes, some use the privileged table, which handles register windows and passes the rest on.
 * Handlers in C run at the trap's own level, on its stack, with its global registers; no handler
 * uses the FPU. */

#include "layout.h"
#include "sparc64/registers.h"
#include "sparc64/this_cpu.h"
#include "sparc64/traps.h"

	.register %g2, #scratch
	.register %g3, #scratch

	.macro	spill_window
	stx	%l0, [%sp + STACK_BIAS + 0]
	stx	%l1, [%sp + STACK_BIAS + 8]
	stx	%l2, [%sp + STACK_BIAS + 16]
	stx	%l3, [%sp + STACK_BIAS + 24]
	stx	%l4, [%sp + STACK_BIAS + 32]
	stx	%l5, [%sp + STACK_BIAS + 40]
	stx	%l6, [%sp + STACK_BIAS + 48]
	stx	%l7, [%sp + STACK_BIAS + 56]
	stx	%i0, [%sp + STACK_BIAS + 64]
	stx	%i1, [%sp + STACK_BIAS + 72]
	stx	%i2, [%sp + STACK_BIAS + 80]
	stx	%i3, [%sp + STACK_BIAS + 88]
	stx	%i4, [%sp + STACK_BIAS + 96]
	stx	%i5, [%sp + STACK_BIAS + 104]
	stx	%i6, [%sp + STACK_BIAS + 112]
	stx	%i7, [%sp + STACK_BIAS + 120]
	.endm

	/* Spill a program's window with a program's rights. RETRY restores %asi. */
	.macro	spill_user_window
	wr	%g0, ASI_AS_IF_USER_PRIMARY, %asi
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	stxa	%l\n, [%sp + STACK_BIAS + 8 * \n] %asi
	stxa	%i\n, [%sp + STACK_BIAS + 64 + 8 * \n] %asi
	.endr
	.endm

	.macro	fill_window
	ldx	[%sp + STACK_BIAS + 0], %l0
	ldx	[%sp + STACK_BIAS + 8], %l1
	ldx	[%sp + STACK_BIAS + 16], %l2
	ldx	[%sp + STACK_BIAS + 24], %l3
	ldx	[%sp + STACK_BIAS + 32], %l4
	ldx	[%sp + STACK_BIAS + 40], %l5
	ldx	[%sp + STACK_BIAS + 48], %l6
	ldx	[%sp + STACK_BIAS + 56], %l7
	ldx	[%sp + STACK_BIAS + 64], %i0
	ldx	[%sp + STACK_BIAS + 72], %i1
	ldx	[%sp + STACK_BIAS + 80], %i2
	ldx	[%sp + STACK_BIAS + 88], %i3
	ldx	[%sp + STACK_BIAS + 96], %i4
	ldx	[%sp + STACK_BIAS + 104], %i5
	ldx	[%sp + STACK_BIAS + 112], %i6
	ldx	[%sp + STACK_BIAS + 120], %i7
	.endm

	.macro	entries count, target
	.rept	\count
	.balign	32
	ba,a,pt	%xcc, \target
	nop
	.endr
	.endm

	.macro	forwards count
	.rept	\count
	.balign	32
	ta	TRAP_FORWARD
	nop
	.endr
	.endm

	.macro	spill_handler how
	.balign	128
	\how
	saved
	retry
	.balign	128
	.endm

	/* An entry is 32 bytes; window traps take four entries. During a trap from user mode the
	 * program's windows are "other" windows. For code of known length, WSTATE.other is 0; for
	 * programs, SPILL_USER. */
	.macro	window_traps others
	spill_handler spill_window
	\others	TT_SPILL_0_OTHER - TT_SPILL_0_NORMAL - 4
	spill_handler spill_window
	spill_handler spill_user_window
	\others	TT_FILL_0_NORMAL - TT_SPILL_0_OTHER - 8
	.balign	128
	fill_window
	restored
	retry
	.balign	128
	.endm

	.section .text.tables, "ax"
	.balign	0x4000
	.global	arch_hyperprivileged_table, arch_privileged_table, arch_privileged_end
arch_hyperprivileged_table:
	.macro	other_entries count
	entries	"(\count)", arch_trap_entry
	.endm
	entries	TT_PRECISE_PERFORMANCE_EVENT, arch_trap_entry
	entries	2, arch_pmi_entry
	entries	TT_SPILL_0_NORMAL - TT_DISRUPTING_PERFORMANCE_EVENT - 1, arch_trap_entry
	window_traps other_entries
	entries	TT_SOFTWARE + TRAP_EXECUTE_RETURN - TT_FILL_0_NORMAL - 4, arch_trap_entry
	entries	1, arch_execute_return
	entries	TT_HYPERPRIVILEGED_SOFTWARE - TT_SOFTWARE - TRAP_EXECUTE_RETURN - 1, arch_trap_entry
	entries	1, forwarded
	entries	1, arch_privileged_return
	entries	0x200 - TT_HYPERPRIVILEGED_SOFTWARE - 2, arch_trap_entry

	.balign	0x8000
arch_privileged_table:
	.rept	2			/* for trap level 0, and for the others */
	forwards TT_SPILL_0_NORMAL
	window_traps forwards
	forwards 0x200 - TT_FILL_0_NORMAL - 4
	.balign	0x4000
	.endr
arch_privileged_end:

	/* Enters a new window on a stack at `above` + %g1, from user mode. Until take_user_windows,
	 * the interrupted window and those below are "other" windows, which SAVE spills as such. */
	.macro	leave_user_windows above, scratch
	rdpr	%canrestore, \scratch
	add	\scratch, 1, \scratch
	wrpr	\scratch, 0, %otherwin
	save	%g1, \above, %sp
	wrpr	%g0, 0, %canrestore
	.endm

	.macro	take_user_windows scratch
	rdpr	%otherwin, \scratch
	wrpr	\scratch, 0, %canrestore
	wrpr	%g0, 0, %otherwin
	.endm

	.text
/* Continues as if the trap had used the hyperprivileged table: one level lower, where TSTATE, TPC
 * and TT are the original trap's. */
forwarded:
	rdpr	%tl, %g1
	sub	%g1, 1, %g1
	wrpr	%g1, 0, %tl
	rdpr	%tt, %g2
	rdpr	%gl, %g3
	sub	%g3, 1, %g3
	sllx	%g2, 5, %g2
	sethi	%hi(arch_hyperprivileged_table), %g1
	add	%g1, %g2, %g1
	/* The jump uses this level's globals; its delay slot switches to the lower level's. */
	jmpl	%g1, %g0
	wrpr	%g3, 0, %gl

/* Saves all registers in a frame on this level's stack, calls arch_trap(frame), restores all
 * registers from the frame. */
	.global	arch_trap_entry
arch_trap_entry:
	rdpr	%tl, %g1
	cmp	%g1, 1
	be,pt	%xcc, 1f
	rdpr	%tpc, %g2
	sethi	%hi(arch_hyperprivileged_table), %g3
	cmp	%g2, %g3
	blu,pt	%xcc, 1f
	sethi	%hi(arch_privileged_end), %g3
	cmp	%g2, %g3
	bgeu,pt	%xcc, 1f
	rdpr	%tt, %g2
	/* A fault in a window handler cannot store the window, and cannot return. Turn it into a
	 * fault of the instruction at trap level 0. */
	mov	1, %g1
	wrpr	%g1, 0, %tl
	wrpr	%g2, 0, %tt
	wrpr	%g0, 0, %canrestore
	wrpr	%g0, 0, %otherwin
	wrpr	%g0, WINDOWS - 2, %cansave
1:	sllx	%g1, STACK_TRAP_SHIFT, %g2
	sethi	%hi(stacks_trap_start), %g3
	add	%g3, %g2, %g2
	sub	%g2, FRAME_SIZE, %g2		/* frame */
	stx	%g1, [%g2 + FRAME_TL]
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	stx	%o\n, [%g2 + FRAME_O + 8 * \n]
	stx	%l\n, [%g2 + FRAME_L + 8 * \n]
	stx	%i\n, [%g2 + FRAME_I + 8 * \n]
	.endr
	rdpr	%tstate, %g1
	stx	%g1, [%g2 + FRAME_TSTATE]
	rdpr	%tpc, %g3
	stx	%g3, [%g2 + FRAME_TPC]
	rdpr	%tnpc, %g3
	stx	%g3, [%g2 + FRAME_TNPC]
	rdpr	%tt, %g3
	stx	%g3, [%g2 + FRAME_TT]
	rd	%y, %g3
	stx	%g3, [%g2 + FRAME_Y]

	mov	%g2, %o0
	srlx	%g1, 40, %o2		/* TSTATE.gl */
	and	%o2, 7, %o2
	rdpr	%gl, %o1
	wrpr	%o2, 0, %gl
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	stx	%g\n, [%o0 + FRAME_G + 8 * \n]
	.endr
	wrpr	%o1, 0, %gl

	/* Use a new window: the interrupted one may be the last. */
	add	%g2, -STACK_FRAME - STACK_BIAS, %g1	/* frame */
	ldx	[%g2 + FRAME_TSTATE], %g3
	andcc	%g3, PSTATE_PRIV << 8, %g0
	bne,pt	%xcc, 1f
	nop
	leave_user_windows 0, %g3
	mov	%g2, %l0
	call	arch_trap
	mov	%l0, %o0
	mov	%l0, %g2
	take_user_windows %g3
	ba,pt	%xcc, 2f
	restore
1:	save	%g1, 0, %sp
	mov	%g2, %l0
	call	arch_trap
	mov	%l0, %o0
	mov	%l0, %g2
	restore
2:	mov	%g2, %o0
	ldx	[%o0 + FRAME_TSTATE], %o3
	srlx	%o3, 40, %o2
	and	%o2, 7, %o2
	rdpr	%gl, %o1
	wrpr	%o2, 0, %gl
	.irp	n, 1, 2, 3, 4, 5, 6, 7
	ldx	[%o0 + FRAME_G + 8 * \n], %g\n
	.endr
	wrpr	%o1, 0, %gl
	wrpr	%o3, 0, %tstate
	ldx	[%g2 + FRAME_TPC], %g1
	wrpr	%g1, 0, %tpc
	ldx	[%g2 + FRAME_TNPC], %g1
	wrpr	%g1, 0, %tnpc
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	ldx	[%g2 + FRAME_O + 8 * \n], %o\n
	ldx	[%g2 + FRAME_L + 8 * \n], %l\n
	ldx	[%g2 + FRAME_I + 8 * \n], %i\n
	.endr
	retry

/* The overflow traps. This trap level has its own global registers, and a new window preserves the
 * others, so that nothing is stored. The stack is trap level 1's, which is free outside traps and
 * in privileged window handlers. */
	.balign	32
	.global	arch_pmi_entry
	.type	arch_pmi_entry, @function
arch_pmi_entry:
	sethi	%hi(stack_pmi_end), %g1
	rdpr	%tstate, %g2
	andcc	%g2, PSTATE_PRIV << 8, %g0
	bne,pn	%xcc, 1f
	sethi	%hi(sparc64_this_cpu), %g3
	leave_user_windows (-STACK_FRAME-STACK_BIAS), %g2
	ldx	[%g3 + %lo(sparc64_this_cpu) + THIS_CPU_PMI_HANDLER], %g1
	rdpr	%tpc, %o0
	jmpl	%g1, %o7		/* THIS_CPU_PMI_HANDLER */
	mov	3, %o1			/* neither privileged nor hyperprivileged */
	take_user_windows %g1
	restore
	retry
1:	rdpr	%tl, %g2
	sub	%g2, 1, %g2
	brnz,pn	%g2, pmi_in_handler
	sethi	%hi(arch_privileged_code), %g2
	save	%g1, -STACK_FRAME - STACK_BIAS, %sp
	or	%g2, %lo(arch_privileged_code), %g2
	ldx	[%g3 + %lo(sparc64_this_cpu) + THIS_CPU_PMI_HANDLER], %g1
	rdpr	%tpc, %o0
	sub	%o0, %g2, %g2
	cmp	%g2, PRIVILEGED_CODE_SIZE
	mov	0, %o1			/* hyperprivileged, or sparc64_execute_privileged's */
	jmpl	%g1, %o7		/* THIS_CPU_PMI_HANDLER */
	movlu	%xcc, 1, %o1
	restore
	retry
	.size	arch_pmi_entry, . - arch_pmi_entry

/* The only other privileged code is a window trap's handler, which leaves the windows in no defined
 * order: save all of them. */
	.type	pmi_in_handler, @function
pmi_in_handler:
	sethi	%hi(pmi_windows), %g2
	or	%g2, %lo(pmi_windows), %g2
	.irp	w, 0, 1, 2, 3, 4, 5, 6, 7
	wrpr	%g0, \w, %cwp
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	stx	%l\n, [%g2 + 128 * \w + 8 * \n]
	stx	%i\n, [%g2 + 128 * \w + 64 + 8 * \n]
	.endr
	.endr
	rdpr	%cansave, %l0
	rdpr	%canrestore, %l1
	rdpr	%otherwin, %l2
	mov	%g2, %l3
	wrpr	%g0, WINDOWS - 2, %cansave
	wrpr	%g0, 0, %canrestore
	wrpr	%g0, 0, %otherwin
	add	%g1, -STACK_FRAME - STACK_BIAS, %sp
	clr	%fp
	sethi	%hi(sparc64_this_cpu), %g1
	ldx	[%g1 + %lo(sparc64_this_cpu) + THIS_CPU_PMI_HANDLER], %g1
	rdpr	%tpc, %o0
	jmpl	%g1, %o7		/* THIS_CPU_PMI_HANDLER */
	mov	1, %o1
	wrpr	%l0, 0, %cansave
	wrpr	%l1, 0, %canrestore
	wrpr	%l2, 0, %otherwin
	mov	%l3, %g2
	.irp	w, 0, 1, 2, 3, 4, 5, 6, 7
	wrpr	%g0, \w, %cwp
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	ldx	[%g2 + 128 * \w + 8 * \n], %l\n
	ldx	[%g2 + 128 * \w + 64 + 8 * \n], %i\n
	.endr
	.endr
	retry
	.size	pmi_in_handler, . - pmi_in_handler

/* The trap by which code of known length returns to arch_execute_user, in the same window. From a
 * program it is an unexpected trap. */
	.balign	32
arch_execute_return:
	rdpr	%wstate, %g1
	brnz,pn	%g1, arch_trap_entry
	nop
	wrpr	%g0, 0, %tl
	wrpr	%g0, 0, %gl
	retl
	wrpr	%o1, 0, %pstate

/* This trap level's global registers are free, and no trap can come. */
	.global	sparc64_following_handler
	.type	sparc64_following_handler, @function
sparc64_following_handler:
	sethi	%hi(sparc64_this_cpu), %g1
	or	%g1, %lo(sparc64_this_cpu), %g1
	rdpr	%cwp, %g2
	.irp	w, 0, 1, 2, 3, 4, 5, 6, 7
	wrpr	%g0, \w, %cwp
	stx	%i6, [%g1 + THIS_CPU_WINDOW + 16 * \w]
	stx	%i7, [%g1 + THIS_CPU_WINDOW + 16 * \w + 8]
	.endr
	wrpr	%g2, 0, %cwp
	stx	%g2, [%g1 + THIS_CPU_ENTRY_WINDOW]
	rdpr	%otherwin, %g2
	stx	%g2, [%g1 + THIS_CPU_OTHER_WINDOWS]
	rdpr	%canrestore, %g2
	stx	%g2, [%g1 + THIS_CPU_OWN_WINDOWS]
	ldx	[%g1 + THIS_CPU_FOLLOWING_HANDLER], %g2
	jmpl	%g2, %g0		/* THIS_CPU_FOLLOWING_HANDLER */
	nop
	.size	sparc64_following_handler, . - sparc64_following_handler

	.bss
	.balign	8
pmi_windows:
	.skip	128 * WINDOWS

	.section .note.GNU-stack, "", @progbits
