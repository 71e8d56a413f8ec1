/* SPDX-License-Identifier: BSD-2-Clause */
/* Further CPUs (application processors), started one after the other: x86_processor_expect, then a
 * startup interrupt. */
#ifndef X86_PROCESSORS_H
#define X86_PROCESSORS_H

#include <stdbool.h>

/* Expects a CPU: the next one that starts gets this number, and calls `main` in 64-bit mode, on its
 * own stack, with interrupts off and exceptions handled. */
void x86_processor_expect(unsigned number, void (*main)(void));

/* Stops expecting a CPU. Returns whether it has started. */
bool x86_processor_has_come(void);

#endif
