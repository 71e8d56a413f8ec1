/* SPDX-License-Identifier: BSD-2-Clause */
/* Further CPUs (application processors), one after the other: whoever sends the startup interrupt says first who is to
 * come. */
#ifndef X86_PROCESSORS_H
#define X86_PROCESSORS_H

#include <stdbool.h>

/* Puts the code they start with where it must be. Before x86_memory_protect. */
void x86_processors_prepare(void);

/* The next CPU that comes is `number`: it calls `main` in 64-bit mode, on a stack of its own, with interrupts off and
 * its exceptions handled. */
void x86_processor_expect(unsigned number, void (*main)(void));

/* Ends that. Whether it has come. */
bool x86_processor_has_come(void);

#endif
