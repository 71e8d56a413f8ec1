/* SPDX-License-Identifier: BSD-2-Clause */
/* For drivers of PMUs without global registers (shape->by_value): the control registers alone
 * enable counters, and no register has an overflow status. A counter is armed in the upper half of
 * its range, so it has overflowed if it is in the lower half. `enable`: the bit of each control
 * register that enables its counter. All return false if a register access faulted. */
#ifndef BY_SELECT_H
#define BY_SELECT_H

#include "pmu_driver.h"

/* Enables exactly these counters; their control registers keep all other bits. */
bool pmu_enable_by_select(const struct pmu_driver *driver, uint64_t enable, uint64_t counters);

/* Reads which counters are enabled. */
bool pmu_enabled_by_select(const struct pmu_driver *driver, uint64_t enable, uint64_t *counters);

/* Reads which counters of running sessions have overflowed. */
bool pmu_overflowed_by_value(const struct pmu_driver *driver, uint64_t *overflowed);

#endif
