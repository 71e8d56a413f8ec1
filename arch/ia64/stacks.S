/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks, each with its backing store: of code outside interruptions, of programs' interruptions,
 * of the overflow interrupt, and of programs. */

#include "layout.h"

	.section .stacks, "aw", @nobits
	.balign	16
	.global	stack_boot, stack_trap, stack_pmi
stack_boot:
	.skip	STACK_BOOT_SIZE
stack_trap:
	.skip	STACK_TRAP_SIZE
stack_pmi:
	.skip	STACK_PMI_SIZE

	.section .user_stack, "aw", @nobits
	.balign	16
	.global	stack_user
stack_user:
	.skip	STACK_USER_SIZE

	.section .note.GNU-stack, "", @progbits
