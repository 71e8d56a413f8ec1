/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and clears the hardware's captures. */
#ifndef MODEL_CAPTURE_H
#define MODEL_CAPTURE_H

#include "steps.h"

static inline void clear_captured(void)
{
	for (uint32_t n = 0; n < 18; n++)
		if (n < 4 || n > 7)
			put(PMD + n, 0);
}

static inline uint64_t frozen_get(uint32_t address)
{
	uint64_t value;

	put(PMC + 0, FR);
	value = get(address);
	put(PMC + 0, 0);
	return value;
}

#endif
