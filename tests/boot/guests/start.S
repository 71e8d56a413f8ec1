/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The start code of every guest of these tests: a 32-bit Multiboot 1 kernel with a stack, which
 * calls guest_main(magic, information). Interrupts and exceptions call guest_interrupt(frame).
 */

	.section .multiboot, "a"
	.balign 4
	.long 0x1BADB002
	.long 3			/* modules on pages; memory information */
	.long -(0x1BADB002 + 3)
	.skip	20		/* room for addresses; a test writes them */

	.text
	.global _start
_start:
	lgdt	gdt_pointer
	ljmp	$0x08, $1f
1:	mov	$0x10, %ecx
	mov	%ecx, %ds
	mov	%ecx, %es
	mov	%ecx, %fs
	mov	%ecx, %gs
	mov	%ecx, %ss
	mov	$stack_end, %esp
	movl	$entry_stack_end, task_state + 4	/* ESP0, SS0: for interrupts at level 3 */
	movl	$0x10, task_state + 8
	movl	$task_state, %ecx
	mov	%cx, gdt_task + 2
	shr	$16, %ecx
	mov	%cl, gdt_task + 4
	mov	%ch, gdt_task + 7
	mov	$0x28, %ecx
	ltr	%cx
	push	%ebx
	push	%eax
	call	guest_main
2:	cli
	hlt
	jmp	2b

/* Stubs of 16 bytes for all vectors: those without an error code push 0 for it. */
	.balign 16
	.global vector_stubs
vector_stubs:
	.set	vector, 0
	.rept	256
	.balign 16
	.if	(vector != 8) && ((vector < 10) || (vector > 14)) && (vector != 17)
	push	$0
	.endif
	push	$vector
	jmp	dispatch
	.set	vector, vector + 1
	.endr
dispatch:
	pusha
	push	%esp
	call	guest_interrupt
	add	$4, %esp
	popa
	add	$8, %esp
	iret

	.data
	.balign 8
	.global	gdt
gdt:	.quad	0
	.quad	0x00CF9B000000FFFF	/* 08: code */
	.quad	0x00CF93000000FFFF	/* 10: data */
	.quad	0x00CFFB000000FFFF	/* 18: code, level 3 */
	.quad	0x00CFF3000000FFFF	/* 20: data, level 3 */
gdt_task:
	.quad	0x0000890000000067	/* 28: task */
	.quad	0x00AF9B000000FFFF	/* 30: 64-bit code */
	.quad	0x00009B000000FFFF	/* 38: 16-bit code, at 0 */
	.quad	0x000093000000FFFF	/* 40: 16-bit data, at 0 */
gdt_pointer:
	.word	gdt_pointer - gdt - 1
	.long	gdt

	.bss
	.balign 16
task_state:
	.skip	104
	.balign 4096
	.skip	0x4000
stack_end:
	.skip	0x2000
entry_stack_end:
	.section .note.GNU-stack, "", @progbits
