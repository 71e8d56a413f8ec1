/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides which callbacks translated code needs, from the enabled counters. When that changes, all
 * code is retranslated. */
#ifndef QEMU_FOLLOW_H
#define QEMU_FOLLOW_H

#include "translate.h"

/* The level for which code is currently translated. */
extern enum follows followed;

void follow_begin(qemu_plugin_id_t id, const struct isa *isa);

/* Adds a vCPU that begins. It is followed from its first instruction if models count it from
 * outside. */
void follow_join(struct cpu *c);

/* Call when the enabled counters or their events have changed. */
void follow_counting(void);

/* Returns true if some counter counts. */
bool follow_is_wanted(void);

/* The memory model receives references: a counter counts them, or did so within the last million
 * instructions. */
extern bool follow_refers;

/* Returns the number of instructions after which the level may change. */
uint64_t follow_left(void);

/* Reports at least one executed instruction. Stops following some time after the last counter has
 * stopped. */
void follow_executed(uint64_t instructions);

/* Reports a block that had to execute instruction by instruction. */
void follow_block_in_vain(void);

#endif
