/* SPDX-License-Identifier: BSD-2-Clause */
/* Start-up steps of arch/x86, in the order arch_main takes them. */
#ifndef X86_TRAPS_H
#define X86_TRAPS_H

/* Fills the interrupt descriptor table and the task state, and loads both. */
void x86_traps_start(void);

/* Loads the descriptor table, a task state and the segment GS on a further CPU. */
void x86_traps_start_cpu(unsigned cpu);

/* Gives memory its rights: code executable and read-only, everything else neither executable nor readable by
 * level 3; nothing at address 0, nothing below each stack. */
void x86_memory_protect(void);

#endif
