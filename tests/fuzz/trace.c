// SPDX-License-Identifier: BSD-2-Clause
// Trace files: trace.h's contract; printed lines must read back as the same lines.

#include "fuzz.h"

#include <string.h>

#include "trace.h"

const char fuzz_name[] = "the trace reader";
const unsigned fuzz_inputs = 16000;
const struct fuzz_word fuzz_words[] = {
	FUZZ_WORD("code=1\n"), FUZZ_WORD("code=0x12 n=3 cycles=5\n"),
	FUZZ_WORD("code=8 sub=3 n=0\n"),
	FUZZ_WORD("code=8 cpl=3 isa=1 ip=0x4000 slot=2 op=0x1ffffffffff itype=b taken=1 "
		  "target=0x20 mp=3\n"),
	FUZZ_WORD("code=0x66 itype=m addr=0x10000 lat=400 level=2 thread=1\n"),
	FUZZ_WORD("code=1 taken=0\n"), FUZZ_WORD("code=0xc4 sub=4 ip=0x4000 kind=cond taken=0\n"),
	FUZZ_WORD("code=0xc4 sub=6 ip=0x4010 kind=icall target=0x5000\n"),
	FUZZ_WORD("code=0x108 sub=1 kind=7 mp=1\n"),
	FUZZ_WORD("code=0x0f taken=1 mp=1 level=2\n"),
	FUZZ_WORD("code=0x6c itype=m by=rse addr=8\n"),
	FUZZ_WORD("\n"), FUZZ_WORD("# any\n"), FUZZ_WORD("code=2 cycles=0xf000000000000\n"),
	FUZZ_WORD("code=2 cycles=0x1000000 n=4294967\n"), FUZZ_WORD("t=9 code=5 cycles=9\n"),
	FUZZ_WORD("t=9 code=6 cycles=3\n"), FUZZ_WORD("code=7 cycles=2 t=12\n"),
	FUZZ_WORD("t=100 code=8\n"), FUZZ_WORD("t=100 code=9 cycles=1000\n"),
	FUZZ_WORD("t=101 code=8 n=2"),
	FUZZ_WORD("target=knc\n"), FUZZ_WORD("target=itanium # whose\n"), FUZZ_WORD("target="),
};
const size_t fuzz_word_count = sizeof fuzz_words / sizeof *fuzz_words;

#define THREADS 2

static void read_segments(const uint8_t *data, size_t size)
{
	struct trace *t = trace_open_memory("input", data, size, THREADS);
	struct trace_segment s;
	uint64_t cycles = 0, events = 0;
	int got;

	FUZZ_REQUIRE(t);
	while ((got = trace_next(t, &s)) > 0) {
		FUZZ_REQUIRE(s.cycles > 0 && s.count <= TRACE_OVERLAP_MAX);
		for (size_t i = 0; i < s.count; i++) {
			FUZZ_REQUIRE(s.signals[i].thread < THREADS && s.signals[i].level <= 3);
			FUZZ_REQUIRE(s.signals[i].thread == 0 ||
				     strcmp(trace_target(t), "itanium"));
			events += s.signals[i].n * s.cycles;
		}
		cycles += s.cycles;
		FUZZ_REQUIRE(cycles <= TRACE_END_MAX && events <= TRACE_EVENTS_MAX);
	}
	FUZZ_REQUIRE(got == 0 ? !*trace_error(t) : *trace_error(t) != '\0');
	trace_close(t);
}

// trace_agree accepts each line that was read, and changes nothing in it.
static void agree(const uint8_t *data, size_t size)
{
	static struct trace_batch batch;
	const struct target_meanings *meanings = meanings_of("itanium");
	struct trace *t = trace_open_memory("input", data, size, THREADS);

	trace_expect(t, "itanium");
	while (trace_lines(t, &batch) > 0)
		for (size_t i = 0; i < batch.count; i++) {
			struct occurrence again = batch.occurrence[i];

			FUZZ_REQUIRE(!trace_agree(meanings, &again));
			FUZZ_REQUIRE(!memcmp(&again, &batch.occurrence[i], sizeof again));
		}
	trace_close(t);
}

// Reads the lines of one batch. Returns false if one is invalid.
static bool read_lines(const void *data, size_t size, struct trace_batch *batch)
{
	struct trace *t = trace_open_memory("input", data, size, THREADS);
	int got = trace_lines(t, batch);

	trace_close(t);
	return got >= 0;
}

static void print_and_read(const uint8_t *data, size_t size)
{
	static struct trace_batch first, second;
	uint64_t end = 0;
	char *text;
	size_t length;
	FILE *file;

	if (!read_lines(data, size, &first))
		return;
	file = open_memstream(&text, &length);
	FUZZ_REQUIRE(trace_print(file, &first, &end));
	fclose(file);
	FUZZ_REQUIRE(read_lines(text, length, &second) && second.count == first.count);
	FUZZ_REQUIRE(!memcmp(second.start, first.start, first.count * sizeof *first.start));
	FUZZ_REQUIRE(!memcmp(second.end, first.end, first.count * sizeof *first.end));
	FUZZ_REQUIRE(!memcmp(second.occurrence, first.occurrence,
			     first.count * sizeof *first.occurrence));
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_segments(data, size);
	print_and_read(data, size);
	agree(data, size);
	return 0;
}
