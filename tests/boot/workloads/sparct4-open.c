// SPDX-License-Identifier: BSD-2-Clause
// A workload that reads the counter that its session opened to it, PIC0, around a loop of 3 * TURNS
// instructions, and prints the difference; then it executes WAY.

#include <inttypes.h>
#include <stdio.h>

#include "hal.h"

#ifndef TURNS
#define TURNS 1000
#endif
#ifndef WAY
#define WAY (void)0
#endif

// Counted between the reads: the first read itself, the loop's initialization, the loop.
#define AROUND 2

__attribute__((noipa)) static uint64_t count_loop(uint64_t turns)
{
	uint64_t before, behind;

	__asm__ volatile("ldxa [%%g0] 0xB0, %0\n\t"
			 "nop\n"
			 "1:\tsubcc %2, 1, %2\n\t"
			 "bne,pt %%xcc, 1b\n\t"
			 "nop\n\t"
			 "ldxa [%%g0] 0xB0, %1"
			 : "=&r"(before), "=r"(behind), "+r"(turns) : : "cc");
	return behind - before;
}

// Writes PICn; the value may have reserved bits set (ASI B0h, virtual address 8 n).
static inline void write_counter(unsigned number, uint64_t value)
{
	__asm__ volatile("wr %%g0, 0xB0, %%asi\n\tstxa %1, [%0] %%asi" : : "r"(8ULL * number),
			 "r"(value));
}

int workload(void);

int workload(void)
{
	uint64_t value = 0;

	printf("the loop: %" PRIu64 " instructions\n", count_loop(TURNS) - AROUND);
	printf("PIC1 %s\n", reg_read_counter(1, &value) ? "is open" : "is closed");
	WAY;
	return 0;
}
