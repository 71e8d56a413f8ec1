/* SPDX-License-Identifier: BSD-2-Clause */
/* What the guest of the hyperprivileged monitor executes. */
#ifndef PLUGIN_SPARC64_H
#define PLUGIN_SPARC64_H

#include "mailbox.h"
#include "qemu.h"

/* Has the emulator count the instructions of this block. */
void sparc64_observe(struct qemu_plugin_tb *block);

/* How many instructions the guest has executed, and what the monitor says of that by its clock: ends the run if they
 * disagree. */
void sparc64_check(const struct mailbox *box);

/* A fault, for a test: so many of the monitor's entries from now one instruction is counted twice. */
void sparc64_miscount(uint64_t entries);

#endif
