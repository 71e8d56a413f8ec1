// SPDX-License-Identifier: BSD-2-Clause
// Passes the references that valgrind's lackey traces, from the standard input, to the machine
// model, and prints the same numbers as cachegrind prints of the program: references and misses of
// instructions, loads, stores, by level.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../hal/emu/model/package.h"

enum kind { INSTRUCTION, READ, WRITE, KINDS };
static const char *const names[] = {"I", "D read", "D write"};

static struct package package;

static void ignore(void *context, unsigned core, enum cpu_event what, uint64_t address)
{
	(void)context, (void)core, (void)what, (void)address;
}

// A reference misses a level if one of its lines does.
static enum supplier refer(enum access access, uint64_t address, unsigned size)
{
	enum supplier farthest = SUPPLIER_L1;

	for (uint64_t line = address >> 6; line <= (address + size - 1) >> 6; line++) {
		const enum supplier supplier = package_access(&package, 0, access, line << 6);

		farthest = supplier > farthest ? supplier : farthest;
	}
	return farthest;
}

int main(int argc, char **argv)
{
	static const struct processor_needs none;
	unsigned long count[KINDS][3] = {0};	/* all references; L1 misses; L2 misses */
	struct processor processor;
	struct cache_line *lines;
	char text[100], letter;
	uint64_t address;
	unsigned size;

	if (argc != 2 || !processor_load(&processor, argv[1], &none))
		return 2;
	lines = calloc(package_lines(&processor, 1), sizeof *lines);
	if (!lines)
		return 2;
	package_begin(&package, &processor, 1, lines, ignore, NULL);
	while (fgets(text, sizeof text, stdin)) {
		enum supplier supplier;
		enum kind kind;

		if (sscanf(text, " %c %" SCNx64 ",%u", &letter, &address, &size) != 3 ||
		    !strchr("ILSM", letter))
			continue;
		kind = letter == 'I' ? INSTRUCTION : letter == 'S' ? WRITE : READ;
		supplier = refer(letter == 'I' ? ACCESS_FETCH : letter == 'L' ? ACCESS_LOAD :
				 ACCESS_STORE, address, size);
		count[kind][0]++;
		count[kind][1] += supplier > SUPPLIER_L1;
		count[kind][2] += supplier > SUPPLIER_L2;
	}
	for (unsigned i = 0; i < KINDS; i++)
		printf("%s: %lu references, %lu miss L1, %lu miss L2\n", names[i], count[i][0],
		       count[i][1], count[i][2]);
	free(lines);
	return 0;
}
