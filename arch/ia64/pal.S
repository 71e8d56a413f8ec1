/* SPDX-License-Identifier: BSD-2-Clause */
/* PAL as software calls it (ASDM volume 2, 11.10.2): physical mode, or virtual addresses that are physical ones;
 * interrupts as they are found. */

#include "layout.h"
#include "ia64/registers.h"

	.text
/* The procedures' entry. The index, in r28, says by which convention, in bit 8.
 *
 * 1, stacked: index and arguments are in r32 to r35, the results go to r8 to r11. That is C.
 *
 * 0, static: arguments in r29 to r31, the return address in b0, results to r8 to r11. The register stack is unchanged,
 * and the caller need not have a backing store for it: while the procedure runs it has one of its own, and a memory
 * stack. Otherwise what a function preserves is preserved (table 11-59). One call at a time. */
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
	/* The frame becomes that of the caller's outputs, then the caller's. */
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

/* struct pal_ret pal_ask(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3): by the convention of the index. The
 * index is in r32 and r28 for either one. */
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
