// SPDX-License-Identifier: BSD-2-Clause
// A queue's occupancy, with the timed clock, when counting begins while requests are in the queue.
// The guide, "The Global Queue": when a counter is first programmed for an occupancy, a bus lock
// must empty the queue. Otherwise the counter does not include the requests already in the queue,
// and its occupancy stays too small for ever.

#include <inttypes.h>
#include <stdio.h>

#include "registers.h"
#include "stimulus.h"

int workload(void);

enum { UNCORE_GLOBAL_CTRL = 0x391, UNCORE_PMC0 = 0x3B0, UNCORE_PERFEVTSEL0 = 0x3C0 };

/* UNC_GQ_TRACKER_OCCUP.RT, enabled, with its reset */
#define OCCUPANCY	(1 << 22 | 1 << 17 | 1 << 8 | 0x02)

// Lines of memory in no cache: some in flight, then one load each, of 150 cycles in the queue
// (nehalem.machine: 160 minus the L2 cache's 10).
#define IN_FLIGHT	8
#define LOADS		100
#define CYCLES		150
#define PAGE		4096
#define MEASUREMENTS	4
static volatile uint64_t memory[MEASUREMENTS][IN_FLIGHT +
					      LOADS][PAGE / 8] __attribute__((aligned(2 << 20)));

// Nothing waits for the stores. After the chain of 60 decrements, of one cycle each, they are in
// the queue.
__attribute__((noipa)) static void fly(volatile uint64_t (*lines)[PAGE / 8], unsigned count)
{
	uint64_t chain = 60;

	for (unsigned i = 0; i < count; i++)
		lines[i][8 * i] = 1;
	__asm__ volatile(".rept 60; dec %0; .endr" : "+r"(chain) : : "cc");
}

// Each address depends on the load before it, which returns 0.
__attribute__((noipa)) static void chase(volatile uint64_t (*lines)[PAGE / 8])
{
	uint64_t zero = 0;

	for (unsigned i = 0; i < LOADS; i++)
		zero = lines[i + zero][8 * (i % 64)];
}

static uint64_t measure(volatile uint64_t (*lines)[PAGE / 8], unsigned in_flight, bool lock)
{
	uint64_t before;

	put(UNCORE_PERFEVTSEL0, 0);
	fly(lines, in_flight);
	put(UNCORE_PERFEVTSEL0, OCCUPANCY);
	if (lock)
		hal_bus_lock();
	hal_execute(2000);
	before = get(UNCORE_PMC0);
	chase(lines + IN_FLIGHT);
	hal_execute(2000);
	return get(UNCORE_PMC0) - before;
}

int workload(void)
{
	uint64_t found[MEASUREMENTS];

	put(UNCORE_GLOBAL_CTRL, 1);
	measure(memory[0], IN_FLIGHT, true);		// from here on code and stack are cached
	found[1] = measure(memory[1], IN_FLIGHT, true);
	found[2] = measure(memory[2], IN_FLIGHT, false);
	found[3] = measure(memory[3], 0, false);
	put(UNCORE_PERFEVTSEL0, 0);
	printf("in flight: with a bus lock %" PRIu64 ", without %" PRIu64
	       ", of an empty queue %" PRIu64 "\n", found[1], found[2], found[3]);
	return !ok || found[1] != LOADS * CYCLES || found[2] || found[3] != LOADS * CYCLES;
}
