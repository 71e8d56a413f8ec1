// SPDX-License-Identifier: BSD-2-Clause
// palmon trace: a trace in its other form, text or binary.

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "palmon.h"
#include "trace.h"

#define THREADS_MOST 256

static bool write_failed(const struct output *output)
{
	complain("%s: %s", output->path, strerror(errno));
	return false;
}

static bool convert(struct trace *trace, struct output *output, bool text)
{
	struct trace_batch *batch = malloc(sizeof *batch);
	struct trace_writer writer;
	uint64_t end = 0;
	bool ok = batch && (text || trace_write_start(&writer, output->file));
	int got = 0;

	while (ok && (got = trace_lines(trace, batch)) > 0)
		ok = text ? trace_print(output->file, batch, &end) : trace_write(&writer, batch);
	if (ok && got == 0 && !text)
		ok = trace_write_end(&writer);
	free(batch);
	if (got < 0)
		fprintf(stderr, "%s\n", trace_error(trace));
	return ok ? got == 0 : write_failed(output);
}

static int convert_file(const char *from, const char *to, bool text)
{
	struct trace *trace = trace_open(from, THREADS_MOST);
	struct output output;
	bool ok;

	if (!trace) {
		complain("%s: %s", from, strerror(errno));
		return PALMON_FAILED;
	}
	ok = output_open(&output, to);
	// Its length is written at its beginning, in the end.
	if (ok && !text && ftello(output.file) < 0) {
		complain("a binary trace cannot be written to a pipe: -o FILE");
		output_abandon(&output);
		ok = false;
	}
	if (ok && !convert(trace, &output, text)) {
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
		{"output", required_argument, NULL, 'o'}, {"text", no_argument, NULL, 'x'}, {0},
	};
	const char *to = NULL;
	bool text = false;

	for (int option; (option = getopt_long(argc, argv, "o:", known, NULL)) != -1;) {
		if (option == 'o')
			to = optarg;
		else if (option == 'x')
			text = true;
		else
			return usage_error();
	}
	if (optind != argc - 1)
		complain("which trace? One FILE, or - for standard input");
	else if (!to && !text)
		complain("where to? -o FILE is missing");
	else
		return convert_file(argv[optind], to ? to : "-", text);
	return usage_error();
}
