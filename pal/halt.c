// SPDX-License-Identifier: BSD-2-Clause
// The light halt.

#include "pmu_unit.h"
#include "procedures.h"

#define POWER_STATES		8
#define POWER_IMPLEMENTED	(1ULL << 60)
#define POWER_COHERENT		(1ULL << 61)

static void thaw(void)
{
	struct pmu_cpu *cpu = pmu_this_cpu();

	cpu->thawed = cpu->driver->thaw(cpu->frozen);
}

struct pal_ret pal_halt_light(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3)
{
	struct pmu_cpu *cpu = pmu_this_cpu();

	(void)index;
	if (a1 | a2 | a3)
		return (struct pal_ret){.status = PAL_INVALID_ARGUMENT};
	if (!cpu->driver->freeze(&cpu->frozen))
		return (struct pal_ret){.status = PAL_ERROR};
	hal_halt(thaw);
	return (struct pal_ret){.status = cpu->thawed ? PAL_SUCCESS : PAL_ERROR};
}

struct pal_ret pal_halt_info(uint64_t index, uint64_t buffer, uint64_t a2, uint64_t a3)
{
	uint64_t *out = (uint64_t *)(uintptr_t)buffer;

	(void)index;
	if (a2 | a3 | (buffer & 7) || !hal_memory_writable(buffer, POWER_STATES * sizeof *out))
		return (struct pal_ret){.status = PAL_INVALID_ARGUMENT};
	out[0] = POWER_IMPLEMENTED | POWER_COHERENT;
	for (unsigned i = 1; i < POWER_STATES; i++)
		out[i] = 0;
	return (struct pal_ret){.status = PAL_SUCCESS};
}
