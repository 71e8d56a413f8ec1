/* SPDX-License-Identifier: BSD-2-Clause */
/* What a guest's PMU is to count, in the terms of the architectural one that the guest knows (SDM volume 4, Table
 * 2-2). */
#ifndef GUEST_COUNTS_H
#define GUEST_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu.h"

/* Whether a register says what counts. */
bool counts_is_control(uint32_t msr);

/* Whether it is one of the PMU's. */
bool counts_is_register(uint32_t msr);

/* Whether a counter counts: enabled by itself, at some level, and globally. */
bool counts_any(struct vpmu *vpmu);

/* Whether an enabled counter selects edges of what it counts. */
bool counts_edges(struct vpmu *vpmu);

#endif
