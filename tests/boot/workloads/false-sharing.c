// SPDX-License-Identifier: BSD-2-Clause
// Threads 0 and 2, on two cores, write TURNS times to words of one line or, with a larger SEPARATE,
// of two lines. A turn has five instructions: the second one loads from the line, the fourth one
// stores to it.

#include "hal.h"

int workload(void);

#define TURNS	100000
#define SEPARATE	1	/* distance, in words of 8 bytes */

static unsigned long word[64] __attribute__((aligned(4096)));

int workload(void)
{
	unsigned long *mine = &word[hal_cpu_user() / 2 * SEPARATE], turns = TURNS;

	if (hal_cpu_user() & 1)
		return 0;
	__asm__ volatile("1: nop\n mov (%0), %%rax\n inc %%rax\n mov %%rax, (%0)\n dec %1\n jnz 1b"
			 : : "r"(mine), "r"(turns) : "rax", "memory", "cc");
	return 0;
}
