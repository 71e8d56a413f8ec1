/* SPDX-License-Identifier: BSD-2-Clause */
/* Code whose number of instructions is known, to test counters with, and calls at the lowest privilege level. The
 * contracts are in arch.h. */

#include "layout.h"
#include "sparc64/registers.h"
#include "sparc64/this_cpu.h"
#include "sparc64/traps.h"

	.register %g2, #scratch
	.register %g3, #scratch

	.text

/* void arch_execute(uint64_t n): n >= 2. Six instructions and n: the loop is a branch and its delay slot. */
	.balign	32
	.global	arch_execute
arch_execute:
	andcc	%o0, 1, %g0
	be,pt	%xcc, 1f
	srlx	%o0, 1, %o0
	nop				/* the odd one */
1:	sub	%o0, 1, %o0
2:	brnz,pt	%o0, 2b
	sub	%o0, 1, %o0
	retl
	nop

	/* In a lower mode; it needs no window and no stack. */
	.macro	execute_below return
	andcc	%o0, 1, %g0
	be,pt	%xcc, 1f
	srlx	%o0, 1, %o0
	nop				/* the odd one */
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
/* The trap's entry, in the same window. No program's trap has its number. */
arch_privileged_return:
	wrpr	%g0, 0, %tl
	wrpr	%g0, 0, %gl
	retl
	wrpr	%o1, 0, %pstate

/* void arch_execute_user(uint64_t n): n >= 2. */
	.balign	32
	.global	arch_execute_user, arch_execute_return
arch_execute_user:
	rdpr	%pstate, %o1
	wrhpr	%g0, 0, %hpstate
	wrpr	%g0, PSTATE_PEF | PSTATE_IE, %pstate
	execute_below TRAP_EXECUTE_RETURN
/* The trap's entry, in the same window. A program's trap is like any other. */
arch_execute_return:
	rdpr	%wstate, %g1
	brnz,pn	%g1, arch_trap_entry
	nop
	wrpr	%g0, 0, %tl
	wrpr	%g0, 0, %gl
	retl
	wrpr	%o1, 0, %pstate

/* bool sparc64_execute_between(uint64_t asi, uint64_t address, uint64_t first, uint64_t second, uint64_t n): n >= 8.
 * Two of the n are the jump over the odd one. */
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
	nop				/* the odd one */
1:	brnz,pt	%o4, 1b
	sub	%o4, 1, %o4
second_write:
	stxa	%o3, [%o1] %asi
	retl
	mov	1, %o0
write_fault:
	retl
	clr	%o0

/* Where to go on if one of them faults (sparc64/registers.h). */
	.pushsection .fault_fixups, "a"
	.balign	4
	.word	first_write - ., write_fault - ., second_write - ., write_fault - .
	.popsection

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

/* void arch_halt_wait(void): interrupts on, HALT, interrupts off. An interrupt that comes before the HALT skips it
 * (traps.c). */
	.balign	32
	.global	arch_halt_wait, arch_halt_instruction
arch_halt_wait:
	rdpr	%pstate, %o0
	wrpr	%o0, PSTATE_IE, %pstate
arch_halt_instruction:
	.word	HALT_INSTRUCTION
	retl
	wrpr	%o0, 0, %pstate

/* uint64_t sparc64_call_user(sparc64_user_function *function, uint64_t argument): all windows but this one go to
 * memory, this one is stored as a spill would store it. The way down is through privileged mode, the way back a
 * software trap. */
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

/* Called in the handler of that trap, with the function's result: back to who called sparc64_call_user. */
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

	.section .note.GNU-stack, "", @progbits
