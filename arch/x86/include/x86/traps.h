/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of arch/x86: start-up steps in arch_main's order, memory rights, level 3. */
#ifndef X86_TRAPS_H
#define X86_TRAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdnoreturn.h>

struct arch_frame;

/* Fills and loads the interrupt descriptor table and the task state. */
void x86_descriptors_start(void);

/* Loads the descriptor table, a task state and the segment GS on a further CPU. */
void x86_descriptors_start_cpu(unsigned cpu);

/* Sets memory rights: code executable and read-only, everything else not executable. Level 3 may
 * use the code, and memory from user_start (linker script) to memory_end. Address 0, and the page
 * below each stack, are not mapped. */
void x86_memory_protect(uint64_t memory_end);

/* After that: divides programs' memory and the image's code into pages of 4 KiB, in effect on this
 * CPU from now on. `memory`: x86_memory_tables_size() bytes for page tables, aligned to a small
 * page, above user_start; programs can no longer access them. */
uint64_t x86_memory_tables_size(void);
void x86_memory_divide(void *memory);

/* Flushes this CPU's TLBs. */
void x86_memory_forget_translations(void);

/* Jumps to code, with the page tables that the image started with, in which all memory is
 * executable. */
noreturn void x86_memory_leave(void (*to)(void));

/* Whether level 3 may read the whole range; checked before the runtime reads for a program. */
bool x86_memory_readable(uint64_t address, uint64_t size);

/* Whether the address is in an unmapped page below a stack. */
bool x86_memory_is_guard(uint64_t address);

/* The handler that arch_pmi_entry calls after arch_follow_calls (vectors.S): records RSP and RBP,
 * then jumps to following_handler. */
void x86_following_handler(uint64_t ip, unsigned level);

/* Calls the function at level 3, with interrupts on, on a stack that ends at `stack_end`. */
int x86_call_user(int (*function)(void), char *stack_end);

/* The end of a CPU's stack at level 3. */
char *x86_user_stack_end(unsigned cpu);

/* Attaches a handler for INT `vector`, also from level 3; it runs on its own stack, with interrupts
 * off. */
void x86_attach_system_call(unsigned vector, void (*handler)(struct arch_frame *frame));

/* Ends the run like an unhandled exception. */
noreturn void x86_trap_fatal(struct arch_frame *frame);

#endif
