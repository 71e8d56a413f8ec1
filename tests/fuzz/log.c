// SPDX-License-Identifier: BSD-2-Clause
// Logs of consoles: for any lines, `palmon fetch` ends with status 0 or 1, and so does `palmon
// report` of the files that it has written. A line of the input that begins with '#' gets a number
// and the right checksum.

#define _GNU_SOURCE
#include "fuzz.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "palmon.h"

#define FIRST	"#run 1 nehalem 2 1 0123 backend\n"
#define EVENTS	FIRST "#event 0 nehalem 0 1 100 INST_RETIRED.ANY_P\n#event 1 nehalem-uncore 0 1 9 UNC_CLK_UNHALTED\n"
#define COUNTS	"#count 0 0 0 1000 2 800 0 2\n#count 0 1 0 1000 0 1000 0 0\n"

const char fuzz_name[] = "the reader of consoles' logs";
const unsigned fuzz_inputs = 1000;
const struct fuzz_word fuzz_words[] = {
	FUZZ_WORD(FIRST), FUZZ_WORD(EVENTS), FUZZ_WORD(EVENTS COUNTS), FUZZ_WORD(COUNTS),
	FUZZ_WORD(EVENTS COUNTS "#sample 0 1 3 4000 5 100\n#sample 0 0 3 4000 5 100 1 2 3\n#end\n"),
	FUZZ_WORD("#end\n"), FUZZ_WORD("#thread 0 0\n"), FUZZ_WORD("#clocks 0 1 77\n"), FUZZ_WORD("\n"),
	FUZZ_WORD("#interrupts 0 nehalem 1 2 3 4 5\n"), FUZZ_WORD("#metric 0 CPI 1.5 cycles/instruction\n"),
	FUZZ_WORD("#metric 1 CPI - cycles\n"), FUZZ_WORD("#symbol 4000 4100 name\n"), FUZZ_WORD("#others 0 0 4000 9\n"),
	FUZZ_WORD("#sample 0 0 3 4000 5 100"), FUZZ_WORD(" ffffffffffffffff"), FUZZ_WORD(" 9223372036854775807"),
	FUZZ_WORD("#event 127 nehalem 0 0 0 UOPS_RETIRED.ANY\n"), FUZZ_WORD("@5 nothing 00000000\n"), FUZZ_WORD(" "),
};
const size_t fuzz_word_count = sizeof fuzz_words / sizeof *fuzz_words;

static char folder[] = "/tmp/palmon-fuzz-XXXXXX";

static void remove_folder(void)
{
	static const char *const files[] = {"log", "run/samples", "run/counts.json", "run/symbols", "run", ""};
	char path[64];

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, files[i]);
		remove(path);
	}
}

static void put_line(FILE *log, const char *line, size_t length, unsigned *number)
{
	char text[65536];

	if (!length || *line != '#' || length >= sizeof text - 16) {
		fwrite(line, 1, length, log);
		fputc('\n', log);
		return;
	}
	length = (size_t)snprintf(text, sizeof text, "@%u %.*s", (*number)++, (int)length - 1, line + 1);
	fprintf(log, "%s %08lx\n", text, crc32(0, (const Bytef *)text, (uInt)length));
}

static int run(int (*command)(int, char **), char **argv)
{
	FILE *const out = stdout, *const messages = stderr;
	int argc = 0, status;

	while (argv[argc])
		argc++;
	stdout = fopen("/dev/null", "w");
	stderr = fopen("/dev/null", "w");
	FUZZ_REQUIRE(stdout && stderr);
	optind = 0;
	status = command(argc, argv);
	fclose(stdout);
	fclose(stderr);
	stdout = out;
	stderr = messages;
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data, *const end = at + size;
	char path[64], to[64];
	unsigned number = 0;
	FILE *log;
	int status;

	if (folder[strlen(folder) - 1] == 'X') {
		FUZZ_REQUIRE(mkdtemp(folder));
		atexit(remove_folder);
	}
	snprintf(path, sizeof path, "%s/log", folder);
	snprintf(to, sizeof to, "%s/run", folder);
	log = fopen(path, "w");
	FUZZ_REQUIRE(log);
	while (at < end) {
		const char *line = memchr(at, '\n', (size_t)(end - at));

		line = line ? line : end;
		put_line(log, at, (size_t)(line - at), &number);
		at = line + 1;
	}
	FUZZ_REQUIRE(fclose(log) == 0);
	status = run(command_fetch, (char *[]){"palmon fetch", "-o", to, path, NULL});
	FUZZ_REQUIRE(status == PALMON_DONE || status == PALMON_FAILED);
	if (status == PALMON_DONE) {
		status = run(command_report, (char *[]){"palmon report", "-i", to, NULL});
		FUZZ_REQUIRE(status == PALMON_DONE || status == PALMON_FAILED);
	}
	return 0;
}
