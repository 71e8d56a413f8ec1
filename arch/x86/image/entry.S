/* SPDX-License-Identifier: BSD-2-Clause */
/* The Linux boot protocol's entry points of palmon.img after its first 4 KiB, in 32-bit or 64-bit
 * mode, at any load address. The code copies the loader's data into the image, and moves the image
 * to 1 MiB, where it is linked (move.S). */

#include "layout.h"
#include "x86/early.h"
#include "x86/linux.h"

#define ENTRY_64	0x200			/* offset of Linux's 64-bit entry */

	.section .image, "ax"
	.code32
image:	jmp	linux_32
	.org	image + ENTRY_64, INT3
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
	jmp	image_move_32

	.section .early.text64, "ax"
	.code64
/* The Linux boot protocol's 64-bit entry. RSI points to the zero page. */
linux_64:
	cli
	cld
	lea	early_stack_end(%rip), %rsp
	mov	%rsi, %rdi
	call	image_enter_linux

/* An empty relocation list, because some UEFI loaders refuse a file without one. (PE and COFF
 * specification, "The .reloc Section": a block for one page, with two padding entries.) */
	.section .early.rodata, "a"
	.balign	4
	.global	efi_relocations
efi_relocations:
	.long	0, 12
	.word	0, 0

	.section .note.GNU-stack, "", @progbits
