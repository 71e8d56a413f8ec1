// SPDX-License-Identifier: BSD-2-Clause
// Answers of CPUs: palmon probe reads or refuses any file; its JSON is valid, and --raw prints a
// file with the same answers.

#define _GNU_SOURCE
#include "command.h"

#define LEAF(leaf, subleaf, values)	"0x" leaf " 0x" subleaf ": " values "\n"
#define VALUES(eax, ebx, ecx, edx)	"eax=0x" eax " ebx=0x" ebx " ecx=0x" ecx " edx=0x" edx
#define GENUINE	LEAF("0", "0", VALUES("23", "756e6547", "6c65746e", "49656e69"))
#define OTHER	LEAF("0", "0", VALUES("10", "68747541", "444d4163", "69746e65"))

const char fuzz_name[] = "answers of CPUs";
const unsigned fuzz_inputs = 1000;
const struct fuzz_word fuzz_words[] = {
	FUZZ_WORD(LEAF("1", "0", VALUES("506e3", "0", "80008000", "200000"))),
	FUZZ_WORD(LEAF("7", "0", VALUES("1", "2000800", "0", "88000"))),
	FUZZ_WORD(LEAF("7", "1", VALUES("100", "0", "0", "0"))),
	FUZZ_WORD(LEAF("a", "0", VALUES("8300805", "0", "f", "8604"))),
	FUZZ_WORD(LEAF("a", "0", VALUES("ffffffff", "ffffffff", "ffffffff", "ffffffff"))),
	FUZZ_WORD(LEAF("1a", "0", VALUES("40000003", "0", "0", "0"))),
	FUZZ_WORD(LEAF("1c", "0", VALUES("4000000b", "7", "f0007", "0"))),
	FUZZ_WORD(LEAF("23", "0", VALUES("b", "3", "8", "0"))),
	FUZZ_WORD(LEAF("23", "1", VALUES("ffffffff", "ffffffff", "0", "0"))),
	FUZZ_WORD(LEAF("23", "3", VALUES("ffffffff", "0", "0", "0"))),
	FUZZ_WORD(LEAF("40000000", "0", VALUES("0", "ff0a0922", "ffffffff", "5c"))),
	FUZZ_WORD(LEAF("80000000", "0", VALUES("80000022", "0", "0", "0"))),
	FUZZ_WORD(LEAF("80000001", "0", VALUES("0", "0", "75c237ff", "0"))),
	FUZZ_WORD(LEAF("8000001b", "0", VALUES("bff", "0", "0", "0"))),
	FUZZ_WORD(LEAF("80000022", "0", VALUES("7", "304106", "fff", "0"))),
	FUZZ_WORD("\nnmi_watchdog: 1\n"), FUZZ_WORD("msr 0x186: 0xffffffffffffffff\n"),
	FUZZ_WORD("msr 0x38d: 0xbbbb\n"), FUZZ_WORD("msr 0x38f: 0xf000000ff\n"),
	FUZZ_WORD("msr 0x345: 0x33c5\n"), FUZZ_WORD("msr 0xc0010200: 0x530076\n"),
	FUZZ_WORD("msr 0xc0000301: 0x3f\n"), FUZZ_WORD("msr 0x"), FUZZ_WORD(": 0x"),
	FUZZ_WORD("\n"), FUZZ_WORD("#"),
};
const size_t fuzz_word_count = sizeof fuzz_words / sizeof *fuzz_words;

static int probe(const char *path, const char *form, char **text)
{
	char from[COMMAND_PATH + 8];

	snprintf(from, sizeof from, "--from=%s", path);
	return command_run(command_probe, (char *[]){"palmon probe", from, (char *)form, NULL},
			   text);
}

static void require_same(const char *raw)
{
	char path[COMMAND_PATH], *again;
	const int file = command_file((const uint8_t *)raw, strlen(raw), path);

	FUZZ_REQUIRE(probe(path, "--raw", &again) == PALMON_DONE && !strcmp(again, raw));
	free(again);
	close(file);
}

// Tries a file: its three outputs agree.
static void try(const uint8_t *data, size_t size)
{
	static const char *const forms[] = {NULL, "--json", "--raw"};
	char path[COMMAND_PATH];
	const int file = command_file(data, size, path);
	int first = -1;

	for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
		char *text;
		const int status = probe(path, forms[i], &text);

		FUZZ_REQUIRE(status == PALMON_DONE || status == PALMON_FAILED);
		FUZZ_REQUIRE(first < 0 || status == first);
		first = status;
		if (i == 1)
			command_require_json(text);
		if (i == 2 && status == PALMON_DONE)
			require_same(text);
		free(text);
	}
	close(file);
}

#define CPU_LINES	3

// The same lines, with a CPU for each few of them, so that leaves seldom occur twice.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;
	size_t length;
	FILE *const file = open_memstream(&text, &length);
	unsigned lines = 0;

	FUZZ_REQUIRE(file);
	try(data, size);
	for (size_t i = 0; i < size; i++) {
		if ((!i || data[i - 1] == '\n') && lines++ % CPU_LINES == 0)
			fprintf(file, "CPU %u:\n%s", lines, *data & 1 ? GENUINE : OTHER);
		fputc(data[i], file);
	}
	fclose(file);
	try((const uint8_t *)text, length);
	free(text);
	return 0;
}
