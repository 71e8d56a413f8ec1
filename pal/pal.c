// SPDX-License-Identifier: BSD-2-Clause
// Dispatch from index to procedure. PAL_PERF_MON_INFO must be fast: its index is compared first,
// and this file answers it without a further call.

#include "pmu_unit.h"
#include "procedures.h"

#define MASK_WORDS	4
#define MASKS		4

static inline void put_mask(uint64_t out[MASK_WORDS], uint64_t registers)
{
	out[0] = registers;
	out[1] = out[2] = out[3] = 0;
}

// PAL_PERF_MON_INFO: the counters.
static struct pal_ret perf_mon_info(uint64_t buffer, uint64_t a2, uint64_t a3)
{
	const struct pmu_monitor_information *monitor =
		pmu_this_cpu()->selected->driver->information;
	uint64_t *out = (uint64_t *)(uintptr_t)buffer;
	struct pal_ret answer = {.status = PAL_INVALID_ARGUMENT};

	if (!(a2 | a3 | (buffer & 7)) &&
	    hal_memory_writable(buffer, MASKS * MASK_WORDS * sizeof *out)) {
		put_mask(out + 0 * MASK_WORDS, monitor->control_mask);
		put_mask(out + 1 * MASK_WORDS, monitor->data_mask);
		put_mask(out + 2 * MASK_WORDS, monitor->cycles_mask);
		put_mask(out + 3 * MASK_WORDS, monitor->retired_mask);
		answer.status = PAL_SUCCESS;
		answer.v1 = monitor->summary;
	}
	return answer;
}

// Not inlined: if one function returns several structures, gcc builds all of them in memory.
__attribute__((noinline)) static struct pal_ret refuse(void)
{
	return (struct pal_ret){.status = PAL_ERROR};
}

// Returns the procedure for an index that the driver's table does not answer. One indirect call is
// shorter than one call per procedure.
static pal_procedure *procedure_of(uint64_t index)
{
	switch (index) {
	case PAL_DEBUG_INFO:
		return pal_debug_info;
	case PAL_VERSION:
		return pal_version;
	case PAL_HALT_LIGHT:
		return pal_halt_light;
	case PAL_HALT_INFO:
		return pal_halt_info;
	case PALMON_MONITOR_FEATURES:
	case PALMON_MONITOR_EVENTS:
		return palmon_monitor;
	default:
		return pal_processor_info;
	}
}

struct pal_ret pal_call(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3)
{
	if (__builtin_expect(!pmu_this_cpu(), false))
		return refuse();
	if (__builtin_expect(index == PAL_PERF_MON_INFO, true))
		return perf_mon_info(a1, a2, a3);
	return procedure_of(index)(index, a1, a2, a3);
}

__attribute__((weak, alias("pal_call")))
struct pal_ret pal_ask(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3);
