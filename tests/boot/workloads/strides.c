// SPDX-License-Identifier: BSD-2-Clause
// Passes over KILOBYTES of memory, TURNS times: an ACCESS each STRIDE bytes, all by one
// instruction. tests/boot/prefetch.t changes these words.

#include <stdint.h>

#define KILOBYTES	512
#define TURNS		5
#define STRIDE		64
#define ACCESS		"mov (%0), %%rax"

static uint8_t memory[KILOBYTES * 1024] __attribute__((aligned(4096)));

int workload(void)
{
	// One copy of the loop in each program: its code has the same number of lines for any
	// TURNS.
#pragma GCC unroll 1
	for (unsigned turns = TURNS; turns; turns--) {
		uint8_t *at = memory;
		uint64_t left = sizeof memory / STRIDE;

		__asm__ volatile("1: " ACCESS "\n add %2, %0\n dec %1\n jnz 1b" : "+r"(at),
				 "+r"(left)
				 : "i"(STRIDE) : "rax", "xmm0", "memory", "cc");
	}
	return 0;
}
