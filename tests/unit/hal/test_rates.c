// SPDX-License-Identifier: BSD-2-Clause
// The pipeline with Nehalem's micro-ops against a second source: latency and reciprocal throughput
// of single instructions differ by one cycle at most (tests/vectors/nehalem-rates.tab). The
// instructions of the table's rows, 16 bytes each, are in the file RATES_CODE.

#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../hal/emu/qemu/x86/uops.h"

#define ROWS_MOST	400
#define COPIES		400
#define SLOT		16

static struct processor processor;
static struct pipeline pipeline;

// Returns the cycles of each of many copies of an instruction. `chained`: each waits for the
// results of the one before.
static double rate(const struct pipeline_instruction *i, bool chained)
{
	const uint64_t internal = 3ULL << 42;	// the loaded operand, and the result to store
	struct pipeline_instruction copy = *i;
	struct pipeline_run run = {
		.instruction = &copy, .address = 0x1000,
		.load = {{.address = 0x100000, .size = 4, .latency = 4}}, .loads = 1,
		.store = {{
			  .address = chained ? 0x100000 : 0x200800, .size = 16}}, .stores = 1,
	};
	uint64_t first = 0, last = 0;

	for (unsigned n = 0; n < copy.count && !chained; n++)
		copy.uop[n].reads &= internal;
	if (!chained)
		copy.read_16 = copy.read_32 = copy.flags_read = 0;
	pipeline_begin(&pipeline, &processor);
	for (unsigned n = 0; n < 2 * COPIES; n++) {
		run.next = run.address + copy.length;
		last = pipeline_add(&pipeline, &run);
		run.address = run.next;
		first = n == COPIES - 1 ? last : first;
		while (pipeline_take(&pipeline))
			;
	}
	return (double)(last - first) / COPIES;
}

// Returns whether the model's number is the source's, within a cycle.
static bool agrees(const char *text, const char *what, double source, double model)
{
	const bool same = fabs(model - source) <= 1.0;

	printf("# %-34s %-10s %6.2f %6.2f%s\n", text, what, source, model, same ? "" : "  <--");
	return same;
}

static void instructions_take_the_cycles_that_were_measured(void **state)
{
	static uint8_t code[ROWS_MOST][SLOT];
	FILE *file = fopen(RATES_CODE, "rb");
	FILE *table = fopen("tests/vectors/nehalem-rates.tab", "r");
	static const struct processor_needs none;
	unsigned row = 0, unlike = 0, compared = 0;
	char line[256], *rest;

	(void)state;
	assert_non_null(file);
	assert_non_null(table);
	assert_true(fread(code, SLOT, ROWS_MOST, file) > 0);
	assert_true(processor_load(&processor, "nehalem", &none));
	while (fgets(line, sizeof line, table)) {
		const char *text = strtok_r(line, "\t", &rest), *latency, *throughput;
		struct pipeline_instruction i;
		struct classes is;
		double cycles;

		if (*text == '#')
			continue;
		latency = strtok_r(NULL, "\t", &rest);
		throughput = strtok_r(NULL, "\t", &rest);
		is = classify(code[row], SLOT, 64);
		if (!uops_split(&processor, code[row++], SLOT, 64, &is, &i))
			printf("# %s: there is no row\n", text);
		cycles = strtod(throughput, NULL);
		compared++;
		unlike += (*latency != '-' &&
			   !agrees(text, "latency", strtod(latency, NULL), rate(&i, true))) ||
			(*throughput != '-' &&
			 !agrees(text, "throughput", cycles,
				 rate(&i, *latency != '-' &&
				      fabs(cycles - strtod(latency, NULL)) < 0.1)));
	}
	printf("# %u instructions compared, %u differ\n", compared, unlike);
	assert_int_equal(unlike, 0);
	fclose(table);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_take_the_cycles_that_were_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
