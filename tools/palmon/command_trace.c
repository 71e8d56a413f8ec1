// SPDX-License-Identifier: BSD-2-Clause
// palmon trace: converts a trace between its text and binary forms.

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "palmon.h"
#include "program.h"
#include "trace.h"

#define THREADS_MOST 256

static bool write_failed(const struct output *output)
{
	complain("%s: %s", output->path, strerror(errno));
	return false;
}

static bool write_text(struct trace *trace, FILE *file, const char *target, struct trace_batch *batch, int *got)
{
	uint64_t end = 0;
	bool ok = !*target || fprintf(file, "target=%s\n", target) > 0;

	for (; ok && *got > 0; *got = trace_lines(trace, batch))
		ok = trace_print(file, batch, &end);
	return ok;
}

static bool write_binary(struct trace *trace, FILE *file, const char *target, struct trace_batch *batch, int *got)
{
	struct trace_writer writer;
	bool ok = trace_write_start(&writer, file, target);

	for (; ok && *got > 0; *got = trace_lines(trace, batch))
		ok = trace_write(&writer, batch);
	return ok && (*got < 0 || trace_write_end(&writer));
}

// A trace names its target in its first lines, so they are read first. `target` (may be NULL) is
// the default.
static bool convert(struct trace *trace, struct output *output, bool text, const char *target)
{
	struct trace_batch *batch = malloc(sizeof *batch);
	int got = batch ? trace_lines(trace, batch) : 0;
	bool ok = batch;

	if (*trace_target(trace) || !target)
		target = trace_target(trace);
	if (ok && got >= 0)
		ok = (text ? write_text : write_binary)(trace, output->file, target, batch, &got);
	free(batch);
	if (got < 0)
		complain("%s", trace_error(trace));
	return ok ? got == 0 : write_failed(output);
}

// `target` NULL: not given.
static struct trace *open_file(const char *from, const char *target)
{
	struct trace *trace = trace_open(from, target ? pmu_model_find(target)->threads : THREADS_MOST);

	if (!trace)
		complain("%s: %s", from, strerror(errno));
	else if (target)
		trace_expect(trace, target);
	return trace;
}

static int write_trace(struct trace *trace, const char *to, bool text, const char *target)
{
	struct output output;
	bool ok = output_open(&output, to);

	// trace_write_end writes the length into the header, so the file must be seekable.
	if (ok && !text && ftello(output.file) < 0) {
		complain("a binary trace cannot be written to a pipe: -o FILE");
		output_abandon(&output);
		ok = false;
	}
	if (ok && !convert(trace, &output, text, target)) {
		output_abandon(&output);
		ok = false;
	} else if (ok) {
		ok = output_commit(&output);
	}
	trace_close(trace);
	return ok ? PALMON_DONE : PALMON_FAILED;
}

int command_trace(int argc, char **argv)
{
	static const struct option known[] = {
		{"output", required_argument, NULL, 'o'}, {"text", no_argument, NULL, 'x'},
		{"target", required_argument, NULL, 't'}, {0},
	};
	const char *to = NULL, *target = NULL;
	bool text = false;
	struct trace *trace;
	char **program;

	for (int option; (option = getopt_long(argc, argv, "o:t:", known, NULL)) != -1;) {
		bool taken = option == 'x';

		text |= taken;
		if (option == 'o')
			taken = take_once(&to, optarg, "-o");
		else if (option == 't')
			taken = take_once(&target, optarg, "-t");
		if (!taken)
			return usage_error();
	}
	program = optind < argc && !strcmp(argv[optind - 1], "--") ? argv + optind : NULL;
	if (!program && optind != argc - 1)
		complain("which trace? One FILE, - for standard input, or -- PROGRAM");
	else if (!to && !text)
		complain("where to? -o FILE is missing");
	else if ((target || program) && !find_target(target))
		return PALMON_USAGE;
	else {
		trace = program ? program_trace(find_target(target), program, NULL, 0, PROGRAM_ALONE, NULL) :
				  open_file(argv[optind], target);
		return trace ? write_trace(trace, to ? to : "-", text, target) : PALMON_FAILED;
	}
	return usage_error();
}
