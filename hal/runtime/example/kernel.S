/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's start: Multiboot 1, 32-bit mode; on to 64-bit mode, in which 4 GiB are mapped to themselves. */

	.text				/* the first: a loader looks in the first 8 KiB of the file */
	.balign	4
	.long	0x1BADB002, 0, -0x1BADB002
	.code32
	.global	start
start:	mov	$stack_end, %esp
	movl	$directories_pointers + 3, tables
	mov	$directories + 3, %eax
	mov	$directories_pointers, %edi
	mov	$4, %ecx
1:	mov	%eax, (%edi)
	add	$8, %edi
	add	$4096, %eax
	loop	1b
	mov	$0x83, %eax		/* present, writable, 2 MiB */
	mov	$directories, %edi
	mov	$2048, %ecx
2:	mov	%eax, (%edi)
	add	$8, %edi
	add	$0x200000, %eax
	loop	2b
	mov	$0x20, %eax		/* CR4.PAE */
	mov	%eax, %cr4
	mov	$tables, %eax
	mov	%eax, %cr3
	mov	$0xC0000080, %ecx	/* EFER.LME */
	rdmsr
	or	$0x100, %eax
	wrmsr
	mov	%cr0, %eax
	or	$0x80000001, %eax
	mov	%eax, %cr0
	lgdt	gdt_pointer
	ljmp	$8, $3f
	.code64
3:	mov	$16, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	call	kernel
4:	hlt
	jmp	4b

	.section .rodata
	.balign	8
gdt:	.quad	0, 0x00209B0000000000, 0x00CF93000000FFFF
gdt_pointer:
	.word	gdt_pointer - gdt - 1
	.quad	gdt

	.bss
	.balign	4096
tables:	.skip	4096
directories_pointers:
	.skip	4096
directories:
	.skip	4 * 4096
	.skip	65536
stack_end:

	.section .note.GNU-stack, "", @progbits
