/* SPDX-License-Identifier: BSD-2-Clause */
/* Polls the performance monitor, the interval timer and external interrupts between two
 * instructions. */
#ifndef IA64_LOOK_H
#define IA64_LOOK_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

/* Brings the monitor up to date, and sets the number of instructions until the next call
 * (machine.left): at most until `end` instructions have retired. True: the processor must take an
 * external interrupt. */
bool ia64_look(struct machine *m, uint64_t end);

#endif
