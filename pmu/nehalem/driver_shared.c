// SPDX-License-Identifier: BSD-2-Clause
// What the Core i7 / Xeon 5500 core does for the PMU that the cores share, the uncore's.

#include "driver.h"
#include "field.h"
#include "hal.h"
#include "regs.h"

// Whether the uncore's overflows interrupt this thread.
bool nehalem_listen(bool on)
{
	const uint64_t bit = FIELD(IA32_DEBUGCTL, UNCORE_PMI_EN);

	return nehalem_change(MSR_IA32_DEBUGCTL, bit, on ? bit : 0);
}
