/* SPDX-License-Identifier: BSD-2-Clause */
/* Constants shared by assembly and C: segment selectors, interrupt stack numbers, sizes. */
#ifndef ARCH_X86_LAYOUT_H
#define ARCH_X86_LAYOUT_H

#define SEGMENT_CODE		0x08
#define SEGMENT_DATA		0x10
#define SEGMENT_CODE_32		0x18		/* of early_gdt, the first table */
#define SEGMENT_USER_DATA	0x1B
#define SEGMENT_USER_CODE	0x23

/* Each CPU's segments, from the first CPU's on: its task state, and 16 bytes later the segment GS.
 * The task register tells a CPU its number. */
#define SEGMENT_TSS		0x28
#define SEGMENT_TSS_TO_GS	16
#define CPU_SEGMENTS_SHIFT	5

#define X86_CPUS		4		/* most CPUs */

#define LARGE_PAGE		0x200000
#define SMALL_PAGE		0x1000

/* Interrupt stack table (IST) slots. Each class has its own stack, so that a fault in a handler, a
 * non-maskable interrupt in a fault, or a stack overflow can be reported. */
#define IST_FAULT		1
#define IST_NMI			2
#define IST_DOUBLE_FAULT	3
#define IST_INTERRUPT		4
#define IST_SYSTEM_CALL		5

/* The stacks of each CPU, upwards: its start stack, then those of the IST slots, in that order. The
 * page below each is not mapped. All CPUs' stacks share one large page. */
#define STACK_BOOT		0
#define STACKS			6
#define STACK_BOOT_SIZE		0x60000
#define STACK_SIZE		0x4000
#define STACK_BOOT_END		(SMALL_PAGE + STACK_BOOT_SIZE)
#define STACK_STRIDE		(SMALL_PAGE + STACK_SIZE)
#define CPU_STACKS_SIZE		(STACK_BOOT_END + (STACKS - 1) * STACK_STRIDE)

/* The stacks of programs at level 3, one for each CPU, share another large page. The page below
 * each is not mapped. */
#define USER_STACK_STRIDE	(LARGE_PAGE / X86_CPUS)


#define EARLY_STACK_SIZE	0x1000		/* the first stack (early/) */

/* palmon.img: size of the part in front of the loaded code, and the code's link address (linker
 * script). */
#define IMAGE_SETUP_SIZE	0x1000
#define IMAGE_START		0x100000
#define IMAGE_ALIGNMENT_SHIFT	20
#define IMAGE_ALIGNMENT		(1 << IMAGE_ALIGNMENT_SHIFT)

/* Assembly: 1 + CF + 2 * iterations instructions. The register `iterations` holds half of the
 * wanted number; CF is set if that is odd. */
#define KNOWN_CODE(iterations)	jnc 1f; nop; 1: sub $1, iterations; jnz 1b

/* Padding between functions in assembly. The assembler's own padding uses no-operations that not
 * every processor has. */
#define INT3			0xCC

#define VECTOR_NMI		2
#define VECTOR_BREAKPOINT	3
#define VECTOR_UNDEFINED	6
#define VECTOR_DOUBLE_FAULT	8
#define VECTOR_GENERAL_PROTECTION 13
#define VECTOR_PAGE_FAULT	14
#define VECTOR_FIRST_INTERRUPT	32
#define VECTOR_USER_RETURN	0x80	/* int $0x80: return of code at level 3 */
#define VECTOR_SYSTEM_CALL	0x81	/* a program's system call: RDI the call, RSI and RDX its
					 * arguments, RAX the result */
#define VECTOR_PMI		0xE0	/* the overflow interrupt's fast entry */

#endif
