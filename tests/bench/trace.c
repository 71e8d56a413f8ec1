// SPDX-License-Identifier: BSD-2-Clause
// Lines of a trace that `palmon stat` reads per second of processor time: the best of some
// runs.

#define _GNU_SOURCE
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace.h"

#define RUNS		3
#define MILLION		1000000
#define LINES		(10 * MILLION)
#define CODES		4	/* consecutive different events */
#define PALMON		"/../../palmon"		/* from this program's folder */

static const uint16_t codes[CODES] = {0x12, 0x08, 0x6C, 0x3C};

// Instructions of a loop, some of them loads, one per line.
static void fill(struct trace_batch *batch, uint64_t *cycle)
{
	for (batch->count = 0; batch->count < TRACE_BATCH; batch->count++) {
		uint64_t i = (*cycle)++;

		batch->start[batch->count] = i;
		batch->end[batch->count] = i + 1;
		batch->occurrence[batch->count] = (struct occurrence){
			.code = codes[i % CODES], .n = 1 + (uint32_t)(i % 7 == 0),
			.ip = 0x4000 + 16 * (i % 64),
			.level = 3 * (i / 4096 % 2),
		};
	}
}

static bool write_trace(FILE *file)
{
	static struct trace_batch batch;
	uint64_t cycle = 0, end = 0;

	fprintf(file, "target=itanium\n");
	while (cycle < LINES) {
		fill(&batch, &cycle);
		if (!trace_print(file, &batch, &end))
			return false;
	}
	return fflush(file) == 0;
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

// Runs the command once. Returns seconds of processor time; negative if it failed.
static double run(char **argv)
{
	struct rusage usage;
	int status;
	pid_t child;


	fflush(stdout);
	child = fork();
	if (child == 0) {
		if (freopen("/dev/null", "w", stdout))
			execv(argv[0], argv);
		_exit(1);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status)
		return -1;
	return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

// Returns the best time of counting these events in the trace; negative if that failed.
static double measure(char *palmon, char *trace, char *events)
{
	char *command[] = {palmon, "stat", "-t", "itanium", "-e", events, "--trace", trace, NULL};
	double best = -1;

	for (int i = 0; i < RUNS; i++) {
		double seconds = run(command);

		if (seconds < 0)
			return -1;
		if (best < 0 || seconds < best)
			best = seconds;
	}
	return best;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		char *events;
	} cases[] = {
		{"palmon stat of a trace, 1 event", "CPU_CYCLES"},
		{"palmon stat of a trace, 4 events",
		 "CPU_CYCLES:ctr=6,IA64_INST_RETIRED,LOADS_RETIRED:ctr=5,MEMORY_CYCLE"},
	};
	char trace[] = "/tmp/palmon-bench.XXXXXX", palmon[4096];
	int fd = mkstemp(trace);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	bool ok = argc == 1 && file && write_trace(file);

	snprintf(palmon, sizeof palmon, "%s" PALMON, dirname(argv[0]));
	for (size_t i = 0; ok && i < sizeof cases / sizeof *cases; i++) {
		double seconds = measure(palmon, trace, cases[i].events);

		ok = seconds > 0;
		if (ok)
			printf("%s\t%.1f\tmillion lines/s\t8\n", cases[i].name,
			       LINES / seconds / MILLION);
	}
	if (file)
		unlink(trace);
	return !ok;
}
