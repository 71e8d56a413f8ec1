/* SPDX-License-Identifier: BSD-2-Clause */
/* Constants shared by assembly and C: sizes, stacks, trap frames. */
#ifndef ARCH_SPARC64_LAYOUT_H
#define ARCH_SPARC64_LAYOUT_H

#define WINDOWS			8		/* register windows: T1 to T4 */

/* The 64-bit ABI's stack: %sp + 2047 is the frame's address. A frame begins with space for a
 * register window and six arguments. */
#define STACK_BIAS		2047
#define STACK_FRAME		176

/* A stack for each trap level, so that a handler can trap; level 0 is code outside traps. */
#define STACK_BOOT_SIZE		0x40000
#define STACK_TRAP_SIZE		0x4000
#define STACK_TRAP_SHIFT	14		/* log2 of each trap level's stack size */
#define TRAP_LEVELS		6		/* MAXTL */
#define STACK_USER_SIZE		0x40000		/* for functions at the lowest privilege level */

/* Offsets in struct arch_frame (sparc64/frame.h). */
#define FRAME_G			0		/* %g0-%g7 */
#define FRAME_O			64
#define FRAME_L			128
#define FRAME_I			192
#define FRAME_TSTATE		256
#define FRAME_TPC		264
#define FRAME_TNPC		272
#define FRAME_TT		280
#define FRAME_Y			288
#define FRAME_TL		296
#define FRAME_SIZE		304

/* Offsets of the boot PROM's parts from PROM_BASE (tools/run-image). */
#define PROM_COMMAND_LINE	0x10000		/* a string */
#define PROM_IMAGE		0x80000

/* sparc64_execute_privileged's size from its first privileged instruction on, in bytes. */
#define PRIVILEGED_CODE_SIZE	(9 * 4)

#define LARGE_PAGE		0x400000	/* 4 MiB, the granularity of programs' rights */

#endif
