// SPDX-License-Identifier: BSD-2-Clause
// Drains a full ring: the overflow interrupt that finds it full removes samples. Linked only if a
// program uses it.

#include "pmu_unit.h"

// Removes no more samples than necessary, to keep the interrupt short.
static bool take_out(struct pmu_cpu *cpu, unsigned words)
{
	uint64_t payload[PMU_PAYLOAD_WORDS];
	struct pmu_sample sample;

	if (cpu->taking)
		return false;
	do {
		if (pmu_take_sample_with_payload(&sample, payload)) {
			cpu->taking = true;
			cpu->take(&sample, payload);
			cpu->taking = false;
		}
	} while (!pmu_ring_has_room(&cpu->ring, words));
	return true;
}

void pmu_drain(pmu_take_function *take)
{
	struct pmu_cpu *cpu = pmu_this_cpu();

	cpu->take = take;
	cpu->take_out = take ? take_out : NULL;
}
