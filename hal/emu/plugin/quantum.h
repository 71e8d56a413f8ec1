/* SPDX-License-Identifier: BSD-2-Clause */
/* Overflows of what instructions raise. The monitor's alarm goes by the number of instructions, each of which could
 * raise an event: alone it would have to end quanta again and again, each closer to the overflow than the last. But
 * what a block can raise is known when it is translated. So if a counter can overflow in a block, or in one behind it,
 * the early alarm ends the quantum. */
#ifndef PLUGIN_QUANTUM_H
#define PLUGIN_QUANTUM_H

#include <stdbool.h>
#include <stdint.h>

#include "block.h"
#include "mailbox.h"

/* From here on this CPU has a PMU (feed.h). In its mailbox `early` is set, if the early alarm ends its guest's
 * quantum; `level` and `headroom` change where the guest changes its level. */
void quantum_start(unsigned cpu, struct mailbox *box);

/* What its core's counters select may have changed (feed_select). */
void quantum_select(unsigned cpu);

/* Its guest's next instruction, if it goes on, is at `address`. Until when its alarm need not end the quantum: so many
 * instructions, as with feed_headroom; 0: the early alarm cannot serve here. */
uint64_t quantum_headroom(unsigned cpu, uint64_t address);

/* Something of what has happened has been handed to the model within a quantum. */
void quantum_follow(unsigned cpu);

/* Before the guest goes on at this address; before a block of its executes, at position feed.look_at or behind; when a
 * block has been translated for it, `last` being the one that it has executed last, or NULL. */
void quantum_enter(unsigned cpu, uint64_t address);
void quantum_look(unsigned cpu, const struct block *block);
void quantum_translated(unsigned cpu, const struct block *last, const struct block *block);

/* The early alarm ends its guest's quantum before the next block. */
void quantum_end(unsigned cpu);

/* Before the guest's instruction by which it changes its level. Whether its quantum can go on there: else the early
 * alarm ends it right behind that instruction. */
bool quantum_can_cross(unsigned cpu, unsigned level);

/* In how many instructions nothing overflows, whichever level they are of. */
uint64_t quantum_least(unsigned cpu);

/* Behind it: the cycles up to there are handed to the model, and from here on the guest is at that level. */
void quantum_cross(unsigned cpu, uint64_t cycles, unsigned level);

#endif
