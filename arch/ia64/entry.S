/* SPDX-License-Identifier: BSD-2-Clause */
/* From the boot loader to arch_main: physical mode, interrupts off, register bank 1, the boot stack. r28 has the
 * address of the boot loader's parameters (handover.c). */

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
	bsw.1 ;;
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
	mov	r18 = MASKED_VECTOR ;;
	mov	cr.iva = r17
	mov	cr.dcr = r0
	mov	cr.tpr = r0
	mov	cr.itv = r18
	mov	cr.pmv = r18 ;;
	srlz.i ;;
	srlz.d ;;
	ssm	PSR_IC ;;
	srlz.d
	mov	r32 = r8
	mov	r33 = r9
	br.call.sptk b0 = arch_main ;;
1:	br.sptk	1b
	.endp	image_entry

	.section .note.GNU-stack, "", @progbits
