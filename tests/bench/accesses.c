// SPDX-License-Identifier: BSD-2-Clause
// How often the runtime accesses PMU registers and the interrupt controller: exact, and limited by
// the list in pmu/DECISIONS.md (tests/unit/pmu/test_accesses.c).
//
// make bench-host

#include "accesses.h"

static void print(const char *target, enum access_path path, unsigned counters)
{
	struct shim_accesses found;

	if (!accesses_measure(target, path, counters, &found))
		return;
	printf("%s, %s, %u counters\t%u + %u\tregisters + interrupt controller\t\n", target,
	       access_paths[path], counters, (unsigned)found.registers, (unsigned)found.controller);
}

int main(void)
{
	static const char *const targets[] = {"nehalem", "knc", "sparct4", "itanium"};
	static const unsigned counters[] = {4, 2, 4, 4};

	for (unsigned i = 0; i < sizeof targets / sizeof *targets; i++)
		for (enum access_path path = 0; path < ACCESS_PATHS; path++)
			print(targets[i], path, path == ACCESS_START ||
			      path == ACCESS_STOP ? counters[i] : 1);
	return 0;
}
