/* SPDX-License-Identifier: BSD-2-Clause */
/* Constants shared by assembly and C: stacks, interruption frames. */
#ifndef ARCH_IA64_LAYOUT_H
#define ARCH_IA64_LAYOUT_H

/* Each stack consists of a memory stack, which grows down from the end, and a backing store for
 * registers, which grows up from the start. */
#define STACK_BOOT_SIZE		0x60000
#define STACK_TRAP_SIZE		0x8000
#define STACK_PMI_SIZE		0x8000
#define STACK_PAL_SIZE		0x8000
#define STACK_USER_SIZE		0x80000		/* for functions at the lowest privilege level */
#define STACK_SCRATCH		16		/* above sp: the callee's (calling convention) */

/* Translation: virtual addresses equal physical ones. Translation registers map the image's code
 * and constants, which all levels may read and execute, and the runtime's data, for level 0 only.
 * The TLB miss handlers map all else on demand (vectors.S). */
#define REGISTER_PAGE_SHIFT	20		/* in translation registers (linker script) */
#define PAGE_SHIFT		14		/* of demand-mapped pages: programs' memory, other
						 * memory of the runtime */
#define REGION_UNCACHED		4		/* uncached, like bit 63 of physical addresses */

/* A translation entry (ASDM volume 2, figure 4-5): present, accessed, dirty; privilege level;
 * access rights. */
#define PAGE_HERE		0x61
#define PAGE_UNCACHED		(4 << 2)
#define PAGE_LEVEL_3		(3 << 7)
#define PAGE_EXECUTABLE		(1 << 9)	/* and readable */
#define PAGE_WRITABLE		(2 << 9)	/* and readable */
#define PAGE_ALL		(3 << 9)
#define NO_MEMORY_SHIFT		16		/* the lowest addresses are not mapped */

/* Offsets in struct arch_frame (ia64/frame.h). */
#define FRAME_SWITCHED		0
#define FRAME_R			0		/* r1 to r31 at 8 to 248 */
#define FRAME_B			256
#define FRAME_PR		320
#define FRAME_IIP		328
#define FRAME_IPSR		336
#define FRAME_IFS		344
#define FRAME_ISR		352
#define FRAME_IFA		360
#define FRAME_IIM		368
#define FRAME_PFS		376
#define FRAME_RSC		384
#define FRAME_BSPSTORE		392
#define FRAME_RNAT		400
#define FRAME_BSP		408
#define FRAME_UNAT		416
#define FRAME_NATS		424
#define FRAME_CCV		432
#define FRAME_LC		440
#define FRAME_VECTOR		448
#define FRAME_INTERRUPT		456
#define FRAME_SIZE		464

/* Offsets of interruption vectors (ASDM volume 2, table 5-7). */
#define VECTOR_DATA_TLB		0x0800
#define VECTOR_ALTERNATE_INSTRUCTION_TLB 0x0C00
#define VECTOR_ALTERNATE_DATA_TLB 0x1000
#define VECTOR_BREAK		0x2C00
#define VECTOR_EXTERNAL_INTERRUPT 0x3000
#define VECTOR_DATA_ACCESS_RIGHTS 0x5300
#define VECTOR_GENERAL_EXCEPTION 0x5400
#define VECTORS_SIZE		0x8000

/* Immediates of break instructions. */
#define BREAK_USER_RETURN	0x100001	/* return from the lowest privilege level */
#define BREAK_SYSTEM_CALL	0x100002	/* a program's system call (ia64/traps.h) */

/* External interrupts. */
#define ARCH_PMI_VECTOR		0x70		/* an immediate operand of a compare */
#define SPURIOUS_VECTOR		15

/* Result register of an access that may fault: 0 after a fault, otherwise 1 (ia64/registers.h). */
#define FAULT_REGISTER		3

#endif
