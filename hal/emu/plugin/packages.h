/* SPDX-License-Identifier: BSD-2-Clause */
/* By the timed clock: what happens in the packages, each in its cycle. All packages' PMUs have one clock, which is
 * that of whichever CPU executes. */
#ifndef PLUGIN_PACKAGES_H
#define PLUGIN_PACKAGES_H

#include <stdint.h>

#include "happening.h"
#include "vpmu.h"

/* The package has this PMU. `count`: the machine has so many packages. */
void packages_start(unsigned number, struct vpmu_package *package, unsigned count);

/* Something happens in a package, in this cycle of the CPU that executes (timed.h), now or later. */
void packages_at(void *context, unsigned number, enum happening what, uint64_t address, uint64_t cycle);

/* Lets all packages' PMUs pass what has passed for one. */
void packages_follow(void);

#endif
