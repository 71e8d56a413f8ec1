// SPDX-License-Identifier: BSD-2-Clause
// The core and thread of each CPU, x87 computations, and the C library's output, on a processor
// without SSE.

#include <stdio.h>

#include "cpus.h"
#include "hal.h"

int workload(void);

static volatile long double third = 1.0L / 3;	// so that the compiler does not compute with them
static volatile double tenth = 0.1;
static volatile long many = 1000000000;
static volatile unsigned flag;

// The compiler uses CMOVcc here if allowed; CMOVcc always clears the upper half.
static uint64_t zero_extended(uint64_t other, uint32_t this)
{
	return flag ? (uint32_t)other : this;
}

int workload(void)
{
	unsigned wrong = 0;

	for (unsigned cpu = 0; cpu < hal_cpus_start(); cpu++) {
		unsigned core, thread;

		hal_topology(cpu, &core, &thread);
		printf("cpu %u: core %u, thread %u\n", cpu, core, thread);
	}
	wrong += !(third > 0.333333333L && third < 0.333333334L);
	wrong += (long)(many * tenth) != 100000000;
	wrong += zero_extended(~0ULL, 5) != 5;
	flag = 1;
	wrong += zero_extended(~0ULL, 5) != UINT32_MAX;
	printf("processor: %u wrong, %lld, %5.2s|\n", wrong, 1LL << 40, "abc");
	return 0;
}
