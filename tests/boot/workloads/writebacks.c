// SPDX-License-Identifier: BSD-2-Clause
// Stores to each line of 4 MB, then WBINVD, TURNS times: each turn writes 65,536 lines to memory,
// all by one instruction. At level 0.

#include <stdint.h>

#define TURNS	1

static uint8_t memory[4 << 20] __attribute__((aligned(4096)));

int workload(void)
{
#pragma GCC unroll 1
	for (unsigned turns = TURNS; turns; turns--) {
		for (uint8_t *at = memory; at < memory + sizeof memory; at += 64)
			*(volatile uint8_t *)at = 1;
		__asm__ volatile("wbinvd" : : : "memory");
	}
	return 0;
}
