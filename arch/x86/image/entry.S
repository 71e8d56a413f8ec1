/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry points of palmon.img after its first 4 KiB, in 32-bit or 64-bit mode, at any load address.
 * The code copies the loader's data into the image, moves the image to 1 MiB, where it is linked,
 * and continues like other images (../entry.S). */

#include "layout.h"
#include "x86/early.h"
#include "x86/guesses.h"
#include "x86/linux.h"
#include "x86/multiboot.h"

#define ENTRY_64	0x200			/* offset of Linux's 64-bit entry */

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
/* The Linux boot protocol's 32-bit entry. ESI points to the zero page, which has space for a
 * stack. */
linux_32:
	cli
	cld
	lea	LINUX_STACK(%esi), %esp
	call	1f
1:	pop	%ebp
	sub	$1b, %ebp			/* the image's distance from its link address */
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

	/* The code that moves the image must be outside of it: use the page for starting further
	 * CPUs. */
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

/* Copies ECX words from ESI to EDI, and continues at EDX. The same code works in both modes. */
mover:	rep movsl
	jmp	*%edx				/* 64-bit mode: RDX */
mover_end:

/* Multiboot's entry. The header makes the loader put the image at its link address. */
	.global	image_multiboot_entry
image_multiboot_entry:
	movl	$early_end, x86_early_parts
	mov	%eax, %edi
	mov	%ebx, %esi
	jmp	early_entry

/* Leaves 64-bit mode. */
leave_long_mode:
	mov	$SEGMENT_DATA, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	mov	%cr4, %eax
	and	$CR4_PAE, %eax			/* paging cannot be turned off with CR4.PCIDE set */
	mov	%eax, %cr4
	mov	%cr0, %eax
	and	$~CR0_PG, %eax
	mov	%eax, %cr0
	mov	$MSR_EFER, %ecx
	rdmsr
	and	$~EFER_LME, %eax
	wrmsr

/* The image is at its link address; EBX says how it was entered. */
image_in_place:
	movl	$early_end, x86_early_parts
	mov	%ebx, %edi
	mov	$image_parameters, %esi
	jmp	early_entry

	.section .early.text64, "ax"
	.code64
/* The Linux boot protocol's 64-bit entry. RSI points to the zero page. */
linux_64:
	cli
	cld
	lea	early_stack_end(%rip), %rsp
	mov	%rsi, %rdi
	call	image_enter_linux

/* noreturn void image_move(const void *from, const uint64_t *pml4, uint32_t entered): moves the
 * image to its link address, using identity-mapped page tables, and leaves 64-bit mode. */
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

/* The header must be in the first 8 KiB of the file. */
	.section .multiboot, "a"
	.balign	4
image_multiboot:
	.long	MULTIBOOT_HEADER_MAGIC
	.long	MULTIBOOT_WANTS_MEMORY + MULTIBOOT_HAS_ADDRESSES
	.long	-(MULTIBOOT_HEADER_MAGIC + MULTIBOOT_WANTS_MEMORY + MULTIBOOT_HAS_ADDRESSES)
	.long	image_multiboot, IMAGE_START
	.global	image_load_end
image_load_end:
	.long	0, 0				/* set by peimage: the end; no bss follows */
	.long	image_multiboot_entry

/* An empty relocation list, because some UEFI loaders refuse a file without one. (PE and COFF
 * specification, "The .reloc Section": a block for one page, with two padding entries.) */
	.section .early.rodata, "a"
	.balign	4
	.global	efi_relocations
efi_relocations:
	.long	0, 12
	.word	0, 0

	.section .note.GNU-stack, "", @progbits
