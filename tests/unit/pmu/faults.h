/* SPDX-License-Identifier: BSD-2-Clause */
/* A model's faults: what a scenario shows on a PMU that works, and cannot show with the fault. */
#ifndef FAULTS_H
#define FAULTS_H

#include "device.h"

struct fault_scenario {
	const char *name;
	uint64_t (*scenario)(void);
	uint64_t healthy;	/* by the rules of the model's other tests */
};

/* `seed`: of the reset before each scenario. */
static inline void assert_faults_show(const struct fault_scenario *faults, size_t count, uint64_t seed)
{
	for (size_t i = 0; i < count; i++) {
		reset_with(-1, seed);
		assert_int_equal(faults[i].scenario(), faults[i].healthy);
		reset_with(fault_number(faults[i].name), seed);
		if (faults[i].scenario() == faults[i].healthy)
			fail_msg("fault '%s' does not show", faults[i].name);
	}
}

/* A fault may have several. */
static inline void assert_faults_have_scenarios(const struct fault_scenario *faults, size_t count)
{
	for (const char *const *name = vpmu_faults(model); *name; name++) {
		bool found = false;

		for (size_t i = 0; i < count; i++)
			found |= !strcmp(*name, faults[i].name);
		if (!found)
			fail_msg("fault '%s' has no scenario", *name);
	}
}

#endif
