/* SPDX-License-Identifier: BSD-2-Clause */
/* The contract of every instruction set: hand-over from reset, traps, interrupts, clock, halt, code
 * of known length. arch knows no PMU. */
#ifndef ARCH_H
#define ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "arch_inline.h"	/* this instruction set's short primitives */

/* The boot loader's hand-over. The strings stay valid. */
struct arch_handover {
	const char *command_line;	/* without words that boot loaders add for themselves; "" if
					 * there is none */
	const char *protocol;		/* of the boot loader: "Multiboot 1", "UEFI", "reset" ... */
	const char *processor;		/* the processor's own name; NULL: it has none */
	uint64_t memory_end;		/* first address above the memory that the image may use */
	uint64_t clock_at_entry;	/* arch_clock() at the first instruction of the image */
};

/* Provided by boot/: called once, in the most privileged mode, with interrupts off, on the boot
 * stack. */
void boot_main(const struct arch_handover *handover);

/* The interrupted or faulting context: all registers, as the trap entry saved them. */
struct arch_frame;

uint64_t arch_frame_ip(const struct arch_frame *frame);
unsigned arch_frame_level(const struct arch_frame *frame);	/* 0 is the highest */

/* Prints the registers and the cause, a character at a time, without library functions. */
void arch_frame_print(const struct arch_frame *frame, void (*put)(char c));

/* A handler runs with interrupts off, on an interrupt stack, and may not use floating point. */
typedef void arch_handler(struct arch_frame *frame);

/* Attaches a handler to an interrupt vector (x86: 32-255; SPARC: a trap type). The handler ends the
 * interrupt itself. */
void arch_attach(unsigned vector, arch_handler *handler);

/* Attaches the handler, on all CPUs, for unexpected exceptions, interrupts without a handler, and
 * unclaimed non-maskable interrupts. It does not return. */
void arch_attach_fatal(arch_handler *handler);

/* Attaches this CPU's handler to the fast entry for the overflow interrupt: the vector
 * ARCH_PMI_VECTOR, or the NMI if `non_maskable`. The handler gets the interrupted instruction's
 * address and privilege level. */
typedef void arch_pmi_function(uint64_t ip, unsigned level);
void arch_attach_pmi(arch_pmi_function *handler, bool non_maskable);

/* Replaces the attached handler on this CPU by one that may call arch_callers. */
void arch_follow_calls(arch_pmi_function *handler);

/* Returns the beginning of the function at an address; 0: there is none. */
typedef uint64_t arch_function_start(uint64_t address);

/* For the handler of arch_follow_calls: stores up to `most` callers of the interrupted code, the
 * innermost first, each as an address within its call instruction. `ip`, `level`: the handler's
 * arguments. The list ends at the first caller that cannot be found. Returns its length. */
unsigned arch_callers(uint64_t ip, unsigned level, arch_function_start *function_start,
		      uint64_t *caller, unsigned most);

/* Waits in the processor's light low-power state until an interrupt has been taken. Call with
 * interrupts off; they are off again on return. `woken` is called once, before the handler of the
 * interrupt that ends the wait; NULL: none. An interrupt that was already pending ends the wait at
 * once. */
void arch_halt(void (*woken)(void));

/* Executes n instructions (n >= 2) plus a constant number; arch_execute_user does so at the lowest
 * privilege level. */
void arch_execute(uint64_t n);
void arch_execute_user(uint64_t n);

/* Writes `first` to the control register `reg`, executes exactly n instructions (n >= 8), writes
 * `second`. False: a write faulted; if it was the first one, the function returned at once. */
bool arch_execute_between(uint32_t reg, uint64_t first, uint64_t second, uint64_t n);

#endif
