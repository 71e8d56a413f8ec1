/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that assembly and C share: segment selectors, interrupt stack numbers, sizes. */
#ifndef ARCH_X86_LAYOUT_H
#define ARCH_X86_LAYOUT_H

#define SEGMENT_CODE		0x08
#define SEGMENT_DATA		0x10
#define SEGMENT_CODE_32		0x18		/* before there is any other (early_gdt) */
#define SEGMENT_USER_DATA	0x1B
#define SEGMENT_USER_CODE	0x23

/* Of each CPU, from the first one's on: its task state, and the segment GS, 16 bytes behind. The task register says
 * which CPU it is. */
#define SEGMENT_TSS		0x28
#define SEGMENT_TSS_TO_GS	16
#define CPU_SEGMENTS_SHIFT	5

#define X86_CPUS		4		/* that there is room for */

#define LARGE_PAGE		0x200000
#define SMALL_PAGE		0x1000

/* Interrupt stack table (IST) slots: each class has a stack of its own, so that a fault in a handler, a
 * non-maskable interrupt in a fault, or an overrun stack still finds room to be reported. */
#define IST_FAULT		1
#define IST_NMI			2
#define IST_DOUBLE_FAULT	3
#define IST_INTERRUPT		4
#define IST_SYSTEM_CALL		5

/* The stacks of each CPU, upwards: the one it starts on, those of the IST slots, in that order. The page below each is
 * not there. All CPUs' are in one large page. */
#define STACK_BOOT		0
#define STACKS			6
#define STACK_BOOT_SIZE		0x60000
#define STACK_SIZE		0x4000
#define STACK_BOOT_END		(SMALL_PAGE + STACK_BOOT_SIZE)
#define STACK_STRIDE		(SMALL_PAGE + STACK_SIZE)
#define CPU_STACKS_SIZE		(STACK_BOOT_END + (STACKS - 1) * STACK_STRIDE)

/* The stacks of programs at level 3, one for each CPU, share another large page. The page below each is not there. */
#define USER_STACK_STRIDE	(LARGE_PAGE / X86_CPUS)


#define EARLY_STACK_SIZE	0x1000		/* before there is any other (early/) */

/* palmon.img: what of it is in front of what is loaded, and where that belongs (linker script). */
#define IMAGE_SETUP_SIZE	0x1000
#define IMAGE_START		0x100000
#define IMAGE_ALIGNMENT_SHIFT	20
#define IMAGE_ALIGNMENT		(1 << IMAGE_ALIGNMENT_SHIFT)

/* Assembly: code of which the register `iterations` holds half of its instructions; CF is set if there is an odd one.
 * 1 + CF + 2 * iterations instructions. */
#define KNOWN_CODE(iterations)	jnc 1f; nop; 1: sub $1, iterations; jnz 1b

/* Between functions in assembly. An assembler's own padding is no-operations that not every processor has. */
#define INT3			0xCC

#define VECTOR_NMI		2
#define VECTOR_BREAKPOINT	3
#define VECTOR_UNDEFINED	6
#define VECTOR_DOUBLE_FAULT	8
#define VECTOR_GENERAL_PROTECTION 13
#define VECTOR_PAGE_FAULT	14
#define VECTOR_FIRST_INTERRUPT	32
#define VECTOR_USER_RETURN	0x80	/* int $0x80: how code at level 3 comes back */
#define VECTOR_SYSTEM_CALL	0x81	/* what programs ask for: RDI which, RSI and RDX of what; RAX the answer */
#define VECTOR_PMI		0xE0	/* the fast entry, for the overflow interrupt */

#endif
