// SPDX-License-Identifier: BSD-2-Clause
// Files of samples: for any contents, each view of `palmon report` ends with status 0 or 1, and its
// JSON is valid.

#define _GNU_SOURCE
#include "command.h"

#define HEADER(target, events) \
	"{\"palmon_samples\":1,\"target\":\"" target "\",\"trace\":\"t\",\"events\":[" events "]}\n"
#define EVENT(event)	"{\"event\":\"" event "\",\"period\":100}"
#define END		"{\"end\":true,\"cycles\":9,\"dropped\":0,\"events\":[{\"count\":9000," \
			"\"throttled\":false}]}\n"
#define W4		"\"0x4000\",\"0x4010\",\"0x4020\",\"0x4000\""
#define W16		W4 "," W4 "," W4 "," W4
#define RECORD		W16 "," W4 ",\"0x9\",\"0x5\""	/* 22 words; the last ones describe a
							 * load */

#define TRACE "\"0x400d\",\"0x4019\",\"0x4002\",\"0x4005\",\"0x400d\",\"0x401d\",\"0x4009\"," \
	      "\"0x4002\""	/* PMD8 to 15 */

#define BRANCHES	HEADER("nehalem", EVENT("BR_INST_RETIRED.ALL_BRANCHES:p:lbr:period=100"))
#define CALLS		HEADER("nehalem", EVENT("BR_INST_RETIRED.NEAR_CALL:lbr:period=100"))
#define LOADS		HEADER("nehalem", \
			       EVENT("MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_4:p:period=100"))
#define TRACED		HEADER("itanium", EVENT("BRANCH_EVENT:period=100"))

const char fuzz_name[] = "the samples reader and the views of report";
const unsigned fuzz_inputs = 1500;
const struct fuzz_word fuzz_words[] = {
	FUZZ_WORD(BRANCHES), FUZZ_WORD(CALLS), FUZZ_WORD(LOADS), FUZZ_WORD(TRACED),
	FUZZ_WORD(
		BRANCHES "{\"event\":0,\"ip\":\"0x4020\",\"payload\":[\"0x403\"," RECORD "," W16
		"]}\n" END),
	FUZZ_WORD(CALLS "{\"event\":0,\"ip\":\"0x4020\",\"payload\":[\"0x402\"," W16 "]}\n" END),
	FUZZ_WORD(LOADS "{\"event\":0,\"ip\":\"0x4001\",\"payload\":[\"0x1\"," RECORD "]}\n" END),
	FUZZ_WORD(TRACED "{\"event\":0,\"ip\":\"0x4001\",\"payload\":[" W16 "]}\n" END),
	FUZZ_WORD(END),
	FUZZ_WORD("{\"event\":0,\"ip\":\"0x4001\"}\n"),
	FUZZ_WORD("{\"event\":0,\"ip\":\"0x4001\",\"payload\":["),
	FUZZ_WORD("{\"event\":0,\"ip\":\"0x4020\",\"payload\":[\"0x403\"," RECORD "," W16 "]}\n"),
	FUZZ_WORD("{\"event\":0,\"ip\":\"0x4020\",\"payload\":[\"0x1002\"," W16 "," W16 "]}\n"),
	FUZZ_WORD(
		"{\"event\":0,\"ip\":\"0x4020\",\"payload\":[\"0x202\",\"0x4100\",\"0x4000\"," W4
		"]}\n"),
	FUZZ_WORD("]}\n"), FUZZ_WORD("\"0xffffffffffffffff\","),
	FUZZ_WORD("\"0x8000000000004010\","),
	FUZZ_WORD(TRACED "{\"event\":0,\"ip\":\"0x0\",\"payload\":[\"0x8\"," TRACE "]}\n" END),
	FUZZ_WORD("\"0x400d\","), FUZZ_WORD("\"0x4005\","), FUZZ_WORD("\"0x4002\","),
	FUZZ_WORD("\"0xfffffffffffffffd\","), FUZZ_WORD(W4 ","), FUZZ_WORD(RECORD ","),
	FUZZ_WORD("\"0x0\""),
	FUZZ_WORD("9223372036854775807"),
	FUZZ_WORD("{\"event\":0,\"ip\":\"0x4001\",\"times\":3,\"cpu\":1}\n"),
	FUZZ_WORD("{\"symbol\":\"f\",\"address\":\"0x4000\",\"end\":\"0x4020\"}\n"),
	FUZZ_WORD("{\"symbol\":\"g\",\"address\":\"0x4010\",\"end\":\"0xffffffffffffffff\"}\n"),
};
const size_t fuzz_word_count = sizeof fuzz_words / sizeof *fuzz_words;

static int report(const char *path, const char *view, const char *form, char **text)
{
	char *argv[8] = {"palmon report", "-n0", "-i", (char *)path};
	int argc = 4;

	if (*view)
		argv[argc++] = (char *)view;
	if (*form)
		argv[argc++] = (char *)form;
	return command_run(command_report, argv, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		const char *view, *form;
	} ways[] = {
		{"", ""}, {"", "-j"}, {"--raw-ip", "-x;"}, {"--folded", ""}, {"--sources", ""},
		{"--sources", "-j"},
		{"--calls", ""}, {"--calls", "-j"}, {"--blocks", ""}, {"--blocks", "-j"},
		{"--branches", ""},
		{"--branches", "-j"}, {"--functions", ""}, {"--functions", "-j"},
	};
	char path[COMMAND_PATH];
	const int file = command_file(data, size, path);

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		char *text;
		int status = report(path, ways[i].view, ways[i].form, &text);

		FUZZ_REQUIRE(status == PALMON_DONE || status == PALMON_FAILED);
		if (!strcmp(ways[i].form, "-j"))
			command_require_json(text);
		free(text);
	}
	close(file);
	return 0;
}
