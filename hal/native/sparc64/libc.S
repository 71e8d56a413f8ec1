/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions for the C library and the compiler that newlib has for 32-bit SPARC only. They run as
 * part of programs, with FPU. */

#include "layout.h"

#define JMP_SP	0
#define JMP_O7	8

	.register %g2, #scratch

	.text
/* int setjmp(jmp_buf) */
	.global	setjmp
setjmp:
	stx	%sp, [%o0 + JMP_SP]
	stx	%o7, [%o0 + JMP_O7]
	retl
	clr	%o0

/* void longjmp(jmp_buf, int): FLUSHW writes the caller's window to its stack frame, where longjmp
 * finds it. */
	.global	longjmp
longjmp:
	flushw
	ldx	[%o0 + JMP_SP], %sp
	ldx	[%o0 + JMP_O7], %g2
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	ldx	[%sp + STACK_BIAS + 8 * \n], %l\n
	ldx	[%sp + STACK_BIAS + 64 + 8 * \n], %i\n
	.endr
	movre	%o1, 1, %o1		/* a result of 0 becomes 1 */
	mov	%o1, %o0
	jmpl	%g2 + 8, %g0
	nop

/* Between long doubles in memory and the FPU's registers; the rest is quad.c's. */

/* double _Qp_qtod(const long double *) */
	.global	_Qp_qtod
_Qp_qtod:
	save	%sp, -STACK_FRAME - 16, %sp
	call	quad_to_double
	mov	%i0, %o0
	stx	%o0, [%sp + STACK_BIAS + STACK_FRAME]
	ldd	[%sp + STACK_BIAS + STACK_FRAME], %f0
	ret
	restore

/* float _Qp_qtos(const long double *) */
	.global	_Qp_qtos
_Qp_qtos:
	save	%sp, -STACK_FRAME - 16, %sp
	call	quad_to_float
	mov	%i0, %o0
	st	%o0, [%sp + STACK_BIAS + STACK_FRAME]
	ld	[%sp + STACK_BIAS + STACK_FRAME], %f0
	ret
	restore

/* void _Qp_dtoq(long double *, double): the second argument is in %d2. */
	.global	_Qp_dtoq
_Qp_dtoq:
	save	%sp, -STACK_FRAME - 16, %sp
	std	%f2, [%sp + STACK_BIAS + STACK_FRAME]
	ldx	[%sp + STACK_BIAS + STACK_FRAME], %o1
	call	quad_from_double
	mov	%i0, %o0
	ret
	restore

/* void _Qp_stoq(long double *, float): the second argument is in %f3. */
	.global	_Qp_stoq
_Qp_stoq:
	save	%sp, -STACK_FRAME - 16, %sp
	st	%f3, [%sp + STACK_BIAS + STACK_FRAME]
	lduw	[%sp + STACK_BIAS + STACK_FRAME], %o1
	call	quad_from_float
	mov	%i0, %o0
	ret
	restore

	.section .note.GNU-stack, "", @progbits
