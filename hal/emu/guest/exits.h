/* SPDX-License-Identifier: BSD-2-Clause */
/* What the monitor does for a kernel that is its guest, beside what it does for any program. */
#ifndef GUEST_EXITS_H
#define GUEST_EXITS_H

#include <stdbool.h>
#include <stdnoreturn.h>

#include "frame.h"
#include "load.h"

/* Puts the monitor beneath a guest, which begins there and has so many CPUs; the calling program makes place for it.
 * Another monitor has its own. */
noreturn void guest_enter(struct svm_frame *frame, const struct load_entry *entry, unsigned cpus);

/* Makes the coming quantum one instruction. Alone: before which no interrupt is taken. */
void guest_step(struct svm_frame *frame);
void guest_step_alone(struct svm_frame *frame);

#endif
