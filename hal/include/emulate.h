/* SPDX-License-Identifier: BSD-2-Clause */
/* What the carrier of further CPUs asks of the emulator: between hal/native and hal/emu. */
#ifndef EMULATE_H
#define EMULATE_H

#include <stdbool.h>

/* Starts the emulation beneath the calling CPU, a further one with its interrupts off, if the first one's is emulated.
 * False: it cannot be. */
bool emulate_cpu(void);

#endif
