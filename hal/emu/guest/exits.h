/* SPDX-License-Identifier: BSD-2-Clause */
/* What the monitor does for a kernel that is its guest, beside what it does for any program. Another monitor defines the
 * first two its own way. */
#ifndef GUEST_EXITS_H
#define GUEST_EXITS_H

#include <stdbool.h>
#include <stdnoreturn.h>

#include "frame.h"
#include "load.h"

/* Makes the monitor ready. NULL: done; else why it cannot be. */
const char *guest_prepare(void);

/* The calling program, behind guest_prepare, makes place for the guest, which begins there and has so many CPUs. */
noreturn void guest_enter(struct svm_frame *frame, const struct load_entry *entry, unsigned cpus);

/* Makes the coming turn one instruction, before which no interrupt is taken. */
void guest_step_alone(struct svm_frame *frame);

#endif
