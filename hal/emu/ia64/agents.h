/* SPDX-License-Identifier: BSD-2-Clause */
/* The other agents on the bus: a second processor, which executes nothing and has one cache of L3's
 * geometry, and I/O agents. A program tells them to refer to memory (simulator.c); they change
 * states of lines, but no data. */
#ifndef IA64_AGENTS_H
#define IA64_AGENTS_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

/* Refers to the line with this address; `action` is the number of a row in agents.c. Returns false
 * if there is no such action. */
bool ia64_act(struct machine *m, uint64_t action, uint64_t address);

#endif
