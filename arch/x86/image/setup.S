/* SPDX-License-Identifier: BSD-2-Clause */
/* The first 4 KiB of palmon.img, for loaders of the Linux boot protocol: the header, which tells
 * how to load the file, and real-mode code, for loaders that leave BIOS calls to the kernel (Linux,
 * Documentation/x86/boot.rst and zero-page.rst). tools/peimage adds a PE header in front, which
 * makes the same file a UEFI application. */

#include "layout.h"
#include "x86/linux.h"

#define SECTOR			512
#define PROTOCOL		0x020D		/* 2.13 */
#define LOADED_HIGH		1		/* loadflags: the code after these 4 KiB is loaded
						 * at 1 MiB */
#define HAS_64_BIT_ENTRY	1		/* xloadflags */
#define MAY_BE_ABOVE_4_GIB	2

/* Offsets in the segment that the loader provides, 32 KiB. */
#define PARAMETERS		IMAGE_SETUP_SIZE	/* the zero page, after this code */
#define STACK			0x8000

#define BIOS_MEMORY_MAP		0xE820
#define BIOS_SMAP		0x534D4150
#define BIOS_A20_ON		0x2401
#define BIOS_VIDEO_MODE		0x0F00
#define BIOS_SET_TEXT_MODE	0x0003
#define PORT_A20		0x92
#define PORT_A20_ON		0x02
#define PORT_A20_RESET		0x01		/* must be written as 0 */

#define CR0_PE			1

	.section .setup, "", @progbits
	.code16
setup:
	.ascii	"MZ"				/* peimage adds a PE header here */
	.org	setup + LINUX_HEADER
	.byte	IMAGE_SETUP_SIZE / SECTOR - 1	/* setup_sects */
	.word	0				/* root_flags */
	.long	0				/* syssize: peimage */
	.word	0, 0xFFFF, 0			/* ram_size, vid_mode, root_dev */
	.word	0xAA55
	.byte	0xEB, start - 1f		/* real-mode entry: a jump to the header's end */
1:	.ascii	"HdrS"
	.word	PROTOCOL
	.long	0				/* realmode_swtch */
	.word	0x1000				/* start_sys_seg */
	.word	name - setup - SECTOR		/* kernel_version */
	.byte	0, LOADED_HIGH			/* type_of_loader, loadflags */
	.word	STACK				/* setup_move_size */
	.long	IMAGE_START			/* code32_start */
	.long	0, 0, 0				/* ramdisk_image, ramdisk_size, bootsect_kludge */
	.word	0				/* heap_end_ptr */
	.byte	0, 0				/* ext_loader_ver, ext_loader_type */
	.long	0				/* cmd_line_ptr */
	.long	0x7FFFFFFF			/* initrd_addr_max */
	.long	IMAGE_ALIGNMENT			/* kernel_alignment */
	.byte	1, IMAGE_ALIGNMENT_SHIFT	/* relocatable_kernel, min_alignment */
	.word	HAS_64_BIT_ENTRY + MAY_BE_ABOVE_4_GIB
	.long	LINUX_COMMAND_LINE - 1		/* cmdline_size */
	.long	0				/* hardware_subarch */
	.quad	0
	.long	0, 0				/* payload_offset, payload_length */
	.quad	0				/* setup_data */
	.quad	IMAGE_START			/* pref_address */
	.long	0				/* init_size: peimage */
	.long	0				/* handover_offset */
header_end:

start:	cli
	cld
	mov	%ds, %ax
	mov	%ax, %es
	mov	%ax, %ss
	mov	$STACK, %esp
	push	%ds
	push	$in_segment
	lret					/* reload CS with the segment */
in_segment:
	xor	%eax, %eax
	mov	$PARAMETERS, %di
	mov	$LINUX_PARAMETERS / 4, %cx
	rep stosl
	mov	$LINUX_HEADER, %si
	mov	$PARAMETERS + LINUX_HEADER, %di
	mov	$header_end - setup - LINUX_HEADER, %cx
	rep movsb
	sti

	/* The memory map. A machine whose BIOS lacks it has no 64-bit mode. */
	xor	%ebx, %ebx
	mov	$PARAMETERS + LINUX_MEMORY_MAP, %di
1:	mov	$BIOS_MEMORY_MAP, %eax
	mov	$LINUX_MEMORY_SIZE, %ecx
	mov	$BIOS_SMAP, %edx
	int	$0x15
	jc	2f
	cmp	$BIOS_SMAP, %eax
	jne	2f
	incb	PARAMETERS + LINUX_MEMORY_ENTRIES
	add	$LINUX_MEMORY_SIZE, %di
	cmp	$PARAMETERS + LINUX_MEMORY_MAP + LINUX_MEMORY_MOST * LINUX_MEMORY_SIZE, %di
	jae	2f
	test	%ebx, %ebx
	jnz	1b

	/* Set text mode on the screen. */
2:	mov	$BIOS_VIDEO_MODE, %ax
	int	$0x10
	and	$0x7F, %al
	cmp	$BIOS_SET_TEXT_MODE, %al
	je	3f
	mov	$BIOS_SET_TEXT_MODE, %ax
	int	$0x10
3:	movb	$LINUX_SCREEN_TEXT, PARAMETERS + LINUX_SCREEN_KIND

	mov	$BIOS_A20_ON, %ax
	int	$0x15
	in	$PORT_A20, %al
	test	$PORT_A20_ON, %al
	jnz	4f
	or	$PORT_A20_ON, %al
	and	$~PORT_A20_RESET, %al
	out	%al, $PORT_A20
4:
	/* Enter protected mode with the segments that the protocol requires, and the zero page's
	 * address in ESI. */
	cli
	xor	%eax, %eax
	mov	%ds, %ax
	shl	$4, %eax
	add	%eax, gdt_pointer + 2
	add	%eax, far_pointer
	lea	PARAMETERS(%eax), %esi
	mov	PARAMETERS + LINUX_CODE32_START, %edi
	lgdtl	gdt_pointer
	mov	%cr0, %eax
	or	$CR0_PE, %eax
	mov	%eax, %cr0
	ljmpl	*far_pointer
	.code32
protected:
	mov	$0x18, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %fs
	mov	%eax, %gs
	mov	%eax, %ss
	jmp	*%edi

	.balign	8
gdt:	.quad	0, 0
	.quad	0x00CF9B000000FFFF		/* 10H: code, 32-bit, 4 GiB */
	.quad	0x00CF93000000FFFF		/* 18H: data */
gdt_pointer:
	.word	gdt_pointer - gdt - 1
	.long	gdt
far_pointer:
	.long	protected
	.word	0x10
name:	.asciz	"palmon"
	.org	setup + IMAGE_SETUP_SIZE

	.section .note.GNU-stack, "", @progbits
