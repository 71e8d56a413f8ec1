/* SPDX-License-Identifier: BSD-2-Clause */
/* The Multiboot header of an image that is an ELF file: a monitor for guests. palmon.img has another one
 * (arch/x86/image/entry.S). */

#include "x86/multiboot.h"

	.section .multiboot, "a"
	.balign 4
	.long	MULTIBOOT_HEADER_MAGIC
	.long	MULTIBOOT_WANTS_MEMORY
	.long	-(MULTIBOOT_HEADER_MAGIC + MULTIBOOT_WANTS_MEMORY)

	.section .note.GNU-stack, "", @progbits
