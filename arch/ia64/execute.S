/* SPDX-License-Identifier: BSD-2-Clause */
/* Code of a known number of instructions, for tests of counters, and calls at the lowest privilege
 * level. arch.h and ia64/traps.h document them. */

#include "layout.h"
#include "ia64/registers.h"

	.text

	/* r16 + 5 instructions: three per iteration, and the rest after the loop. p6: three or
	 * more. */
	.macro	execute_rest
1:	{ .mib
	cmp.ltu	p7, p0 = 5, r16
	adds	r16 = -3, r16
(p7)	br.cond.sptk 1b ;;
	}
2:	{ .mib
	cmp.eq	p7, p0 = 1, r16
	cmp.eq	p8, p0 = 2, r16
(p7)	br.cond.spnt 3f ;;
	}
	{ .bbb
(p8)	br.cond.spnt 3f
	br.sptk	4f
	nop.b	0 ;;
	}
3:	{ .mib
	nop.m	0
	nop.i	0
	br.sptk	4f ;;
	}
4:
	.endm

/* void arch_execute(uint64_t n): n >= 2. */
	.balign	64
	.global	arch_execute
	.proc	arch_execute
arch_execute:
	alloc	r14 = ar.pfs, 1, 0, 0, 0
	mov	r16 = r32
	cmp.gtu	p6, p0 = 3, r32 ;;
	{ .mib
	nop.m	0
	nop.i	0
(p6)	br.cond.spnt 2f ;;
	}
	execute_rest
	br.ret.sptk b0 ;;
	.endp	arch_execute

/* void ia64_execute_between(uint64_t first, uint64_t second, uint64_t n): writes PSR; n >= 8. */
	.balign	64
	.global	ia64_execute_between
	.proc	ia64_execute_between
ia64_execute_between:
	alloc	r14 = ar.pfs, 3, 0, 0, 0
	adds	r16 = -6, r34 ;;	/* these five, and the branch after the write */
	cmp.gtu	p6, p0 = 3, r16 ;;
	{ .mmb
	nop.m	0
	mov	psr.l = r32
	.serialize.data			/* branches do not depend on the bits written */
(p6)	br.cond.spnt 2f ;;
	}
	execute_rest
	mov	psr.l = r33 ;;
	srlz.i
	.serialize.data
	br.ret.sptk b0 ;;
	.endp	ia64_execute_between

	/* The registers that a function must preserve (calling convention), saved to or restored
	 * from r14 through r16. */
	.macro	each_preserved action
	.irp	register, b0,b1,b2,b3,b4,b5,ar.pfs,ar.lc,ar.unat,ar.fpsr,pr,r1,r12,r13,r4,r5,r6,r7
	\action	\register
	.endr
	.endm

	.macro	put_word register
	mov	r16 = \register ;;
	st8	[r14] = r16, 8 ;;
	.endm

	.macro	get_word register
	ld8	r16 = [r14], 8 ;;
	.ifc	\register, pr
	mov	pr = r16, -1
	.else
	mov	\register = r16
	.endif
	.endm

	.macro	each_float action
	.irp	n, 2, 3, 4, 5, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\action	f\n
	.endr
	.endm

	.macro	put_float register
	stf.spill [r14] = \register, 16 ;;
	.endm

	.macro	get_float register
	ldf.fill \register = [r14], 16 ;;
	.endm

/* uint64_t ia64_call_user(ia64_user_function *function, uint64_t argument): saves the preserved
 * registers and the register stack to memory. RFI enters the lowest privilege level, a break
 * instruction returns from it. */
	.global	ia64_call_user
	.proc	ia64_call_user
ia64_call_user:
	alloc	r15 = ar.pfs, 2, 0, 0, 0
	movl	r14 = user_return ;;
	flushrs
	mov	r17 = ar.rsc
	mov	r18 = psr ;;
	mov	ar.rsc = 0 ;;
	mov	r19 = ar.bspstore
	mov	r20 = ar.rnat ;;
	each_float put_float
	each_preserved put_word
	st8	[r14] = r17, 8 ;;
	st8	[r14] = r18, 8 ;;
	st8	[r14] = r19, 8 ;;
	st8	[r14] = r20 ;;
	mov	r22 = r33
	mov	b6 = r32
	alloc	r15 = ar.pfs, 0, 0, 1, 0 ;;
	mov	r32 = r22
	movl	r23 = stack_user
	movl	r12 = stack_user + STACK_USER_SIZE - STACK_SCRATCH
	movl	r24 = 3 << 32 | 1 << 44 | PSR_IC | PSR_I	/* cpl, bn */
	movl	r25 = ia64_user_start ;;
	mov	ar.bspstore = r23
	or	r24 = r24, r18
	rsm	PSR_IC | PSR_I ;;
	mov	ar.rnat = r0
	srlz.i ;;
	mov	ar.rsc = 0xF		/* eager mode, at the lowest privilege level */
	mov	cr.iip = r25
	mov	cr.ipsr = r24
	mov	cr.ifs = r0 ;;		/* keep the frame of one register, the argument */
	rfi ;;
	.global	ia64_user_start
ia64_user_start:
	br.call.sptk b0 = b6 ;;
	break.m	BREAK_USER_RETURN ;;

/* Called in the handler of that break, with the function's result: returns to the caller of
 * ia64_call_user. */
	.global	ia64_user_return
ia64_user_return:
	alloc	r15 = ar.pfs, 1, 0, 0, 0
	mov	r8 = r32 ;;
	alloc	r15 = ar.pfs, 0, 0, 0, 0
	rsm	PSR_I
	movl	r14 = user_return ;;
	mov	ar.rsc = 0 ;;
	loadrs ;;
	each_float get_float
	each_preserved get_word
	ld8	r17 = [r14], 8 ;;
	ld8	r18 = [r14], 8 ;;
	ld8	r19 = [r14], 8 ;;
	ld8	r20 = [r14]
	mov	ar.bspstore = r19 ;;
	invala
	mov	ar.rnat = r20 ;;
	mov	ar.rsc = r17
	mov	psr.l = r18 ;;
	srlz.i
	.serialize.data
	br.ret.sptk b0 ;;
	.endp	ia64_call_user

	.bss
	.balign	16
user_return:
	.skip	20 * 16 + 22 * 8

	.section .note.GNU-stack, "", @progbits
