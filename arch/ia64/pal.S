/* SPDX-License-Identifier: BSD-2-Clause */
/* PAL's entry for software (ASDM volume 2, 11.10.2): physical mode, or identity-mapped virtual
 * addresses; the caller's interrupt state stays. */

#include "layout.h"
#include "ia64/registers.h"

	.text
/* The procedures' entry. Bit 8 of the index, in r28, selects the convention.
 *
 * 1, stacked: index and arguments in r32 to r35, results in r8 to r11: a C call.
 *
 * 0, static: arguments in r29 to r31, return address in b0, results in r8 to r11. The register
 * stack stays unchanged and needs no backing store: the procedure runs on its own backing store and
 * memory stack. Other registers are preserved as table 11-59 says. One call at a time. */
	.global	pal_entry
	.proc	pal_entry
pal_entry:
	tbit.nz	p6, p0 = r28, 8
	mov	r9 = b0
	mov	r8 = ar.pfs
(p6)	br.cond.spnt pal_call ;;
	br.call.sptk b6 = 1f ;;		/* PFS: the caller's frame */
1:	cover
	mov	r10 = ar.pfs
	mov	r11 = ar.rsc ;;
	mov	ar.rsc = 0
	movl	r16 = stack_pal ;;
	mov	r14 = ar.bspstore
	mov	r15 = ar.rnat ;;
	mov	ar.bspstore = r16 ;;
	mov	r17 = ar.bsp
	alloc	r18 = ar.pfs, 0, 8, 4, 0 ;;
	mov	r32 = r8
	mov	r33 = r9
	mov	r34 = r10
	mov	r35 = r11
	mov	r36 = r14
	mov	r37 = r15
	sub	r38 = r17, r16
	mov	r39 = r12
	mov	r40 = r28
	mov	r41 = r29
	mov	r42 = r30
	mov	r43 = r31
	movl	r12 = stack_pal + STACK_PAL_SIZE - STACK_SCRATCH
	br.call.sptk b0 = pal_call ;;
	mov	r14 = r32
	mov	r15 = r33
	mov	r16 = r34
	mov	r17 = r35
	mov	r18 = r36
	mov	r19 = r37
	shl	r20 = r38, 16		/* RSC.loadrs */
	mov	r12 = r39 ;;
	mov	ar.rsc = r20
	alloc	r21 = ar.pfs, 0, 0, 0, 0 ;;
	loadrs
	extr.u	r22 = r16, 0, 7		/* sof of the caller's frame */
	extr.u	r23 = r16, 7, 7 ;;	/* sol */
	mov	ar.bspstore = r18
	sub	r22 = r22, r23
	movl	r24 = 2f ;;
	mov	ar.rnat = r19
	shl	r23 = r22, 7
	mov	b6 = r24 ;;
	mov	ar.rsc = r17
	or	r22 = r22, r23 ;;
	/* Make the frame that of the caller's outputs, then the caller's own. */
	mov	ar.pfs = r22
	br.ret.sptk b6 ;;
2:	movl	r24 = 3f ;;
	mov	b6 = r24
	mov	ar.pfs = r16
	br.ret.sptk b6 ;;
3:	mov	ar.pfs = r14
	mov	b0 = r15
	br.cond.sptk b0 ;;
	.endp	pal_entry

/* struct pal_ret pal_ask(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3): calls PAL by the
 * convention that the index selects. The index is in both r32 and r28. */
	.global	pal_ask
	.proc	pal_ask
pal_ask:
	alloc	r36 = ar.pfs, 4, 2, 4, 0
	mov	r37 = b0
	mov	r28 = r32
	mov	r29 = r33
	mov	r30 = r34
	mov	r31 = r35
	tbit.nz	p6, p0 = r32, 8
	movl	r14 = 1f ;;
	mov	r38 = r32
	mov	r39 = r33
	mov	r40 = r34
	mov	r41 = r35
(p6)	br.call.spnt b0 = pal_entry ;;
(p6)	br.cond.spnt 1f
	mov	b0 = r14
	br.cond.sptk pal_entry ;;
1:	mov	ar.pfs = r36
	mov	b0 = r37
	br.ret.sptk b0 ;;
	.endp	pal_ask

	.section .stacks, "aw", @nobits
	.balign	16
stack_pal:
	.skip	STACK_PAL_SIZE

	.section .note.GNU-stack, "", @progbits
