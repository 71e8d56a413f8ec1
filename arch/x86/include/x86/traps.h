/* SPDX-License-Identifier: BSD-2-Clause */
/* Start-up steps of arch/x86, in the order arch_main takes them. */
#ifndef X86_TRAPS_H
#define X86_TRAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdnoreturn.h>

struct arch_frame;

/* Fills the interrupt descriptor table and the task state, and loads both. */
void x86_traps_start(void);

/* Loads the descriptor table, a task state and the segment GS on a further CPU. */
void x86_traps_start_cpu(unsigned cpu);

/* Gives memory its rights: code executable and read-only, everything else not executable; level 3 has the code, and
 * what is from user_start (linker script) up to memory_end; nothing at address 0, nothing below each stack. */
void x86_memory_protect(uint64_t memory_end);

/* Then divides programs' memory and the image's code into pages of 4 KiB, which the TLBs of this CPU have from here on.
 * `memory` is for the page tables, so many bytes, on a small page's boundary, above user_start. Programs cannot reach
 * it any more. */
uint64_t x86_memory_tables_size(void);
void x86_memory_divide(void *memory);

/* Empties this CPU's TLBs. */
void x86_memory_forget_translations(void);

/* Goes to code, with the page tables that the image has begun with: all may be executed. */
noreturn void x86_memory_leave(void (*to)(void));

/* Whether level 3 may read all of it: what the runtime reads for programs. */
bool x86_memory_readable(uint64_t address, uint64_t size);

/* Whether the address is in one of the pages below stacks, which are not there. */
bool x86_memory_is_guard(uint64_t address);

/* What arch_pmi_entry calls where calls are followed (vectors.S): notes where callers are looked for, and goes to the
 * handler. */
void x86_following_handler(uint64_t ip, unsigned level);

/* Calls the function at level 3, interrupts on, on a stack that ends there. */
int x86_call_user(int (*function)(void), char *stack_end);

/* The end of a CPU's stack at level 3. */
char *x86_user_stack_end(unsigned cpu);

/* Has `handler` called for INT `vector`, also from level 3, on a stack of its own, interrupts off. */
void x86_attach_system_call(unsigned vector, void (*handler)(struct arch_frame *frame));

/* Ends the run as an exception that nobody handles does. */
noreturn void x86_trap_fatal(struct arch_frame *frame);

#endif
