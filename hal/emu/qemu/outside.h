/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting a guest from outside (events=): without software in it, and without its PMU. Each vCPU has PMU models of its
 * own for that, as many as the events need counters. The timeline shows them the instructions that it shows the guest's
 * PMU. Their overflows interrupt nobody. */
#ifndef QEMU_OUTSIDE_H
#define QEMU_OUTSIDE_H

#include <stdio.h>

#include "cpu.h"

/* Chooses the events, EVENT/EVENT... or EVENT,EVENT..., as event_parse reads them, and the address space: "", or the
 * address of its page tables. After pmus_choose. NULL, or the problem in one line. */
const char *outside_choose(const char *events, const char *cr3);

/* A vCPU has its PMU: gives it the models. NULL, or the problem. */
const char *outside_begin(struct cpu *c);

/* Whether the vCPU executes in the address space that is counted. `cr3`: its register. */
bool outside_wants(uint64_t cr3);

/* Prints what the events have counted, if there are any. After timeline_settle_all. */
void outside_write(FILE *out);

#endif
