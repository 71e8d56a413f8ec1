/* SPDX-License-Identifier: BSD-2-Clause */
/* Segment descriptor tables and page tables: those of the early code and of the switch to 64-bit
 * mode, and the table with each CPU's segments. */

#include "layout.h"

	.section .early.rodata, "a"
	.balign	8
early_gdt:
	.quad	0
	.quad	0x00209B0000000000	/* SEGMENT_CODE */
	.quad	0x00CF93000000FFFF	/* SEGMENT_DATA */
	.quad	0x00CF9B000000FFFF	/* SEGMENT_CODE_32 */
	.global	early_gdt_pointer
early_gdt_pointer:
	.word	early_gdt_pointer - early_gdt - 1
	.quad	early_gdt

	.section .early.bss, "aw", @nobits
	.balign 4096
	.global early_pml4, early_pdpt, early_page_directories, early_stack_end
early_pml4:
	.skip	4096
early_pdpt:
	.skip	4096
early_page_directories:
	.skip	4 * 4096
	.skip	EARLY_STACK_SIZE
early_stack_end:

	.section .rodata
	.balign 8
	.global arch_gdt_pointer
arch_gdt_pointer:
	.word	arch_gdt_end - arch_gdt - 1
	.quad	arch_gdt

	.data
	.balign 8
	.global arch_gdt, arch_gdt_cpus, arch_page_tables
arch_page_tables:
	.long	early_pml4		/* page tables for further CPUs */
	.balign	8
arch_gdt:
	.quad	0
	.quad	0x00209B0000000000	/* SEGMENT_CODE: 64-bit, level 0 */
	.quad	0x0000930000000000	/* SEGMENT_DATA: level 0 */
	.quad	0x0000F30000000000	/* SEGMENT_USER_DATA: level 3 */
	.quad	0x0020FB0000000000	/* SEGMENT_USER_CODE: 64-bit, level 3 */
arch_gdt_cpus:
	.fill	X86_CPUS << CPU_SEGMENTS_SHIFT, 1, 0	/* SEGMENT_TSS and GS: see descriptors.c */
arch_gdt_end:

	.section .note.GNU-stack, "", @progbits
