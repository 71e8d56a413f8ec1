/* SPDX-License-Identifier: BSD-2-Clause */
/* The interactive prompt (-d): steps, breakpoints, registers, memory, disassembled code. */
#ifndef IA64_DEBUG_H
#define IA64_DEBUG_H

#include <stdint.h>
#include <stdio.h>

#include "execute.h"
#include "symbols.h"

/* Prints the general registers of the frame, the predicates, the branch registers and ip. */
void ia64_print_state(const struct machine *m, FILE *out);

/* Executes commands from `in`, one per line, until the input ends, `quit`, or the program ends. The
 * program executes at most `count` instructions. Returns the outcome of ia64_run. */
enum outcome ia64_debug(struct machine *m, const struct symbols *symbols, uint64_t count, FILE *in,
			FILE *out);

#endif
