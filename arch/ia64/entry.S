/* SPDX-License-Identifier: BSD-2-Clause */
/* From the boot loader to arch_main: interrupts off, register bank 1, boot stack, translation
 * (layout.h). r28 points to the boot loader's parameters (handover.c). */

#include "layout.h"
#include "ia64/registers.h"

	.text
	.global	image_entry
	.proc	image_entry
image_entry:
	rsm	PSR_I | PSR_IC ;;
	srlz.i ;;
	mov	r8 = r28
	mov	r9 = ar.itc
	movl	r14 = 1 << 44		/* bn; physical addresses */
	movl	r16 = 1f ;;
	mov	cr.iip = r16
	mov	cr.ifs = r0 ;;
	mov	cr.ipsr = r14 ;;
	rfi ;;
	.balign	16
1:
	alloc	r14 = ar.pfs, 0, 0, 2, 0
	mov	ar.rsc = 0 ;;
	movl	r15 = stack_boot
	invala ;;
	mov	ar.bspstore = r15 ;;
	mov	ar.rnat = r0
	movl	gp = __gp
	movl	r16 = FPSR_DEFAULT
	movl	r12 = stack_boot + STACK_BOOT_SIZE - STACK_SCRATCH ;;
	mov	ar.fpsr = r16
	movl	r17 = arch_vectors
	mov	r18 = MASKED_VECTOR
	mov	r19 = 15 << 2 ;;	/* smallest size; walker off */
	mov	cr.iva = r17
	mov	cr.dcr = r0
	mov	cr.tpr = r0
	mov	cr.itv = r18
	mov	cr.pmv = r18
	mov	cr.pta = r19 ;;
	srlz.i ;;
	srlz.d ;;

	/* Region registers: no walker; the region's number as its identifier. */
	mov	r14 = 0
	mov	r15 = 7
	movl	r16 = PAGE_SHIFT << 2 ;;
	mov	ar.lc = r15
1:	mov	rr[r14] = r16
	adds	r16 = 1 << 8, r16
	movl	r17 = 1 << 61 ;;
	add	r14 = r14, r17
	br.cloop.sptk 1b ;;
	ptc.e	r0
	srlz.i ;;

	/* Translation registers: code and constants in the first ones, then data. They replace the
	 * boot loader's. */
	movl	r14 = text_start
	movl	r15 = private_start
	movl	r20 = user_start
	movl	r16 = REGISTER_PAGE_SHIFT << 2
	movl	r17 = PAGE_HERE | PAGE_LEVEL_3 | PAGE_EXECUTABLE
	movl	r18 = 1 << REGISTER_PAGE_SHIFT
	mov	r19 = 0 ;;
	or	r17 = r14, r17
	ptr.i	r14, r16
	ptr.d	r14, r16 ;;
	srlz.i ;;
	mov	cr.ifa = r14
	mov	cr.itir = r16 ;;
	itr.i	itr[r19] = r17 ;;
	itr.d	dtr[r19] = r17 ;;
1:	movl	r17 = PAGE_HERE | PAGE_WRITABLE
	adds	r19 = 1, r19
	ptr.d	r15, r16 ;;
	srlz.d
	mov	cr.ifa = r15
	or	r17 = r15, r17 ;;
	itr.d	dtr[r19] = r17
	add	r15 = r15, r18 ;;
	cmp.ltu	p6, p0 = r15, r20
(p6)	br.cond.sptk 1b ;;

	mov	r14 = psr
	movl	r15 = 1 << 36 | 1 << 44 | PSR_RT | PSR_DT | PSR_IC	/* it, bn */
	movl	r16 = 1f ;;
	or	r14 = r14, r15
	mov	cr.iip = r16
	mov	cr.ifs = r0 ;;
	mov	cr.ipsr = r14 ;;
	rfi ;;
	.balign	16
1:	mov	r32 = r8
	mov	r33 = r9
	br.call.sptk b0 = arch_main ;;
1:	br.sptk	1b
	.endp	image_entry

	.section .note.GNU-stack, "", @progbits
