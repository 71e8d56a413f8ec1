// SPDX-License-Identifier: BSD-2-Clause
// References of one core, for tests/bench/references: alternately two loads, a fetch and a store,
// one line each, through this much memory in order, repeatedly.
//
// usage: references PROCESSOR KILOBYTES REFERENCES

#include <stdio.h>
#include <stdlib.h>

#include "../../hal/emu/model/memory.h"

static unsigned long happened;

static void count(void *context, unsigned core, enum cpu_event what, uint64_t address)
{
	(void)context, (void)core, (void)what, (void)address;
	happened++;
}

static bool no_tables(void *context, uint64_t address, uint64_t *entry)
{
	(void)context, (void)address, (void)entry;
	return false;
}

int main(int argc, char **argv)
{
	static const enum access accesses[] = {ACCESS_LOAD, ACCESS_LOAD, ACCESS_FETCH,
					       ACCESS_STORE};
	static const struct processor_needs none;
	struct processor processor;
	struct memory *memory;
	unsigned long bytes, references;

	if (argc != 4 || !processor_load(&processor, argv[1], &none))
		return 2;
	bytes = strtoul(argv[2], NULL, 10) << 10;
	references = strtoul(argv[3], NULL, 10);
	memory = memory_make(&processor, 1, 1, count, no_tables, NULL);
	if (!memory)
		return 2;
	for (unsigned long i = 0; i < references; i++) {
		const uint64_t at = i * 64 % bytes;

		memory_refer(memory, &(struct reference){
			.access = accesses[i % 4], .ip = i % 4, .linear = at, .physical = at,
			.size = 8,
		});
	}
	printf("%lu\n", happened);
	free(memory);
	return 0;
}
