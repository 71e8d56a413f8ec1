// SPDX-License-Identifier: BSD-2-Clause
// The fast paths access PMU registers and the interrupt controller exactly as often as the list in
// pmu/DECISIONS.md, "Accesses", states; the list gives the reasons.

#include "unit.h"

#include <string.h>

#include "../../bench/accesses.h"

#define ROWS	16

static void each_path_has_the_accesses_of_the_list(void **state)
{
	FILE *list = fopen("pmu/DECISIONS.md", "r");
	unsigned rows = 0;
	char line[400];

	(void)state;
	assert_non_null(list);
	while (fgets(line, sizeof line, list)) {
		unsigned counters, registers, controller;
		char target[20], path[20];
		struct shim_accesses found;

		if (sscanf(line, "| `%19[^`]` | %19[a-z] | %u | %u | %u |", target, path, &counters,
			   &registers, &controller) != 5)
			continue;
		for (enum access_path p = 0; p < ACCESS_PATHS; p++) {
			if (strcmp(path, access_paths[p]))
				continue;
			assert_true(accesses_measure(target, p, counters, &found));
			assert_int_equal(found.registers, registers);
			assert_int_equal(found.controller, controller);
			rows++;
		}
	}
	fclose(list);
	assert_int_equal(rows, ROWS);
}

int main(void)
{
	static const struct CMUnitTest tests[] =
		{cmocka_unit_test(each_path_has_the_accesses_of_the_list)};

	return cmocka_run_group_tests_name("accesses", tests, NULL, NULL);
}
