/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry in 32-bit mode, by a Multiboot 1 loader, or by a call, as coreboot calls payloads. Enters
 * 64-bit mode with 4 GiB identity-mapped and a stack of its own, and calls host_main(argument of
 * the call). Returns its result. */

#define PAINT	0x5A5A5A5A	/* host.h */

	.text				/* loaders search only the first 8 KiB */
	.balign	4
	.long	0x1BADB002, 0, -0x1BADB002
	.code32
	.global	start
start:	cld
	mov	%ebx, caller_ebx
	mov	%esi, caller_esi
	mov	%edi, caller_edi
	mov	%ebp, caller_ebp
	mov	%esp, caller_esp
	sgdt	caller_gdt
	mov	%cs, caller_cs
	mov	%ds, caller_ds
	mov	%cr0, %eax
	mov	%eax, caller_cr0
	mov	%cr4, %eax
	mov	%eax, caller_cr4
	mov	4(%esp), %ebx
	mov	$PAINT, %eax
	mov	$host_stack, %edi
	mov	$(host_stack_end - host_stack) / 4, %ecx
	rep	stosl
	mov	$host_stack_end, %esp
	movl	$directories_pointers + 7, tables
	mov	$directories + 7, %eax
	mov	$directories_pointers, %edi
	mov	$4, %ecx
1:	mov	%eax, (%edi)
	add	$8, %edi
	add	$4096, %eax
	loop	1b
	mov	$0x87, %eax		/* present, writable, user, 2 MiB page */
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
	mov	$task_state, %eax
	mov	%ax, gdt_task + 2
	shr	$16, %eax
	mov	%al, gdt_task + 4
	mov	%ah, gdt_task + 7
	movb	$0x89, gdt_task + 5	/* mark as not busy, for a second call */
	mov	$48, %eax
	ltr	%ax
	mov	%ebx, %edi
	call	host_main
	mov	%eax, %ebx
	push	$24
	push	$4f
	lretq
	.code32
4:	mov	%cr0, %eax
	and	$0x7FFFFFFF, %eax
	mov	%eax, %cr0
	mov	$0xC0000080, %ecx
	rdmsr
	and	$~0x100, %eax
	wrmsr
	mov	caller_cr4, %eax
	mov	%eax, %cr4
	mov	caller_cr0, %eax
	mov	%eax, %cr0
	lgdt	caller_gdt
	push	caller_cs
	push	$5f
	lret
5:	mov	caller_ds, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	mov	%ebx, %eax
	mov	caller_ebx, %ebx
	mov	caller_esi, %esi
	mov	caller_edi, %edi
	mov	caller_ebp, %ebp
	mov	caller_esp, %esp
	ret

	.data
	.balign	8
/* 64 bits, data, 32 bits */
gdt:	.quad	0, 0x00209B0000000000, 0x00CF93000000FFFF, 0x00CF9B000000FFFF
	.quad	0x00CFF3000000FFFF, 0x0020FB0000000000				/* level 3 */
gdt_task:
	.quad	0x0000890000000067, 0
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
	.global	task_state, user_stack_end, host_stack, host_stack_end
	.skip	4096
user_stack_end:
task_state:
	.skip	112
host_stack:
	.skip	65536
host_stack_end:
caller_ebx: .skip 4
caller_esi: .skip 4
caller_edi: .skip 4
caller_ebp: .skip 4
caller_esp: .skip 4
caller_cr0: .skip 4
caller_cr4: .skip 4
caller_cs: .skip 4
caller_ds: .skip 4
caller_gdt: .skip 8

	.section .note.GNU-stack, "", @progbits
