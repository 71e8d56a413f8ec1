/* SPDX-License-Identifier: BSD-2-Clause */
/* The look between two instructions: the performance monitor, the interval timer, external interrupts. */
#ifndef IA64_LOOK_H
#define IA64_LOOK_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

/* Brings the monitor up to date, and decides after how many instructions to look again, before `end` have retired
 * (machine.left). True: an external interrupt is to be taken. */
bool ia64_look(struct machine *m, uint64_t end);

#endif
