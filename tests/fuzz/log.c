// SPDX-License-Identifier: BSD-2-Clause
// Logs of consoles: for any lines, `palmon fetch` ends with status 0 or 1, and so does `palmon
// report` of the files that it has written. A line of the input that begins with '#' gets the sign
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

#define FIRST	"#{\"palmon_samples\":1,\"target\":\"nehalem\",\"backend\":\"b\",\"cpus\":2," \
		"\"build_id\":\"0123\",\"events\":["
#define EVENTS	"{\"event\":\"INST_RETIRED.ANY_P:period=100\",\"period\":100}," \
		"{\"event\":\"UNC_CLK_UNHALTED:period=9\",\"period\":9," \
		"\"target\":\"nehalem-uncore\"}]}\n"
#define SAMPLE	"#{\"event\":0,\"ip\":\"0x4000\",\"clock\":5,\"count\":100,\"level\":3,\"cpu\":1}\n"
#define COUNT	"{\"count\":1000,\"samples\":2,\"rest\":800,\"throttled\":false}"
#define END	"#{\"end\":true,\"cycles\":7,\"dropped\":0,\"events\":[" COUNT "," COUNT "]}\n"

const char fuzz_name[] = "the reader of consoles' logs";
const unsigned fuzz_inputs = 1000;
const struct fuzz_word fuzz_words[] = {
	FUZZ_WORD(FIRST EVENTS), FUZZ_WORD(FIRST "]}\n"), FUZZ_WORD(EVENTS), FUZZ_WORD(SAMPLE),
	FUZZ_WORD(END),
	FUZZ_WORD(FIRST EVENTS SAMPLE END), FUZZ_WORD("#{\"end\":"), FUZZ_WORD("\n"),
	FUZZ_WORD(COUNT),
	FUZZ_WORD("#{\"counter-value\":2100,\"unit\":\"\",\"event\":\"INST_RETIRED.ANY_P\","
		  "\"event-runtime\":7}\n"),
	FUZZ_WORD("#{\"event\":\"CPI\",\"metric-value\":null,\"metric-unit\":\"cycles\","
		  "\"runs\":1}\n"),
	FUZZ_WORD("#{\"symbol\":\"name\",\"address\":\"0x4000\",\"end\":\"0x4100\"}\n"),
	FUZZ_WORD("\"times\":9"),
	FUZZ_WORD(",\"payload\":[\"0x1\",\"0xffffffffffffffff\"]"),
	FUZZ_WORD(" 9223372036854775807"), FUZZ_WORD("@{5 nothing} 00000000\n"), FUZZ_WORD(" "),
};
const size_t fuzz_word_count = sizeof fuzz_words / sizeof *fuzz_words;

static char folder[] = "/tmp/palmon-fuzz-XXXXXX";

static void remove_folder(void)
{
	static const char *const files[] = {"log", "run/samples", "run/counts.json", "run/symbols",
					    "run", ""};
	char path[64];

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, files[i]);
		remove(path);
	}
}

static void put_line(FILE *log, const char *line, size_t length, uLong *checksum)
{
	if (!length || *line != '#') {
		fwrite(line, 1, length, log);
		fputc('\n', log);
		return;
	}
	*checksum = crc32(*checksum, (const Bytef *)line + 1, (uInt)length - 1);
	fprintf(log, "@%.*s %08lx\n", (int)length - 1, line + 1, *checksum);
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
	uLong checksum = 0;
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
		put_line(log, at, (size_t)(line - at), &checksum);
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
