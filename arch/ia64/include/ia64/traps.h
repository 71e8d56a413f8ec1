/* SPDX-License-Identifier: BSD-2-Clause */
/* The lowest privilege level, and interruptions for hal/. */
#ifndef IA64_TRAPS_H
#define IA64_TRAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdnoreturn.h>

#include "arch.h"

/* Calls `function(argument)` at the lowest privilege level, with its own stack and interrupts on;
 * restores the interrupt state on return. Functions with other arguments and results are cast to
 * this type. */
typedef void ia64_user_function(void);
uint64_t ia64_call_user(ia64_user_function *function, uint64_t argument);

/* Attaches the handler of programs' system calls: r15 is the call, r14 and r16 its arguments, r8
 * its result. */
void ia64_attach_system_call(arch_handler *handler);

/* Ends the run like an unhandled interruption. */
noreturn void ia64_trap_fatal(struct arch_frame *frame);

#endif
