/* SPDX-License-Identifier: BSD-2-Clause */
/* What every instruction set provides: hand-over from reset, traps, interrupts, clock, halt, code of known
 * length. Nothing here knows that there is a PMU. */
#ifndef ARCH_H
#define ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "arch_inline.h"	/* this instruction set's short primitives */

/* What the boot loader handed over. The strings stay valid. */
struct arch_handover {
	const char *command_line;	/* "" if there is none; without what boot loaders add to it for themselves */
	const char *protocol;		/* "Multiboot 1", "UEFI", "reset", "an unknown boot loader" */
	const char *processor;		/* what it says that it is, for people; NULL: nothing */
	uint64_t memory_end;		/* first address above the memory that is ours */
	uint64_t clock_at_entry;	/* arch_clock() at the first instruction of the image */
};

/* Provided by boot/: called once, in the processor's most privileged mode, interrupts off, on the boot stack. */
void boot_main(const struct arch_handover *handover);

/* The interrupted or faulting context: all registers, as the trap entry saved them. */
struct arch_frame;

uint64_t arch_frame_ip(const struct arch_frame *frame);
unsigned arch_frame_level(const struct arch_frame *frame);	/* privilege level, 0 is the highest */

/* Prints the registers and the cause to `put`, a character at a time. No library function is used. */
void arch_frame_print(const struct arch_frame *frame, void (*put)(char c));

/* A handler runs with interrupts off, on an interrupt stack, and may not use floating point. */
typedef void arch_handler(struct arch_frame *frame);

/* Attaches a handler to an interrupt vector (x86: 32-255; SPARC: a trap type); it ends the interrupt itself. */
void arch_attach(unsigned vector, arch_handler *handler);

/* Attaches what is called, on any CPU, for an exception that no register access expected, an interrupt without a
 * handler, and a non-maskable interrupt that nobody took. It does not return. */
void arch_attach_fatal(arch_handler *handler);

/* The fast entry for the overflow interrupt. The handler gets the interrupted instruction address and
 * privilege level. `non_maskable` selects the entry: the vector ARCH_PMI_VECTOR, or the NMI. The handler
 * is this CPU's. */
typedef void arch_pmi_function(uint64_t ip, unsigned level);
void arch_attach_pmi(arch_pmi_function *handler, bool non_maskable);

/* Has that entry, attached before, call another handler on this CPU, which may ask for callers. */
void arch_follow_calls(arch_pmi_function *handler);

/* Where the function begins that has an address; 0: it is in none. */
typedef uint64_t arch_function_start(uint64_t address);

/* For that handler: the callers of the interrupted code, `most` at most, the innermost first; of each the address of
 * its call, or one within that instruction. `ip`, `level`: as the handler has got them. Where a caller cannot be
 * found, that is the end. How many there are. */
unsigned arch_callers(uint64_t ip, unsigned level, arch_function_start *function_start, uint64_t *caller,
		      unsigned most);

/* Waits in the processor's light low-power state until an interrupt has been taken. Call with interrupts off;
 * they are off again on return. `woken` is called once, before the handler of the interrupt that ends the wait; NULL:
 * none. An interrupt that was already pending ends the wait at once. */
void arch_halt(void (*woken)(void));

/* Executes n instructions (n >= 2) plus a constant. The same at the lowest privilege level. */
void arch_execute(uint64_t n);
void arch_execute_user(uint64_t n);

/* Writes `first` to the control register `reg`, executes exactly n instructions (n >= 8), writes `second`. False: a
 * write has faulted; if it was the first one, nothing more has been done. */
bool arch_execute_between(uint32_t reg, uint64_t first, uint64_t second, uint64_t n);

#endif
