/* SPDX-License-Identifier: BSD-2-Clause */
/* The interruption vector table, and the two entries to C. arch_trap_entry saves all registers in a
 * frame on a stack and restores them. The overflow interrupt's entry saves the registers that C
 * code may change, in stacked registers.
 *
 * An interruption turns off interrupts and interruption collection (PSR.ic), and switches r16 to
 * r31 to bank 0. The interrupted code uses bank 1, so that bank 0 is free, unless the interrupted
 * code is the overflow interrupt's handler. */

#include "layout.h"
#include "ia64/registers.h"
#include "ia64/this_cpu.h"

	/* Saves r26 to r31 in kernel registers, because the overflow interrupt's handler may use
	 * bank 0. They hold no NaTs: only the runtime uses this bank. */
	.macro	vector offset
	.org	arch_vectors + \offset
	{ .mib
	mov	ar.k7 = r31
	mov	r31 = \offset
	br.sptk	arch_trap_entry
	}
	.endm

	.macro	vectors from, to, step
	.set	vector_offset, \from
	.rept	(\to - \from) / \step
	vector	vector_offset
	.set	vector_offset, vector_offset + \step
	.endr
	.endm

	/* Handles a TLB miss. A page of programs' memory is mapped for all levels. Any other page,
	 * except at null pointers, is mapped for level 0 only, uncached in region 4. All other
	 * misses are ordinary interruptions. Bank 0 may be in use. */
	.macro	miss offset, insert
	.org	arch_vectors + \offset
	mov	ar.k7 = r31
	mov	ar.k6 = r30
	mov	ar.k5 = r29
	mov	ar.k4 = r28
	mov	r31 = pr
	mov	r30 = cr.ifa
	movl	r28 = hal_memory_end
	movl	r29 = user_start ;;
	ld8	r28 = [r28]
	cmp.geu	p6, p0 = r30, r29	/* p6: programs' memory */
	mov	r29 = cr.ipsr ;;
(p6)	cmp.ltu.unc p6, p0 = r30, r28
	extr.u	r29 = r29, 32, 2	/* PSR.cpl */
	extr.u	r28 = r30, NO_MEMORY_SHIFT, 50 - NO_MEMORY_SHIFT ;;
	cmp.eq	p7, p0 = r0, r29	/* p7: level 0 */
	movl	r29 = PAGE_HERE | PAGE_ALL ;;
(p7)	cmp.ne.unc p7, p0 = r0, r28
	extr.u	r28 = r30, 61, 3 ;;
	cmp.eq	p8, p0 = REGION_UNCACHED, r28
	extr.u	r28 = r30, PAGE_SHIFT, 50 - PAGE_SHIFT ;;
(p8)	adds	r29 = PAGE_UNCACHED, r29
	shl	r28 = r28, PAGE_SHIFT ;;
(p6)	adds	r29 = PAGE_LEVEL_3, r29
(p6)	cmp.eq	p7, p0 = r0, r0 ;;
	or	r28 = r28, r29 ;;
(p7)	\insert	r28 ;;
(p7)	br.cond.sptk 1f
	mov	pr = r31, -1
	mov	r28 = ar.k4
	mov	r29 = ar.k5
	mov	r30 = ar.k6
	movl	r31 = \offset
	br.sptk	arch_trap_entry ;;
1:	mov	pr = r31, -1
	mov	r28 = ar.k4
	mov	r29 = ar.k5
	mov	r30 = ar.k6
	mov	r31 = ar.k7
	rfi ;;
	.endm

	.section .text.vectors, "ax"
	.balign	VECTORS_SIZE
	.global	arch_vectors
arch_vectors:
	vectors	0, VECTOR_ALTERNATE_INSTRUCTION_TLB, 0x400
	miss	VECTOR_ALTERNATE_INSTRUCTION_TLB, itc.i
	miss	VECTOR_ALTERNATE_DATA_TLB, itc.d
	vectors	(VECTOR_ALTERNATE_DATA_TLB + 0x400), VECTOR_EXTERNAL_INTERRUPT, 0x400

/* External interrupts: the overflow interrupt, or any other. The overflow interrupt has its own
 * backing store for the interrupted register frame and the handler's frames. */
	.org	arch_vectors + VECTOR_EXTERNAL_INTERRUPT
	.global	arch_pmi_entry
	.type	arch_pmi_entry, @function
arch_pmi_entry:
	mov	r16 = cr.ivr
	mov	r17 = pr
	mov	r18 = ar.rsc
	movl	r23 = stack_pmi ;;
	cmp.ne	p6, p0 = ARCH_PMI_VECTOR, r16
(p6)	br.cond.spnt other_interrupt
	cover ;;
	mov	r19 = cr.ifs
	mov	ar.rsc = 0
	mov	r20 = b0 ;;
	mov	r21 = ar.bspstore
	mov	r22 = ar.rnat
	mov	r24 = b6 ;;
	mov	ar.bspstore = r23
	mov	r25 = b7 ;;
	mov	r26 = ar.bsp
	alloc	r27 = ar.pfs, 0, 22, 2, 0 ;;
	mov	r32 = r27
	mov	r33 = r17
	mov	r34 = r20
	mov	r35 = r24
	mov	r36 = r25
	mov	r37 = r18
	mov	r38 = r19
	mov	r39 = r21
	mov	r40 = r22
	sub	r41 = r26, r23
	mov	r42 = cr.iip
	mov	r43 = cr.ipsr
	mov	r44 = ar.ccv
	mov	r45 = r2
	mov	r46 = r3
	mov	r47 = r8
	mov	r48 = r9
	mov	r49 = r10
	mov	r50 = r11
	mov	r51 = r12
	mov	r52 = r14
	mov	r53 = r15
	movl	r16 = ia64_this_cpu
	movl	r12 = stack_pmi + STACK_PMI_SIZE - STACK_SCRATCH
	ssm	PSR_IC ;;
	ld8	r17 = [r16]
	extr.u	r18 = r43, 41, 2	/* PSR.ri: the slot */
	extr.u	r55 = r43, 32, 2 ;;	/* PSR.cpl */
	srlz.d
	mov	b6 = r17
	add	r54 = r42, r18
	br.call.sptk b0 = b6 ;;	/* THIS_CPU_PMI_HANDLER */

	rsm	PSR_IC ;;
	srlz.d
	mov	ar.pfs = r32
	mov	pr = r33, -1
	mov	b0 = r34
	mov	b6 = r35
	mov	b7 = r36
	mov	r16 = r37
	mov	cr.ifs = r38
	mov	r17 = r39
	mov	r18 = r40
	shl	r19 = r41, 16
	mov	cr.iip = r42
	mov	cr.ipsr = r43
	mov	ar.ccv = r44
	mov	r2 = r45
	mov	r3 = r46
	mov	r8 = r47
	mov	r9 = r48
	mov	r10 = r49
	mov	r11 = r50
	mov	r12 = r51
	mov	r14 = r52
	mov	r15 = r53 ;;
	mov	ar.rsc = r19
	alloc	r20 = ar.pfs, 0, 0, 0, 0 ;;
	loadrs ;;
	mov	ar.bspstore = r17 ;;
	mov	ar.rnat = r18 ;;
	mov	ar.rsc = r16
	rfi ;;
	.size	arch_pmi_entry, . - arch_pmi_entry

other_interrupt:
	mov	ar.k7 = r31
	mov	ar.k0 = r16
	mov	pr = r17, -1
	mov	r31 = VECTOR_EXTERNAL_INTERRUPT
	br.sptk	arch_trap_entry ;;

	vectors	(VECTOR_EXTERNAL_INTERRUPT + 0x400), 0x5000, 0x400
	vectors	0x5000, VECTORS_SIZE, 0x100
	.org	arch_vectors + VECTORS_SIZE

	.macro	spill first, second
	st8.spill [r14] = \first, 16 ;;
	st8.spill [r15] = \second, 16 ;;
	.endm

	.macro	fill first, second
	ld8.fill \first = [r14], 16
	ld8.fill \second = [r15], 16 ;;
	.endm

	/* Save and restore a register through a scratch register, at an offset from the frame,
	 * r2. */
	.macro	save register, place
	mov	r16 = \register
	adds	r17 = \place, r2 ;;
	st8	[r17] = r16
	.endm

	.macro	restore register, place
	adds	r17 = \place, r2 ;;
	ld8	r16 = [r17] ;;
	mov	\register = r16
	.endm

	.text
/* r31: the vector's offset. Saves all registers in a frame, calls arch_trap(frame), restores all
 * registers from the frame. Interruptions of the runtime stay on its stack and backing store. Those
 * of programs switch to others, so that a program's sp does not matter. */
	.global	arch_trap_entry
	.type	arch_trap_entry, @function
arch_trap_entry:
	mov	ar.k6 = r30
	mov	ar.k5 = r29
	mov	ar.k4 = r28
	mov	ar.k3 = r27
	mov	ar.k2 = r26 ;;
	mov	r30 = pr
	mov	r29 = cr.ipsr
	movl	r27 = stacks_start
	movl	r26 = stacks_size ;;
	extr.u	r29 = r29, 32, 2	/* PSR.cpl */
	sub	r28 = r12, r27 ;;
	cmp.ltu.unc p6, p0 = r28, r26 ;; /* false if sp is a NaT */
(p6)	cmp.eq.unc p6, p0 = r0, r29
	cmp.eq	p7, p0 = r0, r0
	movl	r28 = stack_trap + STACK_TRAP_SIZE - STACK_SCRATCH ;;
(p6)	mov	r28 = r12
(p6)	cmp.ne	p7, p0 = r0, r0 ;;	/* p7: switch stack and backing store */
	and	r28 = -16, r28
	mov	r29 = ar.unat ;;
	adds	r28 = -FRAME_SIZE, r28 ;;	/* frame */
	adds	r26 = FRAME_R + 8, r28
	adds	r27 = FRAME_R + 16, r28 ;;
	.macro	spill_static first, second
	st8.spill [r26] = \first, 16 ;;
	st8.spill [r27] = \second, 16 ;;
	.endm
	spill_static r1, r2
	spill_static r3, r4
	spill_static r5, r6
	spill_static r7, r8
	spill_static r9, r10
	spill_static r11, r12
	spill_static r13, r14
	st8.spill [r26] = r15
	mov	r2 = r28
	mov	r3 = r29
	mov	r8 = r30
	mov	r9 = r31
	mov	r10 = cr.ipsr ;;
	mov	r26 = ar.k2
	mov	r27 = ar.k3
	mov	r28 = ar.k4
	mov	r29 = ar.k5
	mov	r30 = ar.k6
	mov	r31 = ar.k7
	tbit.z	p6, p0 = r10, 44 ;;	/* PSR.bn */
(p6)	br.cond.spnt 1f
	bsw.1 ;;
1:	adds	r14 = FRAME_R + 128, r2
	adds	r15 = FRAME_R + 136, r2 ;;
	spill	r16, r17
	spill	r18, r19
	spill	r20, r21
	spill	r22, r23
	spill	r24, r25
	spill	r26, r27
	spill	r28, r29
	spill	r30, r31
	save	ar.unat, FRAME_NATS
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	save	b\n, FRAME_B + 8 * \n
	.endr
	save	r3, FRAME_UNAT
	save	r8, FRAME_PR
	save	r9, FRAME_VECTOR
	save	r10, FRAME_IPSR
	save	cr.iip, FRAME_IIP
	save	cr.isr, FRAME_ISR
	save	cr.ifa, FRAME_IFA
	save	cr.iim, FRAME_IIM
	save	ar.pfs, FRAME_PFS
	save	ar.ccv, FRAME_CCV
	save	ar.lc, FRAME_LC
	save	ar.k0, FRAME_INTERRUPT
	save	ar.rsc, FRAME_RSC
	cover ;;
	save	cr.ifs, FRAME_IFS
	mov	ar.rsc = 0 ;;
	save	ar.bspstore, FRAME_BSPSTORE
	save	ar.rnat, FRAME_RNAT
	mov	r18 = 0
	movl	r19 = stack_trap ;;
(p7)	mov	ar.bspstore = r19
(p7)	mov	r18 = 1 ;;
	save	r18, FRAME_SWITCHED
	save	ar.bsp, FRAME_BSP
	ssm	PSR_IC ;;
	srlz.d
	adds	r12 = -STACK_SCRATCH, r2	/* frame */
	alloc	r14 = ar.pfs, 0, 1, 1, 0 ;;
	mov	r32 = r2
	mov	r33 = r2
	br.call.sptk b0 = arch_trap ;;
	mov	r2 = r32
	rsm	PSR_IC | PSR_I ;;
	srlz.d
	alloc	r14 = ar.pfs, 0, 0, 0, 0 ;;
	adds	r17 = FRAME_SWITCHED, r2
	adds	r18 = FRAME_BSP, r2
	movl	r19 = stack_trap ;;
	ld8	r17 = [r17]
	ld8	r18 = [r18] ;;
	cmp.eq	p6, p0 = r0, r17
	sub	r18 = r18, r19 ;;
	shl	r18 = r18, 16		/* RSC.loadrs */
(p6)	br.cond.sptk 1f ;;
	mov	ar.rsc = r18 ;;
	loadrs ;;
	restore	ar.bspstore, FRAME_BSPSTORE
	restore	ar.rnat, FRAME_RNAT
1:	restore	ar.rsc, FRAME_RSC
	restore	cr.ifs, FRAME_IFS
	restore	cr.iip, FRAME_IIP
	restore	cr.ipsr, FRAME_IPSR
	restore	ar.pfs, FRAME_PFS
	restore	ar.ccv, FRAME_CCV
	restore	b0, FRAME_B
	restore	b6, FRAME_B + 48
	restore	b7, FRAME_B + 56
	restore	ar.unat, FRAME_NATS
	invala				/* forget advanced loads of the interrupted code */
	adds	r14 = FRAME_R + 128, r2
	adds	r15 = FRAME_R + 136, r2
	adds	r8 = FRAME_UNAT, r2
	adds	r9 = FRAME_PR, r2
	adds	r10 = FRAME_IPSR, r2 ;;
	ld8	r8 = [r8]
	ld8	r9 = [r9]
	ld8	r10 = [r10]
	fill	r16, r17
	fill	r18, r19
	fill	r20, r21
	fill	r22, r23
	fill	r24, r25
	fill	r26, r27
	fill	r28, r29
	fill	r30, r31
	tbit.z	p6, p0 = r10, 44 ;;
(p6)	br.cond.spnt to_bank_0

	bsw.0 ;;
	mov	r16 = r8
	mov	r17 = r9
	adds	r18 = FRAME_R + 8, r2
	adds	r19 = FRAME_R + 16, r2 ;;
	.macro	fill_static first, second
	ld8.fill \first = [r18], 16
	ld8.fill \second = [r19], 16 ;;
	.endm
	fill_static r1, r2
	fill_static r3, r4
	fill_static r5, r6
	fill_static r7, r8
	fill_static r9, r10
	fill_static r11, r12
	fill_static r13, r14
	ld8.fill r15 = [r18]
	mov	pr = r17, -1 ;;
	mov	ar.unat = r16
	rfi ;;

	/* Return to the overflow interrupt's handler, in bank 0 and without NaTs. */
to_bank_0:
	mov	ar.unat = r8
	mov	pr = r9, -1
	adds	r3 = FRAME_R + 8, r2 ;;
	ld8	r1 = [r3], 24 ;;
	.irp	n, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
	ld8	r\n = [r3], 8 ;;
	.endr
	ld8	r15 = [r3]
	adds	r3 = FRAME_R + 24, r2
	adds	r2 = FRAME_R + 16, r2 ;;
	ld8	r3 = [r3]
	ld8	r2 = [r2]
	rfi ;;
	.size	arch_trap_entry, . - arch_trap_entry

/* arch_pmi_entry has saved the scratch registers. */
	.global	ia64_following_handler
	.type	ia64_following_handler, @function
ia64_following_handler:
	flushrs ;;
	movl	r14 = ia64_this_cpu
	mov	r15 = ar.bsp ;;
	adds	r16 = THIS_CPU_HANDLER_BSP, r14
	adds	r14 = THIS_CPU_FOLLOWING_HANDLER, r14 ;;
	st8	[r16] = r15
	ld8	r14 = [r14] ;;
	mov	b6 = r14 ;;
	br.sptk	b6 ;;		/* THIS_CPU_FOLLOWING_HANDLER */
	.size	ia64_following_handler, . - ia64_following_handler

	.section .note.GNU-stack, "", @progbits
