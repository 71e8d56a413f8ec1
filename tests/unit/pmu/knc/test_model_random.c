// SPDX-License-Identifier: BSD-2-Clause
// Random programs on the Knights Corner model.

#include "steps.h"

#include "../random_programs.h"

// Events of each unit, one for counter 0 only (10H C8H), one of no thread (10H E6H), and two that
// do not exist (55H; 10H 16H).
static const struct random_programs programs = {
	.codes = {INSTRUCTIONS, INSTRUCTIONS, CYCLES, DATA_READ, 0xF0, 0xC8, 0x55, 0xE6},
	.code_count = 8,
	.subs = {0x10, 0x20}, .sub_count = 2,
	.often = {{GLOBAL, 3}, {OVF_CTRL, 3}, {OVF_CTRL, 3}, {SPFLT, 0},
		  {SEL0, INSTRUCTIONS | ON | INT}},
	.often_count = 5,
	.write_cycles = 100,
};

int main(void)
{
	const struct CMUnitTest tests[] = {RANDOM_PROGRAMS};

	return cmocka_run_group_tests_name("knc model: random programs", tests, find_model,
					   release_model);
}
