// SPDX-License-Identifier: BSD-2-Clause
// Event files: palmon list and encode read or refuse any file; the JSON is valid.

#define _GNU_SOURCE
#include "command.h"

#define EVENT(name, code, more) \
	"{\"EventName\":\"" name "\",\"EventCode\":\"" code "\"," more "\"Counter\":\"0,1\"},"

const char fuzz_name[] = "event files";
const unsigned fuzz_inputs = 2000;
const struct fuzz_word fuzz_words[] = {
	FUZZ_WORD(EVENT("A.B", "0xD1", "\"UMask\":\"0x1\",")), FUZZ_WORD(EVENT("a.b", "0xD1", "")),
	FUZZ_WORD(EVENT("A", "0xB7,0xBB", "\"UMask\":\"1,2\",\"MSRIndex\":\"0x1a6,0x1a7\",")),
	FUZZ_WORD(EVENT("C", "1", "\"CounterMask\":\"2\",\"Invert\":\"1\",\"EdgeDetect\":1,")),
	FUZZ_WORD(EVENT("INST_RETIRED.ANY", "0", "")), FUZZ_WORD(EVENT("F", "0x10000", "")),
	FUZZ_WORD(EVENT("G", "7", "\"UMaskExt\":\"0x01\",")), FUZZ_WORD("\"EventName\":\"A\""),
	FUZZ_WORD("\"Counter\":\"Fixed counter 1\""), FUZZ_WORD("\"UMaskExt\":\"0x01\""),
	FUZZ_WORD("\"EventCode\":"), FUZZ_WORD("\"MSRValue\":"), FUZZ_WORD("{"), FUZZ_WORD("}"),
	FUZZ_WORD("["), FUZZ_WORD("]"), FUZZ_WORD(","), FUZZ_WORD("\""), FUZZ_WORD("\n"),
	FUZZ_WORD("null"), FUZZ_WORD("]}"),
};
const size_t fuzz_word_count = sizeof fuzz_words / sizeof *fuzz_words;

static void try(const uint8_t *data, size_t size)
{
	char path[COMMAND_PATH], events[COMMAND_PATH + 16], *text;
	const int file = command_file(data, size, path);
	int status;

	snprintf(events, sizeof events, "--events=%s", path);
	status = command_run(command_list, (char *[]){"palmon list", "-tnehalem", events, "-j",
						      NULL}, &text);
	FUZZ_REQUIRE(status >= PALMON_DONE && status <= PALMON_USAGE);
	command_require_json(text);
	free(text);
	status = command_run(command_encode, (char *[]){"palmon encode", "-tnehalem", events, "-j",
							"A.B:u,cycles", NULL}, &text);
	FUZZ_REQUIRE(status >= PALMON_DONE && status <= PALMON_USAGE);
	command_require_json(text);
	free(text);
	close(file);
}

// The input, and as the events of an array.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char last[] = EVENT("Z", "9", "");
	char *text;
	size_t length;
	FILE *const file = open_memstream(&text, &length);

	FUZZ_REQUIRE(file);
	try(data, size);
	fprintf(file, "[");
	fwrite(data, 1, size, file);
	fprintf(file, "%.*s]", (int)strlen(last) - 1, last);
	fclose(file);
	try((const uint8_t *)text, length);
	free(text);
	return 0;
}
