/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of the program to the machine (README.md, "The program's environment"). */
#ifndef IA64_SIMULATOR_H
#define IA64_SIMULATOR_H

#include "execute.h"

/* The immediate operand of the break instruction that makes such a call. */
#define SIMULATOR_BREAK	0x80001

/* Executes the call with the number in r15. */
enum outcome ia64_call_simulator(struct machine *m);

#endif
