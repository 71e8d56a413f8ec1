/* SPDX-License-Identifier: BSD-2-Clause */
/* Has the emulator say what the guest of the hyperprivileged monitor executes. */
#ifndef PLUGIN_SPARC64_H
#define PLUGIN_SPARC64_H

#include "qemu.h"

/* A block is being translated. */
void sparc64_observe(struct qemu_plugin_tb *block);

#endif
