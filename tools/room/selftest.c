// SPDX-License-Identifier: BSD-2-Clause
// The example PMU's description for the shared self test (pmu/selftest/README.md), and its own
// checks.

#include "hal.h"
#include "regs.h"
#include "selftest.h"

SELFTEST_REGISTERS(EXAMPLE_REGISTERS, SELFTEST_NUMBERED)

static const struct selftest_counters counters[] = {
	{.count = EXAMPLE_COUNTERS, .event = "RETIRED", .exact = true, .cycles = "CYCLES",
	 .interrupt = FIELD(SELECT, INT)},
};

// A counter takes a value of its full width.
static uint64_t write_takes_all_bits(unsigned counter)
{
	return selftest_written(counter, FIELD(COUNTER, COUNT));
}

static const struct selftest_case cases[] = {
	{"width: #", FIELD_MASK(0, EXAMPLE_COUNTERS), FIELD(COUNTER, COUNT),
	 .run = write_takes_all_bits},
};

extern const struct pmu_driver pmu_driver_example;

const struct selftest_suite selftest_suite_example = {
	.driver = &pmu_driver_example,
	SELFTEST_LIST(registers),
	.has = SELFTEST_GLOBAL | SELFTEST_LEVELS | SELFTEST_INTERRUPTS | SELFTEST_HALTS,
	SELFTEST_LIST(counters),
	.enable = ADDRESS_ENABLE,
	.status = ADDRESS_STATUS,
	.clear = ADDRESS_CLEAR,
	.sessions = {
		[SELFTEST_OVERFLOWING] = "CYCLES,RETIRED:period=1000,CYCLES:period=1000",
		[SELFTEST_AT_USER] = "RETIRED:u,RETIRED:u:period=1000",
		[SELFTEST_STORM] = "RETIRED,RETIRED:period=50",
	},
	SELFTEST_LIST(cases),
};
