/* SPDX-License-Identifier: BSD-2-Clause */
/* palmon.img's Multiboot header and entry. */

#include "layout.h"
#include "x86/multiboot.h"

	.section .early.text, "ax"
	.code32
/* Multiboot's entry. The header makes the loader put the image at its link address. */
	.global	image_multiboot_entry
image_multiboot_entry:
	movl	$early_end, x86_early_parts
	mov	%eax, %edi
	mov	%ebx, %esi
	jmp	early_entry

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

	.section .note.GNU-stack, "", @progbits
