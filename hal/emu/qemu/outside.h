/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting a guest from outside (events=), without software in the guest and without its own PMU.
 * Each vCPU gets as many additional PMU models as the events need. The timeline reports
 * instructions to them as to the guest's PMU. Their overflows do not interrupt. */
#ifndef QEMU_OUTSIDE_H
#define QEMU_OUTSIDE_H

#include <stdio.h>

#include "cpu.h"

/* Selects the events (EVENT/EVENT... or EVENT,EVENT..., in the syntax of event_parse) and the
 * address space ("": all; else the address of its page tables). Call it after pmus_choose. Returns
 * NULL, or the problem in one line. */
const char *outside_choose(const char *events, const char *cr3);

/* Creates the models of a vCPU that already has its PMU. Returns NULL, or the problem. */
const char *outside_begin(struct cpu *c);

/* Returns true if this CR3 belongs to the counted address space. */
bool outside_wants(uint64_t cr3);

/* Prints the counts, if there are events. Call it after timeline_settle_all. */
void outside_write(FILE *out);

#endif
