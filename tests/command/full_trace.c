// SPDX-License-Identifier: BSD-2-Clause
// Prints the full trace of a program, each instruction separately, for program.t.
//
// usage: full_trace TARGET PROGRAM [ARGUMENT...]

#include <stdlib.h>

#include "palmon.h"
#include "program.h"
#include "trace.h"

int main(int argc, char **argv)
{
	const struct pmu_driver *driver = argc > 2 ? find_target(argv[1]) : NULL;
	struct trace *trace = driver ? program_trace(driver, argv + 2, NULL, 0, PROGRAM_ALONE,
						     NULL) : NULL;
	struct trace_batch *batch = malloc(sizeof *batch);
	uint64_t end = 0;
	int got = trace && batch ? trace_lines(trace, batch) : -1;

	if (got > 0)
		printf("target=%s\n", trace_target(trace));
	for (; got > 0; got = trace_lines(trace, batch))
		trace_print(stdout, batch, &end);
	return got < 0;
}
