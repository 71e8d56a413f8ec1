/* SPDX-License-Identifier: BSD-2-Clause */
/* What QEMU reports of the code that it translates, by what counts. When that changes, all code is translated anew. */
#ifndef QEMU_FOLLOW_H
#define QEMU_FOLLOW_H

#include "translate.h"

/* What code is translated for. */
extern enum follows followed;

void follow_begin(qemu_plugin_id_t id, const struct isa *isa);

/* A vCPU has begun; it is followed from its first instruction on if something counts it from outside. */
void follow_join(struct cpu *c);

/* What counts has changed. */
void follow_counting(void);

/* Whether something counts. */
bool follow_is_wanted(void);

/* Whether the memory model gets references: some counter counts them, or did so in the last million instructions. */
extern bool follow_refers;

/* Returns how many instructions may execute before the plugin follows less or more. */
uint64_t follow_left(void);

/* So many instructions have executed, at least 1. Some time after counting has ended, none are followed any more. */
void follow_executed(uint64_t instructions);

/* A block has begun that cannot execute without steps. */
void follow_block_in_vain(void);

#endif
