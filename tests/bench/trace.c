// SPDX-License-Identifier: BSD-2-Clause
// How many lines of a binary trace `palmon stat` reads in a second: writes a trace of so many lines, has it counted
// some times, and prints the best. Lines/s by processor time and by the clock.
//
// usage: trace PALMON TARGET EVENT[,EVENT...] [MILLION-LINES]

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace.h"

#define RUNS		3
#define MILLION		1000000.0
#define CODES		4	/* different events, one after the other */

static const uint16_t codes[CODES] = {0x12, 0x08, 0x6C, 0x3C};

// Instructions of a loop, some of them loads; each a line of its own.
static void fill(struct trace_batch *batch, uint64_t *cycle)
{
	for (batch->count = 0; batch->count < TRACE_BATCH; batch->count++) {
		uint64_t i = (*cycle)++;

		batch->start[batch->count] = i;
		batch->end[batch->count] = i + 1;
		batch->occurrence[batch->count] = (struct occurrence){
			.code = codes[i % CODES], .n = 1 + (uint32_t)(i % 7 == 0), .ip = 0x4000 + 16 * (i % 64),
			.level = 3 * (i / 4096 % 2),
		};
	}
}

static bool write_trace(FILE *file, uint64_t lines)
{
	static struct trace_batch batch;
	struct trace_writer writer;
	uint64_t cycle = 0;

	if (!trace_write_start(&writer, file))
		return false;
	while (writer.records < lines) {
		fill(&batch, &cycle);
		if (!trace_write(&writer, &batch))
			return false;
	}
	return trace_write_end(&writer);
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / MILLION;
}

// Runs the command once. Negative: it failed.
static double run(char **argv, double *elapsed)
{
	struct timespec start, end;
	struct rusage usage;
	int status;
	pid_t child;

	clock_gettime(CLOCK_MONOTONIC, &start);
	child = fork();
	if (child == 0) {
		if (!freopen("/dev/null", "w", stdout))
			_exit(1);
		execv(argv[0], argv);
		_exit(1);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &end);
	*elapsed = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
	return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/palmon-bench.XXXXXX";
	double best = 0, best_elapsed = 0;
	int fd = argc > 3 ? mkstemp(path) : -1;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	uint64_t lines = (uint64_t)(MILLION * (argc > 4 ? atof(argv[4]) : 20));
	bool ok = file && write_trace(file, lines);

	for (int i = 0; ok && i < RUNS; i++) {
		char *command[] = {argv[1], "stat", "-t", argv[2], "-e", argv[3], "--trace", path, NULL};
		double elapsed = 0, used = run(command, &elapsed);

		ok = used > 0;
		if (!best || used < best) {
			best = used;
			best_elapsed = elapsed;
		}
	}
	if (file)
		unlink(path);
	if (!ok) {
		fprintf(stderr, "usage: trace PALMON TARGET EVENT[,EVENT...] [MILLION-LINES]\n");
		return 1;
	}
	printf("%s %s: %.1f million lines a second of processor time, %.1f by the clock\n", argv[2], argv[3],
	       (double)lines / MILLION / best, (double)lines / MILLION / best_elapsed);
	return 0;
}
