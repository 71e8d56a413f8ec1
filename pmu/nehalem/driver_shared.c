// SPDX-License-Identifier: BSD-2-Clause
// The core's part in interrupts of the uncore's PMU.

#include "driver.h"
#include "field.h"
#include "hal.h"
#include "regs.h"

// Sets whether the uncore's overflows interrupt this thread.
bool nehalem_listen(bool on)
{
	const uint64_t bit = FIELD(IA32_DEBUGCTL, UNCORE_PMI_EN);

	return nehalem_change(MSR_IA32_DEBUGCTL, bit, on ? bit : 0);
}
