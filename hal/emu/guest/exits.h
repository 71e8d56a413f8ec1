/* SPDX-License-Identifier: BSD-2-Clause */
/* What the monitor does for a kernel that is its guest, beside what it does for any program. */
#ifndef GUEST_EXITS_H
#define GUEST_EXITS_H

#include <stdbool.h>
#include <stdnoreturn.h>

#include "frame.h"
#include "load.h"
#include "vpmu.h"

/* The calling program is the monitor's guest (hal_emulate) and makes place for another one, which begins there and has
 * so many CPUs. */
noreturn void guest_enter(struct svm_frame *frame, const struct load_entry *entry, unsigned cpus);

/* Makes the coming turn one instruction, before which no interrupt is taken. */
void guest_step_alone(struct svm_frame *frame);

/* Whether an enabled counter selects edges of what it counts. */
bool guest_counts_edges(struct vpmu *vpmu);

#endif
