/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's instruction clock executes a vCPU for many million instructions before the next one. Counters may count what
 * other vCPUs execute, and what several vCPUs do to one line of memory would not be seen then. While something counts,
 * turns are short. */
#ifndef QEMU_TURNS_H
#define QEMU_TURNS_H

#include "cpu.h"
#include "unpromised.h"

/* How many instructions the vCPU, which executes, may execute in its turn. `refers`: references to memory count. */
uint64_t turns_left(const struct cpu *c, bool refers);

/* Whether its turn ends: the vCPU must leave its block. */
bool turns_end(const struct cpu *c, bool refers);

/* All vCPUs must leave their blocks for a reason that is the plugin's: the one whose turn it is goes on first. */
void turns_pause(void);

/* Whether this vCPU, which is about to execute, must leave its block, as the turn of another one goes on. */
bool turns_wait(const struct cpu *c);

/* Work for a vCPU, which makes it leave its block (async_run_on_cpu). */
void turns_nothing(void *qemu, union run_on_cpu_data unused);

#endif
