/* SPDX-License-Identifier: BSD-2-Clause */
/* The beginning of what palmon.img has behind its first 4 KiB: where loaders enter it, in 32-bit or 64-bit mode,
 * wherever they have put it. What they have left is copied into the image; then the image is moved to where it is
 * linked, 1 MiB, and goes on as other images do (../entry.S). */

#include "layout.h"
#include "x86/early.h"
#include "x86/guesses.h"
#include "x86/linux.h"
#include "x86/multiboot.h"

#define ENTRY_64	0x200			/* from the beginning: the Linux boot protocol's 64-bit entry */

#define CR0_PG		(1 << 31)
#define CR4_PAE		(1 << 5)
#define MSR_EFER	0xC0000080
#define EFER_LME	(1 << 8)

	.section .image, "ax"
	.code32
	.global	image_base
image_base:
	jmp	linux_32
	.org	image_base + ENTRY_64, INT3
	.code64
	jmp	linux_64

	.section .early.text, "ax"
	.code32
/* The Linux boot protocol's 32-bit entry. ESI has the address of the zero page, in which there is room for a stack. */
linux_32:
	cli
	cld
	lea	LINUX_STACK(%esi), %esp
	call	1f
1:	pop	%ebp
	sub	$1b, %ebp			/* how far from where it is linked the image is */
	mov	LINUX_COMMAND_LINE_AT(%esi), %ebx
	lea	image_parameters(%ebp), %edi
	mov	$LINUX_PARAMETERS / 4, %ecx
	rep movsl
	test	%ebx, %ebx
	jz	3f
	mov	%ebx, %esi
	lea	image_command_line(%ebp), %edi
	mov	$LINUX_COMMAND_LINE - 1, %ecx	/* the last byte stays 0 */
2:	lodsb
	stosb
	test	%al, %al
	loopnz	2b
3:	mov	$X86_ENTERED_LINUX, %ebx
	test	%ebp, %ebp
	jz	image_in_place

	/* What moves the image cannot be in it: the page where further CPUs start is free. */
	lea	mover(%ebp), %esi
	mov	$TRAMPOLINE, %edi
	mov	$mover_end - mover, %ecx
	rep movsb
	mov	image_load_end(%ebp), %ecx
	sub	$IMAGE_START, %ecx
	shr	$2, %ecx
	lea	IMAGE_START(%ebp), %esi
	mov	$IMAGE_START, %edi
	mov	$image_in_place, %edx
	mov	$TRAMPOLINE, %eax
	jmp	*%eax

/* ECX words from ESI to EDI; goes on at EDX. The same code in both modes. */
mover:	rep movsl
	jmp	*%edx				/* 64-bit mode: RDX */
mover_end:

/* Multiboot's entry. The header says where the image is to be. */
	.global	image_multiboot_entry
image_multiboot_entry:
	movl	$early_end, x86_early_parts
	mov	%eax, %edi
	mov	%ebx, %esi
	jmp	early_entry

/* From 64-bit mode. */
leave_long_mode:
	mov	$SEGMENT_DATA, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	mov	%cr4, %eax
	and	$CR4_PAE, %eax			/* process contexts would keep paging on */
	mov	%eax, %cr4
	mov	%cr0, %eax
	and	$~CR0_PG, %eax
	mov	%eax, %cr0
	mov	$MSR_EFER, %ecx
	rdmsr
	and	$~EFER_LME, %eax
	wrmsr

/* The image is where it is linked, EBX says how it was entered. */
image_in_place:
	movl	$early_end, x86_early_parts
	mov	%ebx, %edi
	mov	$image_parameters, %esi
	jmp	early_entry

	.section .early.text64, "ax"
	.code64
/* The Linux boot protocol's 64-bit entry. RSI has the address of the zero page. */
linux_64:
	cli
	cld
	lea	early_stack_end(%rip), %rsp
	mov	%rsi, %rdi
	call	image_enter_linux

/* noreturn void image_move(const void *from, const uint64_t *pml4, uint32_t entered): moves the image to where it is
 * linked, with these page tables, in which all is where it is, and leaves 64-bit mode. */
	.global	image_move
image_move:
	mov	%edx, %ebx
	mov	%rsi, %cr3
	mov	%rdi, %rbp
	lea	mover(%rip), %rsi
	mov	$TRAMPOLINE, %edi
	mov	$mover_end - mover, %ecx
	rep movsb
	mov	image_load_end(%rip), %ecx
	sub	$IMAGE_START, %ecx
	shr	$2, %ecx
	mov	%rbp, %rsi
	mov	$IMAGE_START, %edi
	mov	$1f, %edx
	mov	$TRAMPOLINE, %eax
	jmp	*%rax
1:	lgdt	early_gdt_pointer
	mov	$early_stack_end, %esp
	push	$SEGMENT_CODE_32
	push	$leave_long_mode
	lretq

/* Found in the first 8 KiB of the file. */
	.section .multiboot, "a"
	.balign	4
image_multiboot:
	.long	MULTIBOOT_HEADER_MAGIC
	.long	MULTIBOOT_WANTS_MEMORY + MULTIBOOT_HAS_ADDRESSES
	.long	-(MULTIBOOT_HEADER_MAGIC + MULTIBOOT_WANTS_MEMORY + MULTIBOOT_HAS_ADDRESSES)
	.long	image_multiboot, IMAGE_START
	.global	image_load_end
image_load_end:
	.long	0, 0				/* peimage: where it ends; there is no more memory behind */
	.long	image_multiboot_entry

/* What a UEFI loader would have to relocate: nothing. Some refuse a file without this. (PE and COFF specification, "The
 * .reloc Section": a block of a page, of two entries that only fill it up.) */
	.section .early.rodata, "a"
	.balign	4
	.global	efi_relocations
efi_relocations:
	.long	0, 12
	.word	0, 0

	.section .note.GNU-stack, "", @progbits
