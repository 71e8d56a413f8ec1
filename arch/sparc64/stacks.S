/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks: of each trap level, of code outside traps, and of programs. They are not cleared. */

#include "layout.h"

	.section .stacks, "aw", @nobits
	.balign	STACK_TRAP_SIZE
	.global	stacks_trap_start, stack_pmi_end, stack_boot_end
stacks_trap_start:			/* each level's starts at the end of the level below's */
	.skip	STACK_TRAP_SIZE
stack_pmi_end:
	.skip	(TRAP_LEVELS - 1) * STACK_TRAP_SIZE
	.skip	STACK_BOOT_SIZE
stack_boot_end:

	.section .user_stack, "aw", @nobits
	.balign	16
	.skip	STACK_USER_SIZE
	.global	stack_user_end
stack_user_end:

	.section .note.GNU-stack, "", @progbits
