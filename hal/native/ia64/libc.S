/* SPDX-License-Identifier: BSD-2-Clause */
/* setjmp and longjmp, which newlib lacks for ia64. They run as part of programs. Preserved
 * registers go to the buffer, the register stack goes to its backing store (Software Conventions
 * and Runtime Architecture Guide, 3.1 and 8.4). */

	/* The buffer at r14, aligned to 16 bytes; r16 steps through its words. */
	.macro	buffer
	adds	r14 = 15, r32 ;;
	and	r14 = -16, r14 ;;
	.endm

	.macro	each_float action
	.irp	n, 2, 3, 4, 5, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\action	[r14], f\n
	.endr
	.endm

	.macro	put_float place, register
	stf.spill \place = \register, 16 ;;
	.endm

	.macro	get_float place, register
	ldf.fill \register = \place, 16 ;;
	.endm

	.macro	put register
	mov	r16 = \register ;;
	st8	[r14] = r16, 8 ;;
	.endm

	.macro	get register
	ld8	r16 = [r14], 8 ;;
	mov	\register = r16
	.endm

	.text
/* int setjmp(jmp_buf) */
	.global	setjmp
	.proc	setjmp
setjmp:
	alloc	r15 = ar.pfs, 1, 0, 0, 0
	buffer
	mov	r17 = ar.unat
	mov	r18 = ar.rsc
	flushrs ;;
	and	r19 = ~3, r18 ;;
	mov	ar.rsc = r19 ;;		/* enforced lazy mode, in which RNAT can be read */
	mov	r20 = ar.rnat
	mov	r21 = ar.bsp ;;
	mov	ar.rsc = r18
	each_float put_float
	st8.spill [r14] = r4, 8 ;;
	st8.spill [r14] = r5, 8 ;;
	st8.spill [r14] = r6, 8 ;;
	st8.spill [r14] = r7, 8 ;;
	mov	r22 = ar.unat ;;	/* NaT bits of r4 to r7 */
	mov	ar.unat = r17
	st8	[r14] = r22, 8 ;;
	st8	[r14] = r17, 8 ;;
	st8	[r14] = r20, 8 ;;
	st8	[r14] = r21, 8 ;;
	st8	[r14] = r12, 8 ;;
	.irp	register, pr, ar.pfs, ar.lc, ar.fpsr, b0, b1, b2, b3, b4, b5
	put	\register
	.endr
	mov	r8 = 0
	br.ret.sptk b0 ;;
	.endp	setjmp

/* void longjmp(jmp_buf, int) */
	.global	longjmp
	.proc	longjmp
longjmp:
	alloc	r15 = ar.pfs, 2, 0, 0, 0
	buffer
	mov	r8 = r33
	cmp.eq	p6, p7 = 0, r33 ;;
(p6)	mov	r8 = 1			/* a result of 0 becomes 1 */
	flushrs
	mov	r18 = ar.rsc ;;
	alloc	r15 = ar.pfs, 0, 0, 0, 0
	dep	r19 = 0, r18, 16, 14 ;;
	and	r19 = ~3, r19 ;;
	mov	ar.rsc = r19 ;;
	loadrs ;;
	invala
	each_float get_float
	adds	r15 = 32, r14 ;;
	ld8	r22 = [r15], 8 ;;
	mov	ar.unat = r22 ;;
	ld8.fill r4 = [r14], 8 ;;
	ld8.fill r5 = [r14], 8 ;;
	ld8.fill r6 = [r14], 8 ;;
	ld8.fill r7 = [r14], 16 ;;
	ld8	r17 = [r14], 8 ;;
	ld8	r20 = [r14], 8 ;;
	ld8	r21 = [r14], 8 ;;
	ld8	r12 = [r14], 8 ;;
	mov	ar.unat = r17
	mov	ar.bspstore = r21 ;;
	mov	ar.rnat = r20 ;;
	mov	ar.rsc = r18
	ld8	r16 = [r14], 8 ;;
	mov	pr = r16, -1
	.irp	register, ar.pfs, ar.lc, ar.fpsr, b0, b1, b2, b3, b4, b5
	get	\register
	.endr
	br.ret.sptk b0 ;;
	.endp	longjmp

	.section .note.GNU-stack, "", @progbits
