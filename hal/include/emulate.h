/* SPDX-License-Identifier: BSD-2-Clause */
/* What the backend of further CPUs asks of the emulator: between hal/native and hal/emu. */
#ifndef EMULATE_H
#define EMULATE_H

#include <stdbool.h>

/* Starts the emulation beneath the calling CPU, a further one with its interrupts off, if the first one's is emulated.
 * False: it cannot be. */
bool emulate_cpu(void);

/* A further CPU, which executes nothing, will be reset by INIT: its emulation ends, and begins again with emulate_cpu.
 * What INIT leaves as it is stays: the PMU's registers. */
void emulate_leave(unsigned cpu);

#endif
