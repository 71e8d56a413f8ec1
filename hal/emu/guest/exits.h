/* SPDX-License-Identifier: BSD-2-Clause */
/* What the monitor does for a guest kernel, in addition to what it does for any program. */
#ifndef GUEST_EXITS_H
#define GUEST_EXITS_H

#include <stdbool.h>
#include <stdnoreturn.h>

#include "frame.h"
#include "load.h"

/* Enters the guest at `entry`, with the monitor beneath and so many CPUs. The guest replaces the calling program. Each
 * monitor (this one, the library's example) has its own. */
noreturn void guest_enter(struct svm_frame *frame, const struct load_entry *entry, unsigned cpus);

#endif
