// SPDX-License-Identifier: BSD-2-Clause
// Checks of the Oracle SPARC T4.

#include "regs.h"
#include "selftest.h"

extern const struct pmu_driver pmu_driver_sparct4;

const struct selftest_suite selftest_suite_sparct4 = {
	.driver = &pmu_driver_sparct4,
};
