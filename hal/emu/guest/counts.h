/* SPDX-License-Identifier: BSD-2-Clause */
/* What the guest's PMU is programmed to count, by the registers of the architectural PMU (SDM volume 4, Table 2-2). */
#ifndef GUEST_COUNTS_H
#define GUEST_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "calls.h"

#define COUNTS_COUNTER		0x0C1u
#define COUNTS_COUNTERS_MOST	8
#define COUNTS_SELECT		0x186u
#define COUNTS_SELECTS_MOST	32
#define COUNTS_FIXED_CONTROL	0x38Du
#define COUNTS_GLOBAL_CONTROL	0x38Fu
#define COUNTS_LAST		0x3FFu	/* of the PMU's that begin with the selects */
#define COUNTS_MISC_ENABLE	0x1A0u	/* among them, and not the PMU's */

/* Whether a register controls counting: a select, fixed control, or global control. */
static inline bool counts_is_control(uint32_t msr)
{
	return msr - COUNTS_SELECT < COUNTS_SELECTS_MOST || msr == COUNTS_FIXED_CONTROL || msr == COUNTS_GLOBAL_CONTROL;
}

/* Whether a register is one of the PMU's. */
static inline bool counts_is_register(uint32_t msr)
{
	return (msr - COUNTS_SELECT <= COUNTS_LAST - COUNTS_SELECT && msr != COUNTS_MISC_ENABLE) ||
	       msr - COUNTS_COUNTER < COUNTS_COUNTERS_MOST;
}

/* Whether any counter counts: enabled by its own bit, for some level, and globally. */
bool counts_any(struct svm_pmu *pmu);

/* Whether an enabled counter detects edges. */
bool counts_edges(struct svm_pmu *pmu);

#endif
