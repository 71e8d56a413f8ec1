// SPDX-License-Identifier: BSD-2-Clause
// Prints the PAL procedures' answers about the PMU.

#include <inttypes.h>
#include <stdio.h>

#include "boot.h"
#include "pal.h"
#include "pmu_driver.h"

static void print_mask(const char *what, const uint64_t mask[4])
{
	printf("  %-22s", what);
	for (unsigned bit = 0; bit < 256; bit++) {
		unsigned last = bit;

		if (!(mask[bit / 64] >> bit % 64 & 1))
			continue;
		while (last < 255 && mask[(last + 1) / 64] >> (last + 1) % 64 & 1)
			last++;
		if (last == bit)
			printf(" %u", bit);
		else
			printf(" %u-%u", bit, last);
		bit = last;
	}
	printf("\n");
}

void report_monitor(const struct pmu_driver *driver)
{
	static _Alignas(8) uint64_t masks[16];
	struct pal_ret info = pal_ask(PAL_PERF_MON_INFO, (uintptr_t)masks, 0, 0);
	struct pal_ret features = pal_ask(PALMON_MONITOR_FEATURES, 0, 0, 0);
	struct pal_ret events = pal_ask(PALMON_MONITOR_EVENTS, 0, 0, 0);
	struct pal_ret version = pal_ask(PAL_VERSION, 0, 0, 0);
	struct pal_ret debug = pal_ask(PAL_DEBUG_INFO, 0, 0, 0);

	printf("PAL_PERF_MON_INFO: status %" PRId64 ", 0x%08" PRIx64
	       ": %u generic counters of %u bits, "
	       "cycles event 0x%02x, retired event 0x%02x\n",
	       info.status, info.v1, (unsigned)(info.v1 & 0xFF), (unsigned)(info.v1 >> 8 & 0xFF),
	       (unsigned)(info.v1 >> 16 & 0xFF), (unsigned)(info.v1 >> 24 & 0xFF));
	print_mask("control registers", &masks[0]);
	print_mask("data registers", &masks[4]);
	print_mask("can count cycles", &masks[8]);
	print_mask("can count retired", &masks[12]);
	printf("PALMON_MONITOR_FEATURES: %u fixed counters of %u bits, features 0x%" PRIx64 "\n",
	       (unsigned)(features.v1 & 0xFF), (unsigned)(features.v1 >> 8 & 0xFF), features.v3);
	if (events.status == PAL_SUCCESS)
		printf("PALMON_MONITOR_EVENTS: cycles event 0x%02x, unit mask 0x%02x; "
		       "retired event 0x%02x, unit mask 0x%02x\n",
		       (unsigned)(events.v1 & 0xFFFF), (unsigned)(events.v1 >> 16),
		       (unsigned)(events.v2 & 0xFFFF), (unsigned)(events.v2 >> 16));
	printf("PAL_DEBUG_INFO: %" PRIu64 " instruction, %" PRIu64
	       " data breakpoints; PAL_VERSION: 0x%" PRIx64 "\n", debug.v1, debug.v2, version.v2);
	printf("events of %s by name: %zu\n", driver->name, driver->events->count);
}
