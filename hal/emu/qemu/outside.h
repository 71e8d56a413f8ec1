/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting a guest from outside (events=): without software in it, and without its PMU. Each vCPU has further PMU
 * models for that, enough for all events. The timeline reports instructions to them as it does to the guest's PMU.
 * Their overflows do not interrupt. */
#ifndef QEMU_OUTSIDE_H
#define QEMU_OUTSIDE_H

#include <stdio.h>

#include "cpu.h"

/* Chooses the events, EVENT/EVENT... or EVENT,EVENT..., as event_parse reads them, and the address space: "", or the
 * address of its page tables. Call after pmus_choose. Returns NULL, or the problem in one line. */
const char *outside_choose(const char *events, const char *cr3);

/* Gives the models to a vCPU that has its PMU. Returns NULL, or the problem. */
const char *outside_begin(struct cpu *c);

/* Whether a vCPU with this CR3 executes in the counted address space. */
bool outside_wants(uint64_t cr3);

/* Prints the events' counts, if there are events. Call after timeline_settle_all. */
void outside_write(FILE *out);

#endif
