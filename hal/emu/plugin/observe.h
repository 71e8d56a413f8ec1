/* SPDX-License-Identifier: BSD-2-Clause */
/* What the CPUs' guests execute. */
#ifndef PLUGIN_OBSERVE_H
#define PLUGIN_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "block.h"

/* The emulator's blocks count here: instructions that have begun, on all CPUs; accesses to memory of branches. */
extern uint64_t observe_begun, observe_accesses;

/* From here on this CPU has a monitor, which keeps the guest's registers in this frame. */
void observe_start(unsigned cpu, uint64_t frame);

/* The emulator calls these before it executes: a block; VMRUN, by which a guest goes on; what is behind VMRUN, to which
 * it comes back. */
void observe_block(unsigned cpu, void *block);
void observe_enter(unsigned cpu, void *unused);
void observe_leave(unsigned cpu, void *unused);

/* Before an instruction by which it changes to the level `level`, if that is allowed. */
void observe_cross(unsigned cpu, void *level);

/* A block has been translated, most likely for the CPU that executes. */
void observe_translated(const struct block *block);

/* How many instructions guests have executed, up to where this CPU's is: machines' models take it for the cycle. */
uint64_t observe_now(unsigned cpu);

/* Before what a processor begins with when it is reset, or woken from sleep: ends the run, once there are monitors. */
void observe_reset(unsigned cpu, void *unused);

/* The same by the timed clock, if that is used: the cycle of the instruction that this CPU executes (timed.h). */
uint64_t observe_cycle(unsigned cpu);

/* Whether its guest executes. */
bool observe_is_inside(unsigned cpu);

/* The position (feed.h) of the instruction that it executes. */
uint64_t observe_position(unsigned cpu);

/* Its guest's instruction has locked the bus. */
void observe_bus_lock(unsigned cpu);

/* Whether the CPU's PMU must be told of bus locks. */
void observe_for(unsigned cpu, bool locks);

/* Ends the run: a CPU's guest has executed so many instructions of its own, and the instruction clock says another
 * number; `address`: where it has come to. */
__attribute__((noreturn)) void observe_disagree(unsigned cpu, uint64_t executed, uint64_t clock, uint64_t address);

/* What has been counted of the guest's last quantum, and the instruction clock: ends the run if they disagree. Whether
 * the clock has counted an instruction that has not retired, for which the guest was left. */
bool observe_check(unsigned cpu);

/* Whether an observed CPU is still in this block. */
int observe_needs(const struct block *block);

/* A fault, for a test: in the quanta behind so many of a guest one instruction is counted twice. Whether it is in the
 * one that ends. */
void observe_miscount(uint64_t quanta);
bool observe_miscounts(void);

#endif
