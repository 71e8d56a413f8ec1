/* SPDX-License-Identifier: BSD-2-Clause */
/* From the boot loader's hand-over (32-bit protected mode without paging; for palmon.img, image/
 * gets there) through the early checks (early/) to arch_main in 64-bit mode: 4 GiB identity-mapped,
 * SSE on if present, boot stack, interrupts off. Further CPUs start in real mode, in a copy of the
 * trampoline, and reach x86_processor_main in the same state. */

#include "layout.h"
#include "x86/early.h"
#include "x86/guesses.h"

#define XEN_ELFNOTE_PHYS32_ENTRY 18

#define PAGE_PRESENT_WRITE	0x003
#define PAGE_LARGE		0x080
#define PAGE_UNCACHED		0x018	/* PWT, PCD: for the last GiB, which holds devices */

#define CR0_PE			(1 << 0)
#define CR0_MP			(1 << 1)
#define CR0_NE			(1 << 5)
#define CR0_WP			(1 << 16)
#define CR0_PG			(1 << 31)
#define CR4_PAE			(1 << 5)
#define CR4_PCE			(1 << 8)	/* level 3 may execute RDPMC */
#define CR4_OSFXSR		(1 << 9)
#define CR4_OSXMMEXCPT		(1 << 10)
#define MSR_EFER		0xC0000080
#define EFER_LME		(1 << 8)
#define EFER_NXE		(1 << 11)

/* The linker script's choice: a processor without SSE may lack the other two bits. */
	.global	cr4_with_sse, cr4_without_sse
	.set	cr4_with_sse, CR4_PAE + CR4_PCE + CR4_OSFXSR + CR4_OSXMMEXCPT
	.set	cr4_without_sse, CR4_PAE + CR4_PCE

#define TRAMPOLINE_CODE		0x08
#define TRAMPOLINE_DATA		0x10

/* From 32-bit protected mode, with page tables set up, to 64-bit mode, but without a stack. Changes
 * EAX, ECX, EDX. */
	.macro	enter_long_mode tables, gdt_pointer
	mov	$arch_cr4, %eax
	mov	%eax, %cr4
	mov	\tables, %eax
	mov	%eax, %cr3
	mov	$MSR_EFER, %ecx
	rdmsr
	or	$EFER_LME + EFER_NXE, %eax
	wrmsr
	mov	$CR0_PG + CR0_WP + CR0_NE + CR0_MP + CR0_PE, %eax
	mov	%eax, %cr0
	lgdt	\gdt_pointer
	ljmp	$SEGMENT_CODE, $9f
	.code64
9:	mov	$SEGMENT_DATA, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	xor	%eax, %eax
	mov	%eax, %fs
	mov	%eax, %gs
	xor	%ebp, %ebp
	fninit
	.endm

	.section .note.Xen, "a", @note
	.balign 4
	.long 4, 8, XEN_ELFNOTE_PHYS32_ENTRY
	.asciz "Xen"
	.quad pvh_entry

/* The early code is where every machine has memory; the rest of the image may have none, and the
 * processor may lack any feature. */
	.section .early.text, "ax"
	.code32
	.global elf_entry, pvh_entry, early_entry
pvh_entry:
	mov	$X86_ENTERED_PVH, %eax
elf_entry:
	mov	%eax, %edi		/* a Multiboot loader's magic number */
	mov	%ebx, %esi		/* Multiboot information; PVH start_info */

/* EDI: how the image was entered. ESI: the loader's data. */
early_entry:
	mov	$early_stack_end, %esp
	cld
	push	%esi
	push	%edi
	call	x86_early_main
	movl	$place_parts, early_next

make_tables:
	/* One PML4 entry, four page-directory-pointer entries, 2048 pages of 2 MiB. */
	mov	$early_pml4, %edi
	mov	$2 * 4096 / 4, %ecx
	xor	%eax, %eax
	rep stosl			/* clear entries that palmon.img has used (image/start.c) */
	movl	$early_pdpt + PAGE_PRESENT_WRITE, early_pml4
	mov	$early_pdpt, %ebx
	mov	$early_page_directories + PAGE_PRESENT_WRITE, %eax
	mov	$4, %ecx
2:	mov	%eax, (%ebx)
	add	$8, %ebx
	add	$4096, %eax
	loop	2b
	mov	$early_page_directories, %ebx
	mov	$PAGE_PRESENT_WRITE + PAGE_LARGE, %eax
	mov	$2048, %ecx
3:	cmp	$512, %ecx
	jne	4f
	or	$PAGE_UNCACHED, %eax
4:	mov	%eax, (%ebx)
	movl	$0, 4(%ebx)
	add	$8, %ebx
	add	$LARGE_PAGE, %eax
	loop	3b

	enter_long_mode $early_pml4, early_gdt_pointer
	mov	early_next, %eax
	jmp	*%rax

	.code32
/* noreturn void early_leave(void (*to)(void)) */
	.global	early_leave
early_leave:
	mov	4(%esp), %eax
	mov	%eax, early_next
	jmp	make_tables

	.section .early.text64, "ax"
	.code64
/* Copies palmon.img's parts of the image to where they are linked. */
place_parts:
	mov	x86_early_parts, %ebx
	test	%ebx, %ebx
	jz	6f
5:	mov	(%rbx), %edi		/* struct x86_part */
	test	%edi, %edi
	jz	6f
	mov	4(%rbx), %esi
	mov	8(%rbx), %ecx
	shr	$3, %ecx
	rep movsq
	mov	12(%rbx), %ecx
	shr	$3, %ecx
	xor	%eax, %eax
	rep stosq
	add	$16, %rbx
	jmp	5b
6:	mov	$image_entry, %eax
	jmp	*%rax

	.section .early.bss, "aw", @nobits
	.balign	4
early_next:
	.skip	4			/* entry point in 64-bit mode */

	.section .text.entry, "ax"
image_entry:
	lgdt	arch_gdt_pointer
	lea	stacks_start + STACK_BOOT_END(%rip), %rsp
	mov	$trampoline, %esi
	mov	$TRAMPOLINE, %edi
	mov	$trampoline_end - trampoline, %ecx
	rep movsb
	call	arch_main
stop:	cli
	hlt
	jmp	stop

/* A further CPU, from the trampoline. One that is not expected, or comes too late, stops. */
	.code32
processor_entry:
	mov	$TRAMPOLINE_DATA, %eax
	mov	%eax, %ds
	enter_long_mode arch_page_tables, arch_gdt_pointer
	xor	%edi, %edi
	xchg	%edi, arch_processor_expected(%rip)
	test	%edi, %edi		/* the CPU's number */
	jz	stop
	imul	$CPU_STACKS_SIZE, %rdi, %rax
	lea	stacks_start + STACK_BOOT_END(%rax), %rsp
	call	x86_processor_main
	jmp	stop

/* Copied to TRAMPOLINE, where a startup interrupt starts a CPU in real mode. Enters protected
 * mode. */
	.section .rodata
	.code16
trampoline:
	cli
	mov	%cs, %ax
	mov	%ax, %ds
	lgdtl	trampoline_gdt_pointer - trampoline
	mov	%cr0, %eax
	or	$CR0_PE, %eax
	mov	%eax, %cr0
	ljmpl	$TRAMPOLINE_CODE, $processor_entry
	.balign 8
trampoline_gdt:
	.quad	0
	.quad	0x00CF9B000000FFFF	/* TRAMPOLINE_CODE: 32-bit, level 0, 4 GiB */
	.quad	0x00CF93000000FFFF	/* TRAMPOLINE_DATA */
trampoline_gdt_pointer:
	.word	trampoline_gdt_pointer - trampoline_gdt - 1
	.long	TRAMPOLINE + trampoline_gdt - trampoline
trampoline_end:

	.section .note.GNU-stack, "", @progbits
