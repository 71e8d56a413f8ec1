// SPDX-License-Identifier: BSD-2-Clause
// A queue's occupancy is counted from a bus lock on. Until there has been one the monitor is not entered more often
// than before, because the emulator's plugin sees it; and what is counted meanwhile is exact. Registers of the
// uncore: SDM volume 3B, "Performance Monitoring Facility in the Uncore"; event 23H, unit mask 04H: reads of this
// package in the home logic's queue (the guide, Table 31).

#include <inttypes.h>
#include <stdio.h>

#include "hal.h"

int workload(void);

enum { PERFEVTSEL0 = 0x186, PMC0 = 0xC1, GLOBAL_CTRL = 0x38F, UNCORE_GLOBAL_CTRL = 0x391, UNCORE_PERFEVTSEL0 = 0x3C0 };

#define RETIRED			(3 << 16 | 1 << 22 | 0xC0)
#define OCCUPANCY		(1 << 22 | 1 << 17 | 4 << 8 | 0x23)	/* enabled, with the reset of its queue */

static int wrong;

static void expect(const char *what, uint64_t expected, uint64_t found)
{
	if (expected != found) {
		printf("WRONG: %s: %" PRIu64 ", not %" PRIu64 "\n", what, found, expected);
		wrong++;
	}
}

static bool ok = true;
static uint64_t counted;

// Times the monitor was entered while n instructions executed on this CPU.
__attribute__((noipa)) static uint64_t exits_in(uint64_t n)
{
	uint64_t before, after;

	__asm__ volatile("pause");	// a new slice of time: no exit for its end
	before = hal_overhead().exits;
	ok &= reg_write(PMC0, 0);
	hal_execute_between(GLOBAL_CTRL, 1, 0, n);
	ok &= reg_read(PMC0, &counted);
	after = hal_overhead().exits;
	return after - before;
}

static void watch(void)
{
	ok &= reg_write(UNCORE_PERFEVTSEL0, 0);
	ok &= reg_write(UNCORE_PERFEVTSEL0, OCCUPANCY);
}

// A locked access within a line, and one across two that is not locked.
static void access_otherwise(void)
{
	static _Alignas(64) uint32_t lines[32];
	uint32_t *across = (uint32_t *)((char *)lines + 62);

	__asm__ volatile("lock incl %0; incl %1" : "+m"(lines[3]), "+m"(*across));
}

static uint64_t before, waiting[2], otherwise[2], locked, endless[2];

static void measure(void *unused)
{
	(void)unused;
	ok &= reg_write(GLOBAL_CTRL, 0);
	ok &= reg_write(PERFEVTSEL0, RETIRED);
	ok &= reg_write(UNCORE_GLOBAL_CTRL, 1);
	before = exits_in(1000);
	watch();
	waiting[0] = exits_in(1000);
	waiting[1] = exits_in(3000);
	access_otherwise();
	otherwise[0] = exits_in(1000);
	otherwise[1] = exits_in(3000);
	hal_bus_lock();
	locked = exits_in(1000);
	watch();
	endless[0] = exits_in(10000);
	endless[1] = exits_in(15000);
	ok &= reg_write(UNCORE_PERFEVTSEL0, 0);
}

int workload(void)
{
	expect("CPUs", 4, hal_cpus_start());
	hal_cpu_call(2, measure, NULL);
	ok &= hal_cpus_wait(1 << 2, 100000000);
	expect("exits while a lock is awaited, as before", before, waiting[0]);
	expect("exits of three times as many instructions", before, waiting[1]);
	expect("exits behind what is no bus lock, as before", before, otherwise[0]);
	expect("exits of three times as many instructions", before, otherwise[1]);
	expect("exits behind a bus lock, as before", before, locked);
	expect("exits if none comes, as before", before, endless[0]);
	expect("exits of more instructions", before, endless[1]);
	expect("what is counted meanwhile: 15,000, and the second of two WRMSR", 15001, counted);
	expect("no access failed", true, ok);
	printf("locks: %d wrong\n", wrong);
	return wrong != 0;
}
