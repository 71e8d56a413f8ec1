/* SPDX-License-Identifier: BSD-2-Clause */
/* From reset to arch_main. The reset code runs in the boot PROM, copies the image to memory, and
 * starts it: hyperprivileged, trap level 0, interrupts off, FPU on, all register windows free, boot
 * stack. */

#include "layout.h"
#include "sparc64/registers.h"

	.register %g2, #scratch
	.register %g3, #scratch

#define LINE_STATUS		5	/* of a 16550; bit 5: a character can be sent */
#define LINE_STATUS_EMPTY	0x20
#define TRIES			0x100000
#define TYPE			1	/* placeholder for the type in the text */

/* Reset traps enter at 20h times their type (UltraSPARC Architecture 2005, 12.5.1). All except the
 * power-on reset, type 1, report their type and stop, because the machine's state cannot be
 * trusted. */
	.section .reset, "ax"
	ba,a,pt	%xcc, stop
	nop
	.org	0x20
	ba,a,pt	%xcc, 1f
	nop
	.set	type, 2
	.rept	4
	.balign	0x20
	ba,pt	%xcc, other_reset
	mov	'0' + type, %g2
	.set	type, type + 1
	.endr

	.balign	0x20
other_reset:
	rd	%pc, %g1
	add	%g1, report - other_reset, %g1
	setx	UART_CONSOLE, %g4, %g3
2:	ldub	[%g1], %g4
	brz,pn	%g4, stop
	set	TRIES, %g5
	cmp	%g4, TYPE
	move	%xcc, %g2, %g4
3:	ldub	[%g3 + LINE_STATUS], %g6
	btst	LINE_STATUS_EMPTY, %g6
	bne,pt	%xcc, 4f
	subcc	%g5, 1, %g5
	bne,pt	%xcc, 3b		/* no room for too long: write anyway */
	nop
4:	stb	%g4, [%g3]
	ba,pt	%xcc, 2b
	inc	%g1
stop:	ba,a,pt	%xcc, stop
	nop
report:	.ascii	"\npalmon: a reset of type "
	.byte	TYPE
	.ascii	", which is not the power-on reset: this strand stops\npalmon: status 1 (reset)\n"
	.asciz	"\0041\n"		/* END_OF_TRANSMISSION and the status, as in hal_exit */
	.balign	8
1:	wr	%g0, 0, %stick		/* start %stick, readable at all levels */
	rd	%pc, %g1
	srlx	%g1, 16, %g1
	sllx	%g1, 16, %g1		/* address of the PROM */
	sethi	%hi(PROM_IMAGE), %g2
	add	%g1, %g2, %g1
	sethi	%hi(image_start), %g2
	sethi	%hi(image_end), %g3
	or	%g3, %lo(image_end), %g3
2:	ldx	[%g1], %g4
	stx	%g4, [%g2]
	add	%g2, 8, %g2
	cmp	%g2, %g3
	blu,pt	%xcc, 2b
	add	%g1, 8, %g1
	sethi	%hi(image_entry), %g1
	jmpl	%g1 + %lo(image_entry), %g0
	flush	%g1

	.text
	.global	image_entry
image_entry:
	wrpr	%g0, 0, %tl
	wrpr	%g0, 0, %gl
	wrpr	%g0, PSTATE_PRIV | PSTATE_PEF, %pstate
	wrhpr	%g0, HPSTATE_HPRIV, %hpstate		/* leaves RED state */
	wr	%g0, FPRS_FEF, %fprs
	wrpr	%g0, 15, %pil
	wrpr	%g0, 0, %cwp
	wrpr	%g0, 0, %wstate
	wrpr	%g0, 0, %otherwin
	wrpr	%g0, 0, %canrestore
	wrpr	%g0, WINDOWS - 2, %cansave
	wrpr	%g0, WINDOWS - 1, %cleanwin		/* no window ever needs cleaning */

	sethi	%hi(arch_hyperprivileged_table), %g1
	wrhpr	%g1, 0, %htba
	sethi	%hi(arch_privileged_table), %g1
	wrpr	%g1, 0, %tba
	ldxa	[%g0] ASI_LSU_CONTROL, %g1
	or	%g1, LSU_CONTROL_MMUS, %g1
	stxa	%g1, [%g0] ASI_LSU_CONTROL

	/* Move data after the image to its place, and clear the parts that are not in the image. */
	sethi	%hi(user_data_load), %g1
	or	%g1, %lo(user_data_load), %g1
	sethi	%hi(user_data_start), %g2
	or	%g2, %lo(user_data_start), %g2
	sethi	%hi(user_data_end), %g3
	or	%g3, %lo(user_data_end), %g3
	call	copy
	nop
	mov	%g3, %g1
	sethi	%hi(user_bss_end), %g2
	or	%g2, %lo(user_bss_end), %g2
	call	clear
	nop
	sethi	%hi(runtime_bss_start), %g1
	or	%g1, %lo(runtime_bss_start), %g1
	sethi	%hi(runtime_bss_end), %g2
	or	%g2, %lo(runtime_bss_end), %g2
	call	clear
	nop

	sethi	%hi(stack_boot_end - STACK_FRAME - STACK_BIAS), %sp
	or	%sp, %lo(stack_boot_end - STACK_FRAME - STACK_BIAS), %sp
	clr	%fp
	call	arch_main
	clr	%i7
4:	ba,a,pt	%xcc, 4b
	nop

/* Copies from %g1 to %g2, up to %g3. */
3:	ldx	[%g1], %g4
	stx	%g4, [%g2]
	add	%g1, 8, %g1
	add	%g2, 8, %g2
copy:	cmp	%g2, %g3
	blu,pt	%xcc, 3b
	nop
	retl
	nop

/* Clears from %g1 to %g2. */
3:	stx	%g0, [%g1]
	add	%g1, 8, %g1
clear:	cmp	%g1, %g2
	blu,pt	%xcc, 3b
	nop
	retl
	nop

	.section .note.GNU-stack, "", @progbits
