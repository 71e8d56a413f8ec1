/* SPDX-License-Identifier: BSD-2-Clause */
/* The C library's calls of the runtime: function calls, or traps if programs run at the lowest
 * privilege level. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stdint.h>

enum system_call {
	SYSTEM_WRITE,		/* `b` characters at `a` to the console */
	SYSTEM_EXTEND_HEAP,	/* by `a` bytes; returns the old end, or 0 */
	SYSTEM_EXIT,		/* ends the run with status `a` */
};

uint64_t system_call(enum system_call call, uint64_t a, uint64_t b);

/* Call after memory_start: from then on the C library works. */
void system_start(void);

/* Serves a system call. */
uint64_t system_serve(enum system_call call, uint64_t a, uint64_t b);

#endif
