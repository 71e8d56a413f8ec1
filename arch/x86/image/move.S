/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves palmon.img to 1 MiB, where it is linked, from any address and from 32-bit or 64-bit mode,
 * and continues like other images (../entry.S). */

#include "layout.h"
#include "x86/early.h"
#include "x86/guesses.h"

#define CR0_PG		(1 << 31)
#define CR4_PAE		(1 << 5)
#define MSR_EFER	0xC0000080
#define EFER_LME	(1 << 8)

	.section .early.text, "ax"
	.code32
/* From 32-bit code. EBP: the image's distance from its link address; EBX: how it was entered. */
	.global	image_move_32
image_move_32:
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

	.section .note.GNU-stack, "", @progbits
