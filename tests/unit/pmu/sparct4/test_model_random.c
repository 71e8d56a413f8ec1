// SPDX-License-Identifier: BSD-2-Clause
// Random programs on the SPARC T4 model.

#include "steps.h"

#include "../random_programs.h"

// Groups of precise events and of others, of conditions and of events of all strands, and some that
// count nothing (0, 12, 27, 30). The counts in a store's own cycles depend on its value:
// test_model_stores.c.
static const struct random_programs programs = {
	.codes = {3, 3, 3, 3, 26, 28, 28, 8, 9, 9, 18, 20, 24, 1, 25, 0, 12, 27, 30},
	.code_count = 19,
	.subs = {1, 2, 3, 0x3F, 0x3F, 0x3F, UNKNOWN, 0x7F, 0x14}, .sub_count = 9,
	.often = {{PCR0, INSTR_ALL | UT | ST | TOE}, {PCR0 + 1, EVENT(CYCLES, 0) | ALL | TOE},
		  {PCR0 + 2, EVENT(COMMITS, 3) | ALL | TOE}, {PIC0 + 2, 0xFFFFFFFE}, {PCR0 + 3, 0}},
	.often_count = 5, .write_cycles = 1,
};

int main(void)
{
	const struct CMUnitTest tests[] = {RANDOM_PROGRAMS};

	return cmocka_run_group_tests_name("sparct4 model: random programs", tests, find_model,
					   release_model);
}
