/* SPDX-License-Identifier: BSD-2-Clause */
/* The sub-events that the machine can raise, and how often it has raised each. */
#ifndef IA64_TALLY_H
#define IA64_TALLY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct machine;

/* Whether the machine ever raises an event that a counter with this code and unit mask counts. */
bool ia64_event_happens(const struct machine *m, uint64_t code, uint64_t umask);

/* Prints a line for each event (-e). */
void ia64_print_tally(struct machine *m, FILE *to);

#endif
