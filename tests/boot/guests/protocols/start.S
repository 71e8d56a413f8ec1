/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel that Linux's boot protocol starts at its 32-bit entry or its 64-bit entry, or PVH: by the header in its
 * first sector (Linux, Documentation/x86/boot.rst), or the note (Xen, docs/misc/pvh.pandoc). What a test gives as
 * options, it says of itself. It keeps what it finds, and calls guest_main(entry, what it is passed) in 32-bit mode. */

#ifndef VERSION
#define VERSION		0x20C
#endif
#ifndef LOAD_FLAGS
#define LOAD_FLAGS	1		/* LOADED_HIGH */
#endif
#ifndef ENTRY_64
#define ENTRY_64	1		/* XLF_KERNEL_64 */
#endif
#ifndef RELOCATABLE
#define RELOCATABLE	1
#endif
#ifndef INIT_SIZE
#define INIT_SIZE	0x200000
#endif
#ifndef COMMAND_LINE
#define COMMAND_LINE	2047
#endif
#ifndef INITRD_MOST
#define INITRD_MOST	0x7FFFFFFF
#endif
#ifndef NOTE
#define NOTE		18		/* XEN_ELFNOTE_PHYS32_ENTRY */
#endif

	.section .setup, "a"
setup:	.org	0x1F1
	.byte	1			/* setup_sects */
	.org	0x1F4
	.long	paragraphs		/* syssize */
	.org	0x1FE
	.word	0xAA55
	.byte	0xEB, header_end - magic
magic:	.ascii	"HdrS"
	.word	VERSION
	.org	0x211
	.byte	LOAD_FLAGS
	.org	0x22C
	.long	INITRD_MOST
	.long	0x200000		/* kernel_alignment */
	.byte	RELOCATABLE, 21
	.word	ENTRY_64
	.long	COMMAND_LINE
	.org	0x258
	.long	_start, 0		/* pref_address */
	.long	INIT_SIZE
	.long	0
header_end:
	.org	1024

	.section .note.Xen, "a", @note
	.balign 4
	.long 4, 4, NOTE
	.asciz "Xen"
	.long pvh_entry

	.macro	keep_segments
	mov	%cs, kept_segments
	mov	%ds, kept_segments + 2
	mov	%es, kept_segments + 4
	mov	%ss, kept_segments + 6
	.endm

	.section .entry, "ax"
	.global	_start, pvh_entry
_start:
	keep_segments
	mov	$32, %edi
	jmp	common

	.org	0x200
	.code64
	lea	kept_segments(%rip), %rdi
	mov	%cs, (%rdi)
	mov	%ds, 2(%rdi)
	mov	%es, 4(%rdi)
	mov	%ss, 6(%rdi)
	mov	%cr0, %rax
	mov	%eax, kept_cr0(%rip)
	mov	%cr4, %rax
	mov	%eax, kept_cr4(%rip)
	mov	$0xC0000080, %ecx	/* EFER */
	rdmsr
	mov	%eax, kept_efer(%rip)
	sgdt	kept_gdt(%rip)
	lea	stack_end(%rip), %rsp
	pushfq
	pop	kept_flags(%rip)
	lgdt	gdt_pointer(%rip)
	push	$0x08
	lea	1f(%rip), %rax
	push	%rax
	lretq
	.code32
1:	mov	%cr0, %eax
	and	$0x7FFFFFFF, %eax
	mov	%eax, %cr0
	mov	$64, %edi
	jmp	begin

pvh_entry:
	keep_segments
	mov	$18, %edi
	mov	%ebx, %esi
common:	mov	%cr0, %eax
	mov	%eax, kept_cr0
	mov	%cr4, %eax
	mov	%eax, kept_cr4
	sgdt	kept_gdt
	mov	$stack_end, %esp
	pushf
	pop	kept_flags
begin:	lgdt	gdt_pointer
	ljmp	$0x08, $1f
1:	mov	$0x10, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	mov	$stack_end, %esp
	push	%esi
	push	%edi
	call	guest_main
2:	cli
	hlt
	jmp	2b

	.data
	.global	kept_segments, kept_cr0, kept_cr4, kept_efer, kept_flags, kept_gdt
kept_segments:	.skip	8
kept_flags:	.quad	0
kept_cr0:	.long	0
kept_cr4:	.long	0
kept_efer:	.long	0
kept_gdt:	.skip	16
	.balign 8
gdt:	.quad	0
	.quad	0x00CF9B000000FFFF
	.quad	0x00CF93000000FFFF
gdt_pointer:
	.word	gdt_pointer - gdt - 1
	.long	gdt, 0			/* the high half is read in 64-bit mode */

	.bss
	.balign 16
	.skip	0x2000
stack_end:
	.section .note.GNU-stack, "", @progbits
