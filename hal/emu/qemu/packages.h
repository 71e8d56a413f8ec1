/* SPDX-License-Identifier: BSD-2-Clause */
/* With the timed clock: events of packages, each in its cycle. All packages' PMUs share one clock,
 * that of the executing CPU. */
#ifndef QEMU_PACKAGES_H
#define QEMU_PACKAGES_H

#include <stdint.h>

#include "cpu_event.h"
#include "vpmu.h"

/* Registers a package's PMU. `count`: number of packages in the machine. */
void packages_start(unsigned number, struct vpmu_package *package, unsigned count);

/* Adds an event of a package, `later` cycles from now. `passed`: cycles of the executing CPU that
 * it has not yet reported to the package. */
void packages_at(unsigned number, enum cpu_event what, uint64_t address, uint64_t passed,
		 uint64_t later);

/* Call after a reset of the package's PMU. */
void packages_reset(struct vpmu_package *package);

/* Advances the PMUs of all packages to the cycle of the most advanced one. */
void packages_follow(void);

#endif
