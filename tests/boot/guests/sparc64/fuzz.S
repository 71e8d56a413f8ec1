/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entry of fuzz.c, and the execution of code: trap tables in which each trap, from any
 * privilege level, skips its instruction. The MMUs are off, so all levels use physical addresses.
 * UltraSPARC Architecture 2005, chapters 5 and 12.
 */

#define PROM_IMAGE	0x80000		/* in the PROM: the reset code copies it to IMAGE */
#define IMAGE		0x400000
#define ASI_PCR		0x64		/* SPARC T4 Supplement, 10.2 */
#define TT_INTERRUPTS	0x41		/* to 4Fh */
#define TT_OVERFLOWS	0x6A		/* and 6Bh */
#define TT_END		0x17F		/* the end of the code: TA 7Fh */
#define TA_HYPER	0x80		/* enters hyperprivileged mode, from any mode */
#define TT_HYPER	0x180
#define HPSTATE_HPRIV	4
#define PSTATE_PRIV	4
#define PSTATE_PEF	0x10

	.register %g2, #scratch
	.register %g3, #scratch
	.register %g6, #scratch
	.register %g7, #scratch

	.section .reset, "ax"
	.org	0x20
	rd	%pc, %g1
	srlx	%g1, 16, %g1
	sllx	%g1, 16, %g1
	sethi	%hi(PROM_IMAGE), %g2
	add	%g1, %g2, %g1
	sethi	%hi(IMAGE), %g2
	sethi	%hi(image_end), %g3
	or	%g3, %lo(image_end), %g3
1:	ldx	[%g1], %g4
	stx	%g4, [%g2]
	add	%g2, 8, %g2
	cmp	%g2, %g3
	blu,pt	%xcc, 1b
	add	%g1, 8, %g1
	sethi	%hi(start), %g1
	jmpl	%g1 + %lo(start), %g0
	flush	%g1

	.text
	.macro	initial_windows
	wrpr	%g0, 0, %cwp
	wrpr	%g0, 0, %wstate
	wrpr	%g0, 0, %otherwin
	wrpr	%g0, 0, %canrestore
	wrpr	%g0, 6, %cansave
	wrpr	%g0, 7, %cleanwin
	.endm

	.global	start
start:	wrpr	%g0, 0, %tl
	wrpr	%g0, 0, %gl
	wrpr	%g0, PSTATE_PRIV | PSTATE_PEF, %pstate
	wrhpr	%g0, HPSTATE_HPRIV, %hpstate
	wr	%g0, 4, %fprs
	wrpr	%g0, 15, %pil
	initial_windows
	sethi	%hi(table), %g1
	wrhpr	%g1, 0, %htba
	wrpr	%g1, 0, %tba
	sethi	%hi(stack_end - 176 - 2047), %sp
	or	%sp, %lo(stack_end - 176 - 2047), %sp
	call	fuzz_main
	clr	%i7
1:	ba,a,pt	%xcc, 1b
	nop

/*
 * void execute(const uint32_t *code, unsigned level, struct registers *r): executes the code at
 * level 0 (hyperprivileged), 1 or 3. It starts with the registers in *r; afterwards *r holds the
 * registers that it left.
 */
	.global	execute
execute:
	sethi	%hi(kept), %g1
	or	%g1, %lo(kept), %g1
	stx	%sp, [%g1]
	stx	%o7, [%g1 + 8]
	stx	%o2, [%g1 + 16]
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	stx	%l\n, [%g1 + 24 + 8 * \n]
	stx	%i\n, [%g1 + 88 + 8 * \n]
	.endr
	mov	%o0, %g6			/* the code */
	mov	%o1, %g7
	mov	%o2, %g1
	.irp	n, 2, 3, 4, 5
	ldx	[%g1 + 8 * \n], %g\n
	.endr
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	ldx	[%g1 + 64 + 8 * \n], %o\n
	ldx	[%g1 + 128 + 8 * \n], %l\n
	ldx	[%g1 + 192 + 8 * \n], %i\n
	.endr
	ldx	[%g1 + 8], %g1
	brz,pt	%g7, 1f
	nop
	cmp	%g7, 1
	bne,pt	%xcc, 2f
	nop
	wrhpr	%g0, 0, %hpstate
1:	jmpl	%g6, %g0
	nop
2:	wrhpr	%g0, 0, %hpstate
	wrpr	%g0, PSTATE_PEF, %pstate
	jmpl	%g6, %g0
	nop

/* In hyperprivileged mode, with a trap's global registers. */
back:	wrpr	%g0, 0, %tl
	rdpr	%cwp, %g1
	rdpr	%cansave, %g2
	sllx	%g2, 8, %g2
	or	%g1, %g2, %g1
	rdpr	%canrestore, %g2
	sllx	%g2, 16, %g2
	or	%g1, %g2, %g1
	rdpr	%otherwin, %g2
	sllx	%g2, 24, %g2
	or	%g1, %g2, %g1
	rdpr	%cleanwin, %g2
	sllx	%g2, 32, %g2
	or	%g1, %g2, %g1
	rd	%asi, %g2
	sllx	%g2, 40, %g2
	or	%g1, %g2, %g1
	sethi	%hi(kept), %g2
	or	%g2, %lo(kept), %g2
	ldx	[%g2 + 16], %g2
	stx	%g1, [%g2 + 256]
	rd	%y, %g1
	stx	%g1, [%g2 + 264]
	rdpr	%pil, %g1
	stx	%g1, [%g2 + 272]
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	stx	%o\n, [%g2 + 64 + 8 * \n]
	stx	%l\n, [%g2 + 128 + 8 * \n]
	stx	%i\n, [%g2 + 192 + 8 * \n]
	.endr
	wrpr	%g0, 0, %gl
	sethi	%hi(kept), %o0
	or	%o0, %lo(kept), %o0
	ldx	[%o0 + 16], %o0
	.irp	n, 1, 2, 3, 4, 5, 6, 7
	stx	%g\n, [%o0 + 8 * \n]
	.endr
	wrpr	%g0, PSTATE_PRIV | PSTATE_PEF, %pstate
	wrhpr	%g0, HPSTATE_HPRIV, %hpstate
	wr	%g0, 4, %fprs
	wr	%g0, 0x82, %asi
	wr	%g0, -1, %clear_softint
	wrpr	%g0, 15, %pil
	initial_windows
	sethi	%hi(kept), %g1
	or	%g1, %lo(kept), %g1
	ldx	[%g1], %sp
	ldx	[%g1 + 8], %o7
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	ldx	[%g1 + 24 + 8 * \n], %l\n
	ldx	[%g1 + 88 + 8 * \n], %i\n
	.endr
	retl
	nop

/*
 * Each trap: %g1 is its type. The handler adds type and address to the checksum; execution
 * continues at the next instruction.
 */
trap:	cmp	%g1, TT_HYPER
	be,pn	%xcc, back
	cmp	%g1, TT_END
	be,pn	%xcc, 3f
	nop
	sub	%g1, TT_OVERFLOWS, %g2
	cmp	%g2, 1
	bleu,pn	%xcc, 1f
	sub	%g1, TT_INTERRUPTS, %g2
	cmp	%g2, 0x4F - TT_INTERRUPTS
	bleu,pn	%xcc, 2f
	sethi	%hi(traps), %g3
	ldx	[%g3 + %lo(traps)], %g4
	rdpr	%tpc, %g5
	sllx	%g5, 9, %g5
	xor	%g1, %g5, %g1
	xor	%g4, %g1, %g4
	sethi	%hi(16777619), %g5
	or	%g5, %lo(16777619), %g5
	mulx	%g4, %g5, %g4
	stx	%g4, [%g3 + %lo(traps)]
	done
/* An overflow: stops all counters and executes the instruction again. */
1:	stxa	%g0, [%g0] ASI_PCR
	mov	8, %g2
	stxa	%g0, [%g2] ASI_PCR
	mov	16, %g2
	stxa	%g0, [%g2] ASI_PCR
	mov	24, %g2
	stxa	%g0, [%g2] ASI_PCR
	retry
2:	wr	%g0, -1, %clear_softint
	retry
3:	ta	TA_HYPER
	nop

	.section .tables, "ax"
	.balign	0x8000
table:	.rept	1024
	ba,pt	%xcc, trap
	rdpr	%tt, %g1
	.balign	32
	.endr

	.data
	.balign	8
	.global	traps
traps:	.xword	0
kept:	.skip	8 * 32
	.skip	16384
	.balign	16
stack_end:

	.section .note.GNU-stack, "", @progbits
