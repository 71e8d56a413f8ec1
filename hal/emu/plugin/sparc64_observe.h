/* SPDX-License-Identifier: BSD-2-Clause */
/* What the guest of the hyperprivileged monitor executes: which blocks, and how much of the last one. */
#ifndef PLUGIN_SPARC64_OBSERVE_H
#define PLUGIN_SPARC64_OBSERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "feed.h"
#include "mailbox.h"

/* What the ASI register holds where the guest is about to execute code, as far as that is known. */
int sparc64_asi_ahead(void);

/* The emulator calls these: before it executes a block; at an entry of one of the monitor's tables, whose address it
 * is; before RETRY, the guest's or the monitor's. */
void sparc64_execute(unsigned cpu, void *block);
void sparc64_enter(unsigned cpu, void *entry);
void sparc64_go_back(unsigned cpu, void *unused);

/* The instruction at this address, of the block that is executed, has accessed a device: the emulator executes it anew,
 * alone, and goes on behind it with another block. */
void sparc64_reach_device(uint64_t address);

/* From here on there is a PMU; the monitor has the guest's registers in this frame (hal/emu/hyper/frame.h), which is
 * shared. */
void sparc64_start(uint64_t frame);

/* The monitor calls: what the guest has executed since it went on is known. That, and what the monitor says of it by
 * its clock: ends the run if they disagree. Before any call is answered. */
void sparc64_settle(struct feed *feed, const struct mailbox *box);

/* So many of these instructions, the first ones, are to be passed to the model; the others are left. */
void sparc64_take(struct feed *feed, uint64_t instructions);

/* The first one of them is not: it has been reported before it executed. */
void sparc64_drop(struct feed *feed);

/* What the next instruction raises, whose encoding this is; whether it is a next-to-commit one. */
uint64_t sparc64_raises_next(uint32_t instruction, bool *commits);

/* What the instruction raises for which the guest was left, and which the monitor carries out. On other processors:
 * nothing. */
uint64_t sparc64_raises_own(void);

/* A fault, for a test: so many of the monitor's entries from now one instruction is counted twice. */
void sparc64_miscount(uint64_t entries);

#endif
