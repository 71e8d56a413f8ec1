// SPDX-License-Identifier: BSD-2-Clause
// SKELETON, to be replaced whole.
#include "selftest.h"
extern const struct pmu_driver pmu_driver_itanium;
static const struct selftest_register registers[1];
static const struct selftest_check checks[1];
const struct selftest_suite selftest_suite_itanium = {&pmu_driver_itanium, registers, 0, checks, 0};
