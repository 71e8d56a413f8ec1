/* SPDX-License-Identifier: BSD-2-Clause */
/* PREFETCHh, which QEMU executes as a no-operation. The plugin computes its address from the
 * registers. */
#ifndef QEMU_PREFETCHES_H
#define QEMU_PREFETCHES_H

#include "../qemu_plugin.h"

/* Registers the callback of a prefetch. */
void prefetches_follow(struct qemu_plugin_insn *qemu);

#endif
