// SPDX-License-Identifier: BSD-2-Clause
// SKELETON, to be replaced whole.

#include "selftest.h"

static struct selftest_result nothing(unsigned p) { (void)p; return selftest_compare(0, 0); }
static const struct selftest_check checks[] = {{"nothing yet", nothing, 0}};
extern const struct pmu_driver pmu_driver_knc;
const struct selftest_suite selftest_suite_knc = {
	.driver = &pmu_driver_knc, .checks = checks, .check_count = 1,
	.sessions = {"INSTRUCTIONS_EXECUTED", "INSTRUCTIONS_EXECUTED:u", "INSTRUCTIONS_EXECUTED", false},
};
