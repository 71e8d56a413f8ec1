// SPDX-License-Identifier: BSD-2-Clause
// Checks of the Oracle SPARC T4 memory controllers.

#include "regs.h"
#include "selftest.h"

extern const struct pmu_driver pmu_driver_sparct4_dram;

const struct selftest_suite selftest_suite_sparct4_dram = {
	.driver = &pmu_driver_sparct4_dram,
};
