// SPDX-License-Identifier: BSD-2-Clause
// Dispatch: index to procedure. PAL_PERF_MON_INFO is to be fast: it is compared first, and answered here without a
// further call.

#include "cpu.h"
#include "procedures.h"

#define MASK_WORDS	4
#define MASKS		4

static inline void put_mask(uint64_t out[MASK_WORDS], uint64_t registers)
{
	out[0] = registers;
	out[1] = out[2] = out[3] = 0;
}

// What there is to monitor with.
static struct pal_ret perf_mon_info(uint64_t buffer, uint64_t a2, uint64_t a3)
{
	const struct pmu_monitor_information *monitor = pmu_this_cpu()->selected->driver->information;
	uint64_t *out = (uint64_t *)(uintptr_t)buffer;
	struct pal_ret answer = {.status = PAL_INVALID_ARGUMENT};

	if (!(a2 | a3 | (buffer & 7)) && hal_memory_writable(buffer, MASKS * MASK_WORDS * sizeof *out)) {
		put_mask(out + 0 * MASK_WORDS, monitor->control_mask);
		put_mask(out + 1 * MASK_WORDS, monitor->data_mask);
		put_mask(out + 2 * MASK_WORDS, monitor->cycles_mask);
		put_mask(out + 3 * MASK_WORDS, monitor->retired_mask);
		answer.status = PAL_SUCCESS;
		answer.v1 = monitor->summary;
	}
	return answer;
}

// Not inlined: where a function returns several structures, all of them are put together in memory.
__attribute__((noinline)) static struct pal_ret refuse(int64_t status)
{
	return (struct pal_ret){.status = status};
}

struct pal_ret pal_call(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3)
{
	if (__builtin_expect(!pmu_this_cpu(), false))
		return refuse(PAL_ERROR);
	switch (__builtin_expect(index, PAL_PERF_MON_INFO)) {
	case PAL_PERF_MON_INFO:
		return perf_mon_info(a1, a2, a3);
	case PAL_CACHE_INFO:
	case PAL_VM_SUMMARY:
	case PAL_RSE_INFO:
	case PAL_VM_PAGE_SIZE:
		return pal_processor_info(index, a1, a2, a3);
	case PAL_DEBUG_INFO:
		return pal_debug_info(index, a1, a2, a3);
	case PAL_VERSION:
		return pal_version(index, a1, a2, a3);
	case PAL_HALT_LIGHT:
		return pal_halt_light(index, a1, a2, a3);
	case PAL_HALT_INFO:
		return pal_halt_info(index, a1, a2, a3);
	case PALMON_MONITOR_FEATURES:
	case PALMON_MONITOR_EVENTS:
		return palmon_monitor(index, a1, a2, a3);
	default:
		return refuse(PAL_UNIMPLEMENTED);
	}
}
