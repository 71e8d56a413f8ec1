/* SPDX-License-Identifier: BSD-2-Clause */
/* By the timed clock: what happens in the packages, each in its cycle. All packages' PMUs have one clock, which is
 * that of whichever CPU executes. */
#ifndef QEMU_PACKAGES_H
#define QEMU_PACKAGES_H

#include <stdint.h>

#include "happening.h"
#include "vpmu.h"

/* The package has this PMU. `count`: the machine has so many packages. */
void packages_start(unsigned number, struct vpmu_package *package, unsigned count);

/* Something happens in a package, `later` by so many cycles. `passed`: cycles of the CPU that executes which it has not
 * handed on to the package. */
void packages_at(unsigned number, enum happening what, uint64_t address, uint64_t passed, uint64_t later);

/* The package's PMU has been reset. */
void packages_reset(struct vpmu_package *package);

/* Lets all packages' PMUs pass what has passed for one. */
void packages_follow(void);

#endif
