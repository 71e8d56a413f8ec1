// SPDX-License-Identifier: BSD-2-Clause
// Random programs on the model of the memory controllers' counters.

#include "steps.h"

#include "../random_programs.h"

static const struct random_programs programs = {
	.codes = {READ, READ, WRITE, BUSY, QUEUED_READS, QUEUED_WRITES, HIT, STARVES,
		  FIRST_RESERVED}, .code_count = 9,
	.subs = {0, 1, 2, 3, 4, 5, 6, 7}, .sub_count = 8,
	.write_cycles = 100, .polled = true,
};

int main(void)
{
	const struct CMUnitTest tests[] = {RANDOM_PROGRAMS};

	return cmocka_run_group_tests_name("sparct4-dram model: random programs", tests, find_model,
					   release_model);
}
