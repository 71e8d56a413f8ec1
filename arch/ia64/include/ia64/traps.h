/* SPDX-License-Identifier: BSD-2-Clause */
/* The lowest privilege level, and what the rest of the machine has to do with interruptions. */
#ifndef IA64_TRAPS_H
#define IA64_TRAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdnoreturn.h>

#include "arch.h"

/* Calls `function(argument)` at the lowest privilege level, with a stack of its own and interrupts on; on return they
 * are as they were. Functions that differ in argument and result are converted to this type. */
typedef void ia64_user_function(void);
uint64_t ia64_call_user(ia64_user_function *function, uint64_t argument);

/* Attaches what serves a program's system calls: r15 says which, r14 and r16 of what; r8 becomes the answer. */
void ia64_attach_system_call(arch_handler *handler);

/* Ends the run as an interruption that nobody handles does. */
noreturn void ia64_trap_fatal(struct arch_frame *frame);

#endif
