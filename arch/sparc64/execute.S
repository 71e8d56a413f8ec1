/* SPDX-License-Identifier: BSD-2-Clause */
/* Code of a known number of instructions, for tests of counters, and calls at the lowest privilege
 * level. arch.h documents them. */

#include "layout.h"
#include "sparc64/registers.h"
#include "sparc64/this_cpu.h"
#include "sparc64/traps.h"

	.register %g2, #scratch
	.register %g3, #scratch

	.text

/* void arch_execute(uint64_t n): n >= 2. n + 6 instructions; the loop is a branch and its delay
 * slot. */
	.balign	32
	.global	arch_execute
arch_execute:
	andcc	%o0, 1, %g0
	be,pt	%xcc, 1f
	srlx	%o0, 1, %o0
	nop				/* if n is odd */
1:	sub	%o0, 1, %o0
2:	brnz,pt	%o0, 2b
	sub	%o0, 1, %o0
	retl
	nop

	/* The same loop in a lower mode, without a window and a stack. */
	.macro	execute_below return
	andcc	%o0, 1, %g0
	be,pt	%xcc, 1f
	srlx	%o0, 1, %o0
	nop				/* if n is odd */
1:	sub	%o0, 1, %o0
2:	brnz,pt	%o0, 2b
	sub	%o0, 1, %o0
	ta	\return
	.endm

/* void sparc64_execute_privileged(uint64_t n): n >= 2. */
	.balign	32
	.global	sparc64_execute_privileged, arch_privileged_code, arch_privileged_return
sparc64_execute_privileged:
	rdpr	%pstate, %o1
	wrhpr	%g0, 0, %hpstate
arch_privileged_code:
	wrpr	%g0, PSTATE_PEF | PSTATE_PRIV | PSTATE_IE, %pstate
	execute_below TRAP_PRIVILEGED_RETURN
	.if	. - arch_privileged_code - PRIVILEGED_CODE_SIZE
	.error	"PRIVILEGED_CODE_SIZE"
	.endif
/* Entry of the trap that returns, in the same window. No program can raise this trap. */
arch_privileged_return:
	wrpr	%g0, 0, %tl
	wrpr	%g0, 0, %gl
	retl
	wrpr	%o1, 0, %pstate

/* void arch_execute_user(uint64_t n): n >= 2. */
	.balign	32
	.global	arch_execute_user
arch_execute_user:
	rdpr	%pstate, %o1
	wrhpr	%g0, 0, %hpstate
	wrpr	%g0, PSTATE_PEF | PSTATE_IE, %pstate
	execute_below TRAP_EXECUTE_RETURN

/* bool sparc64_execute_between(uint64_t asi, uint64_t address, uint64_t first, uint64_t second,
 * uint64_t n): n >= 8. n includes two instructions that jump over the odd one. */
	.balign	32
	.global	sparc64_execute_between
sparc64_execute_between:
	wr	%o0, 0, %asi
	sub	%o4, 2, %o4
	andcc	%o4, 1, %g0
	srlx	%o4, 1, %o4
	sub	%o4, 1, %o4
first_write:
	stxa	%o2, [%o1] %asi
	be,pt	%xcc, 1f
	nop
	nop				/* if n is odd */
1:	brnz,pt	%o4, 1b
	sub	%o4, 1, %o4
second_write:
	stxa	%o3, [%o1] %asi
	retl
	mov	1, %o0
write_fault:
	retl
	clr	%o0

/* Continuation if one of the writes faults (sparc64/registers.h). */
	.pushsection .fault_fixups, "a"
	.balign	4
	.word	first_write - ., write_fault - ., second_write - ., write_fault - .
	.popsection

/* bool sparc64_load_privileged(uint64_t asi, uint64_t address, uint64_t *value). The code at 1
 * enters privileged mode, and returns like sparc64_execute_privileged; %o1 is the PSTATE to
 * restore. */
	.balign	32
	.global	sparc64_load_privileged
sparc64_load_privileged:
	wr	%o0, 0, %asi
	mov	%o1, %o3
	mov	%o2, %o4
	mov	%o7, %o5
	call	1f
	clr	%o2			/* 1: loaded */
	brnz,a,pt %o2, 2f
	stx	%o0, [%o4]
2:	jmpl	%o5 + 8, %g0
	mov	%o2, %o0
1:	rdpr	%pstate, %o1
	wrhpr	%g0, 0, %hpstate
	wrpr	%g0, PSTATE_PEF | PSTATE_PRIV | PSTATE_IE, %pstate
privileged_load:
	ldxa	[%o3] %asi, %o0
	mov	1, %o2
privileged_load_fault:
	ta	TRAP_PRIVILEGED_RETURN

/* Continuation if the load traps. */
	.pushsection .fault_fixups, "a"
	.balign	4
	.word	privileged_load - ., privileged_load_fault - .
	.popsection

/* void sparc64_execute_kinds(uint64_t rounds): rounds >= 1. Stores go to its own stack frame, which
 * exists at every level. */
	.balign	32
	.global	sparc64_execute_kinds, sparc64_kinds
sparc64_execute_kinds:
	save	%sp, -(STACK_FRAME + 3 * 64), %sp
	add	%sp, STACK_BIAS + STACK_FRAME + 63, %l0
	andn	%l0, 63, %l0		/* align to two lines of 64 bytes */
sparc64_kinds:
	sethi	%hi(0xfc000), %g0	/* software count */
	ldstub	[%l0], %l1
	prefetch [%l0], 0
	stda	%f0, [%l0] ASI_BLOCK_COMMIT_PRIMARY
	ldx	[%l0 + 64], %l1
	stx	%g0, [%l0 + 64]
	wr	%g0, 0, %y
	brz,pn	%i0, 1f			/* never taken: rounds >= 1 */
	nop
	sub	%i0, 1, %i0
	brnz,pt	%i0, sparc64_kinds
	nop
1:	membar	#Sync
	ret
	restore

/* void sparc64_execute_random(uint64_t branches): branches >= 1. Bit 31 of a linear congruential
 * generator decides each branch. */
	.balign	32
	.global	sparc64_execute_random
sparc64_execute_random:
	sethi	%hi(1664525), %o1
	or	%o1, %lo(1664525), %o1
	sethi	%hi(1013904223), %o2
	or	%o2, %lo(1013904223), %o2
	mov	1, %o3
1:	mulx	%o3, %o1, %o3
	add	%o3, %o2, %o3
	sllx	%o3, 32, %o4
	brlz	%o4, 2f
	sub	%o0, 1, %o0
	nop
2:	brnz,pt	%o0, 1b
	nop
	retl
	nop

/* void sparc64_execute_far(void): 20 KB. Each line of 64 bytes jumps to the next. */
	.balign	64
	.global	sparc64_execute_far
sparc64_execute_far:
	.rept	320
	ba,a,pt	%xcc, 1f
	.balign	64
1:
	.endr
	retl
	nop

/* void sparc64_write_lines(uint64_t address, uint64_t lines) */
	.balign	32
	.global	sparc64_write_lines
sparc64_write_lines:
	brz,pn	%o1, 1f
	nop
2:	stda	%f0, [%o0] ASI_BLOCK_COMMIT_PRIMARY
	subcc	%o1, 1, %o1
	bne,pt	%xcc, 2b
	add	%o0, 64, %o0
1:	retl
	membar	#Sync

/* void sparc64_flush_blocks(uint64_t address, uint64_t blocks) */
	.balign	32
	.global	sparc64_flush_blocks
sparc64_flush_blocks:
	brz,pn	%o1, 1f
	nop
2:	ldda	[%o0] ASI_BLOCK_PRIMARY, %f0
	membar	#Sync
	stda	%f0, [%o0] ASI_BLOCK_COMMIT_PRIMARY
	membar	#Sync
	subcc	%o1, 1, %o1
	bne,pt	%xcc, 2b
	add	%o0, 64, %o0
1:	retl
	nop

/* void arch_halt_wait(void): turns interrupts on, executes HALT, turns interrupts off. An interrupt
 * before the HALT skips it (traps.c). */
	.balign	32
	.global	arch_halt_wait, arch_halt_instruction
arch_halt_wait:
	rdpr	%pstate, %o0
	wrpr	%o0, PSTATE_IE, %pstate
arch_halt_instruction:
	.word	HALT_INSTRUCTION
	retl
	wrpr	%o0, 0, %pstate

/* uint64_t sparc64_call_user(sparc64_user_function *function, uint64_t argument): writes all other
 * windows to memory by spills, and this one to its frame. Privileged mode leads to the lowest
 * level, a software trap returns from it. */
	.balign	32
	.global	sparc64_call_user
sparc64_call_user:
	save	%sp, -STACK_FRAME, %sp
	flushw
	rdpr	%pstate, %l0
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	stx	%l\n, [%sp + STACK_BIAS + 8 * \n]
	stx	%i\n, [%sp + STACK_BIAS + 64 + 8 * \n]
	.endr
	sethi	%hi(sparc64_this_cpu), %g1
	or	%g1, %lo(sparc64_this_cpu), %g1
	stx	%sp, [%g1 + THIS_CPU_USER_RETURN]
	mov	%i0, %g1
	mov	%i1, %o0
	sethi	%hi(stack_user_end - STACK_FRAME - STACK_BIAS), %sp
	or	%sp, %lo(stack_user_end - STACK_FRAME - STACK_BIAS), %sp
	clr	%fp
	clr	%i7
	wrpr	%g0, SPILL_USER << 3, %wstate
	wrhpr	%g0, 0, %hpstate
	wrpr	%g0, PSTATE_PEF | PSTATE_IE, %pstate
	jmpl	%g1, %o7
	nop
	ta	TRAP_USER_RETURN

/* Called in the handler of that trap, with the function's result: returns to the caller of
 * sparc64_call_user. */
	.global	arch_user_return
arch_user_return:
	mov	%o0, %g1
	wrpr	%g0, 0, %wstate
	wrpr	%g0, 0, %otherwin
	wrpr	%g0, 0, %canrestore
	wrpr	%g0, WINDOWS - 2, %cansave
	sethi	%hi(sparc64_this_cpu), %g2
	or	%g2, %lo(sparc64_this_cpu), %g2
	ldx	[%g2 + THIS_CPU_USER_RETURN], %sp
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	ldx	[%sp + STACK_BIAS + 8 * \n], %l\n
	ldx	[%sp + STACK_BIAS + 64 + 8 * \n], %i\n
	.endr
	mov	%g1, %i0
	wrpr	%g0, 0, %tl
	wrpr	%g0, 0, %gl
	wrpr	%l0, 0, %pstate
	ret
	restore
	.size	arch_user_return, . - arch_user_return

	.section .note.GNU-stack, "", @progbits
