// SPDX-License-Identifier: BSD-2-Clause
// What there is to monitor with.

#include "cpu.h"
#include "procedures.h"

#define MASK_WORDS	4
#define MASKS		4

static inline void put_mask(uint64_t out[MASK_WORDS], uint64_t registers)
{
	out[0] = registers;
	out[1] = out[2] = out[3] = 0;
}

struct pal_ret pal_perf_mon_info(uint64_t index, uint64_t buffer, uint64_t a2, uint64_t a3)
{
	const struct pmu_monitor_information *monitor = pmu_this_cpu()->selected->driver->information;
	uint64_t *out = (uint64_t *)(uintptr_t)buffer;
	struct pal_ret answer = {.status = PAL_INVALID_ARGUMENT};

	(void)index;
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
