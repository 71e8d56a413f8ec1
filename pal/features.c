// SPDX-License-Identifier: BSD-2-Clause
// Features of the PMU for which PAL_PERF_MON_INFO has no fields.

#include "pmu_unit.h"
#include "procedures.h"

struct pal_ret palmon_monitor(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3)
{
	const struct pmu_driver *driver = pmu_this_cpu()->selected->driver;
	const struct pmu_monitor_information *monitor = driver->information;
	struct pal_ret answer = {.status = PAL_SUCCESS};

	if (a1 | a2 | a3) {
		answer.status = PAL_INVALID_ARGUMENT;
	} else if (index == PALMON_MONITOR_FEATURES) {
		answer.v1 = (uint64_t)__builtin_popcountll(driver->shape->fixed) |
			(uint64_t)driver->shape->width << 8;
		answer.v2 = driver->shape->counters;
		answer.v3 = driver->shape->features;
	} else if (!PMU_SUMMARY_RETIRED(monitor->summary)) {
		answer.status = PAL_UNIMPLEMENTED;
	} else {
		answer.v1 = PMU_SUMMARY_CYCLES(monitor->summary) |
			(uint64_t)monitor->cycles_umask << 16;
		answer.v2 = PMU_SUMMARY_RETIRED(monitor->summary) |
			(uint64_t)monitor->retired_umask << 16;
	}
	return answer;
}
