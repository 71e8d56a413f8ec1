// SPDX-License-Identifier: BSD-2-Clause
// Samples with the callers of the interrupted code. This handler runs before the ordinary overflow
// handler, which is unchanged. Linked only if a program uses it.

#include "callers.h"
#include "pmu_unit.h"

struct calls {
	pmu_take_function *take;
	hal_function_start *function_start;
	unsigned most;
	unsigned count;			/* number of callers of the code that the last interrupt
					 * interrupted */
	unsigned level;			/* privilege level interrupted by the last interrupt, or by
					 * the current one */
	uint64_t ip;			/* address interrupted by the last interrupt */
	uint64_t caller[PMU_CALLERS];
};

static struct calls cpus[HAL_CPUS];

// All work is done before the ordinary handler, where most hardware has frozen the counters. The
// samples of the last interrupt are still in the ring; they have the same callers. The storm check
// includes this time.
static void interrupt(uint64_t ip, unsigned level)
{
	struct calls *calls = &cpus[hal_cpu()];
	struct pmu_cpu *cpu = pmu_this_cpu();
	uint64_t words[PMU_PAYLOAD_WORDS];
	const uint64_t start = hal_clock();
	struct pmu_sample sample;

	calls->level = level;
	while (pmu_take_sample_with_payload(&sample, words))
		calls->take(&sample, words);
	calls->ip = ip;
	calls->count = calls->most ? hal_callers(ip, level, calls->function_start, calls->caller,
						 calls->most) : 0;
	cpu->handler_clocks += (uint32_t)hal_clock() - (uint32_t)start;
	cpu->driver->signal->interrupt(ip, level);
}

void pmu_follow_calls(pmu_take_function *take, hal_function_start *function_start, unsigned most)
{
	cpus[hal_cpu()] = (struct calls){.take = take, .function_start = function_start,
					 .most = most};
	hal_pmi_follow(interrupt);
}

unsigned pmu_interrupted_level(void)
{
	return cpus[hal_cpu()].level;
}

unsigned pmu_callers(const struct pmu_sample *sample, const uint64_t **callers)
{
	const struct calls *calls = &cpus[hal_cpu()];

	*callers = calls->caller;
	return sample->ip == calls->ip ? calls->count : 0;
}
