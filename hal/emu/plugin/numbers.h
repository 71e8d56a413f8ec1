/* SPDX-License-Identifier: BSD-2-Clause */
/* While of what guests execute only the number counts, and the level: the emulator's blocks count their instructions
 * (observe_begun), and call for those alone that repeat, or that change the level. Each exception ends a quantum. */
#ifndef PLUGIN_NUMBERS_H
#define PLUGIN_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "mailbox.h"

/* The machine has so many CPUs. */
void numbers_begin(int count);

/* From here on this CPU has a monitor, which keeps the guest's registers in this frame. In its mailbox `returned` is
 * set. */
void numbers_start(unsigned cpu, uint64_t frame, struct mailbox *box);

/* The emulator calls these before it executes: VMRUN, by which a guest goes on; an instruction by which it changes to
 * the level `level`; a repeated string instruction, at `address`; what may be behind one, there; a far branch. */
void numbers_enter(unsigned cpu, void *unused);
void numbers_cross(unsigned cpu, void *level);
void numbers_repeat(unsigned cpu, void *address);
void numbers_go_on(unsigned cpu, void *address);
void numbers_return(unsigned cpu, void *unused);

/* It has read a word at a physical address, for an IRET: the second one says which level that is to. */
void numbers_pop(unsigned cpu, uint64_t physical);

/* In a block that is about to execute is something of which more must be known than the number: from here on blocks are
 * reported. */
void numbers_end(void);

/* The guest has been left. */
void numbers_leave(unsigned cpu);

/* As observe_check. */
bool numbers_check(unsigned cpu);

#endif
