# SPDX-License-Identifier: BSD-2-Clause
# Assembled ahead of each source (pentium.options), for a processor with 64-bit mode but only the
# Pentium's instructions. These macros replace instructions of the Pentium Pro that the compiler
# cannot be told to avoid.

# CMOVcc: a jump over MOV, which leaves the flags unchanged. A 32-bit CMOVcc zeroes the upper half
# of its destination even without a move, which the last macro does; for other sizes that macro
# changes nothing.
	.macro	conditional_move condition, opposite
	.irp	suffix, , w, l, q
	.macro	cmov\condition\suffix operands:vararg
	j\opposite 771f
	mov\suffix \operands
771:	move_to_itself\suffix \operands
	.endm
	.endr
	.endm

# Moves the last operand to itself. Commas within an address also separate arguments.
	.irp	suffix, , w, l, q
	.macro	move_to_itself\suffix first, second, third, fourth
	.ifnb	\fourth
	mov\suffix \fourth, \fourth
	.else
	.ifnb	\third
	mov\suffix \third, \third
	.else
	mov\suffix \second, \second
	.endif
	.endif
	.endm
	.endr

# FCMOVcc: exchanges the register with the top, and writes the moved value back to it.
	.macro	conditional_x87_move condition, opposite
	.macro	fcmov\condition source:req, destination
	j\opposite 771f
	fxch	\source
	fst	\source
771:
	.endm
	.endm

# FCOMI, FUCOMI and their popping forms: move the x87's condition through AX to CF, PF and ZF.
# There is no red zone.
	.macro	x87_comparison name, compare
	.macro	\name source:req, destination
	push	%rax
	\compare \source
	fnstsw	%ax
	.byte	0x9e		# SAHF. By name, newer binutils refuse it for the -march of pentium.options.
	pop	%rax
	.endm
	.endm

	conditional_move a, be
	conditional_move ae, b
	conditional_move b, ae
	conditional_move be, a
	conditional_move c, nc
	conditional_move e, ne
	conditional_move g, le
	conditional_move ge, l
	conditional_move l, ge
	conditional_move le, g
	conditional_move na, a
	conditional_move nae, ae
	conditional_move nb, b
	conditional_move nbe, be
	conditional_move nc, c
	conditional_move ne, e
	conditional_move ng, g
	conditional_move nge, ge
	conditional_move nl, l
	conditional_move nle, le
	conditional_move no, o
	conditional_move np, p
	conditional_move ns, s
	conditional_move nz, z
	conditional_move o, no
	conditional_move p, np
	conditional_move pe, po
	conditional_move po, pe
	conditional_move s, ns
	conditional_move z, nz

	conditional_x87_move b, ae
	conditional_x87_move e, ne
	conditional_x87_move be, a
	conditional_x87_move u, np
	conditional_x87_move nb, b
	conditional_x87_move ne, e
	conditional_x87_move nbe, be
	conditional_x87_move nu, p

	x87_comparison fcomi, fcom
	x87_comparison fcomip, fcomp
	x87_comparison fucomi, fucom
	x87_comparison fucomip, fucomp
