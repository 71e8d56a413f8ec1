// SPDX-License-Identifier: BSD-2-Clause
// Random programs on the uncore model.

#include "steps.h"

#include "../random_programs.h"

// Signals: entries that enter and leave queues, events that are counted, and the clock.
static const struct random_programs programs = {
	.codes = {0x00, 0x01, 0x02, 0x03, 0x03, 0x03 | OUT, 0x20, 0x20 | OUT, 0x2C, 0x2D, 0x2F,
		  CLOCK},
	.code_count = 12,
	.subs = {1, 1, 2, 3, 4, 7, 0x10}, .sub_count = 7,
	.often = {{GLOBAL_CTRL, ALL_BITS | CORES(1)}, {GLOBAL_CTRL, ALL_BITS | CORES(3) | PMI_FRZ},
		  {GLOBAL_OVF_CTRL, ALL_BITS}, {FIXED_CTR_CTRL, 5}},
	.often_count = 4, .write_cycles = 100,
};

int main(void)
{
	const struct CMUnitTest tests[] = {RANDOM_PROGRAMS};

	return cmocka_run_group_tests_name("nehalem-uncore model: random programs", tests,
					   find_model, release_model);
}
