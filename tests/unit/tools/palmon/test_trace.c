// SPDX-License-Identifier: BSD-2-Clause
// Trace files: what a line means, which lines happen together, what is wrong with a bad one and where; the binary form.

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

#define THREADS 2

static struct trace *open_text(const char *text)
{
	struct trace *t = trace_open_memory("file", text, strlen(text), THREADS);

	assert_non_null(t);
	return t;
}

// The lines of a text.
static const struct trace_batch *lines_of(const char *text)
{
	static struct trace_batch batch;
	struct trace *t = open_text(text);
	int got = trace_lines(t, &batch);

	if (got < 0)
		fail_msg("%s", trace_error(t));
	trace_close(t);
	return &batch;
}

static const struct occurrence *line_of(const char *text)
{
	const struct trace_batch *batch = lines_of(text);

	assert_int_equal(batch->count, 1);
	return batch->occurrence;
}

static void assert_wrong(const char *text, const char *message)
{
	struct trace *t = open_text(text);
	struct trace_segment s;
	int got;

	while ((got = trace_next(t, &s)) > 0)
		;
	assert_int_equal(got, -1);
	assert_string_equal(trace_error(t), message);
	trace_close(t);
}

//
// Lines
//

static void test_every_key_is_taken(void **state)
{
	static const struct occurrence all = {
		.code = 0x123, .sub = 0xF5, .n = 7, .thread = 1, .level = 3, .isa = 1,
		.type = OCCURRENCE_TYPE_M | OCCURRENCE_TYPE_WALKER,
		.slot = 2, .served = 3, .data = 1, .latency = 400, .ip = 0xA000000000000010, .opcode = 0x1FFFFFFFFFF,
		.address = 0xFFFFFFFFFFFFFFFF, .target = 0x20,
		.branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_WRONG_PATH | OCCURRENCE_WRONG_TARGET |
			  OCCURRENCE_KIND_JUMP_INDIRECT,
	};
	const struct trace_batch *batch = lines_of(
		"t=5 cycles=3 n=7 code=0x123 sub=0xF5 cpl=3 isa=1 ip=0xA000000000000010 slot=2 op=0x1FFFFFFFFFF "
		"itype=m by=vhpt addr=18446744073709551615 lat=400 level=3 taken=1 target=0X20 kind=ijmp mp=3 "
		"thread=1\n");

	(void)state;
	assert_int_equal(batch->count, 1);
	assert_int_equal(batch->start[0], 5);
	assert_int_equal(batch->end[0], 8);
	assert_memory_equal(batch->occurrence, &all, sizeof all);
}

static void test_what_is_left_out(void **state)
{
	static const struct occurrence least = {.code = 9, .n = 1};
	const struct trace_batch *batch = lines_of("code=9 cycles=4\ncode=9");

	(void)state;
	assert_int_equal(batch->count, 2);
	assert_int_equal(batch->start[0], 0);
	assert_int_equal(batch->end[0], 4);
	assert_int_equal(batch->start[1], 4);		// where the last one ended
	assert_int_equal(batch->end[1], 5);
	assert_memory_equal(&batch->occurrence[1], &least, sizeof least);
}

static void test_presence_of_addr_and_taken(void **state)
{
	(void)state;
	assert_int_equal(line_of("code=1 addr=0")->data, 1);
	assert_int_equal(line_of("code=1")->data, 0);
	assert_int_equal(line_of("code=1 taken=0")->branch, OCCURRENCE_BRANCH);
	assert_int_equal(line_of("code=1 taken=1")->branch, OCCURRENCE_BRANCH | OCCURRENCE_TAKEN);
	assert_int_equal(line_of("code=1 taken=0 mp=0")->branch, OCCURRENCE_BRANCH);
	assert_int_equal(line_of("code=1 taken=0 mp=1")->branch, OCCURRENCE_BRANCH | OCCURRENCE_WRONG_PATH);
	assert_int_equal(line_of("code=1 taken=0 mp=2")->branch, OCCURRENCE_BRANCH | OCCURRENCE_WRONG_TARGET);
	assert_int_equal(line_of("code=1")->branch, 0);
}

static void test_instruction_types(void **state)
{
	(void)state;
	assert_int_equal(line_of("code=1 itype=m")->type, OCCURRENCE_TYPE_M);
	assert_int_equal(line_of("code=1 itype=I")->type, OCCURRENCE_TYPE_I);
	assert_int_equal(line_of("code=1 itype=f")->type, OCCURRENCE_TYPE_F);
	assert_int_equal(line_of("code=1 itype=b")->type, OCCURRENCE_TYPE_B);
	assert_int_equal(line_of("code=1 itype=c")->type, OCCURRENCE_TYPE_COMMIT);
	assert_int_equal(line_of("code=1 itype=8")->type, OCCURRENCE_TYPE_M);
	assert_int_equal(line_of("code=1 by=rse")->type, OCCURRENCE_TYPE_RSE);
	assert_int_equal(line_of("code=1 by=vhpt itype=m")->type, OCCURRENCE_TYPE_WALKER | OCCURRENCE_TYPE_M);
}

static void test_kinds_of_branches(void **state)
{
	static const struct {
		const char *text;
		uint8_t branch;
	} kinds[] = {
		{"code=1 kind=call", OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_KIND_CALL},
		{"code=1 kind=icall", OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_KIND_CALL_INDIRECT},
		{"code=1 kind=ret # to the caller", OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_KIND_RETURN},
		{"code=1 kind=ijmp", OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_KIND_JUMP_INDIRECT},
		{"code=1 kind=jmp", OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_KIND_JUMP},
		{"code=1 kind=far", OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_KIND_FAR},
		{"code=1 kind=7", OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_KIND_FAR},
		{"code=1 kind=0", OCCURRENCE_BRANCH | OCCURRENCE_TAKEN},
		{"code=1 kind=cond taken=0", OCCURRENCE_BRANCH | OCCURRENCE_KIND_CONDITIONAL},
		{"code=1 taken=1 kind=cond", OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_KIND_CONDITIONAL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		assert_int_equal(line_of(kinds[i].text)->branch, kinds[i].branch);
}

static void test_comments_blanks_and_line_ends(void **state)
{
	const struct trace_batch *batch = lines_of("# one\n\n  \t code=1\tn=2# two\r\n#code=3\ncode=4 # three\r\n   ");

	(void)state;
	assert_int_equal(batch->count, 2);
	assert_int_equal(batch->occurrence[0].n, 2);
	assert_int_equal(batch->occurrence[1].code, 4);
	assert_int_equal(lines_of("")->count, 0);
	assert_int_equal(lines_of("#")->count, 0);
	assert_int_equal(lines_of("\n")->count, 0);
}

static void test_longest_line(void **state)
{
	char text[TRACE_LINE_MAX + 3];

	(void)state;
	memset(text, ' ', sizeof text);
	memcpy(text + TRACE_LINE_MAX - 6, "code=1\n", 8);
	assert_int_equal(line_of(text)->code, 1);
	text[TRACE_LINE_MAX] = '\0';
	assert_int_equal(line_of(text)->code, 1);
	memcpy(text + TRACE_LINE_MAX - 6, "code=1 ", 8);
	assert_wrong(text, "file:1:4096: expected the end of the line");
}

//
// Mistakes. Line and column are counted from 1; the column is where what is wrong starts, or what is missing should.
//

#define KEYS "t, cycles, n, code, sub, cpl, isa, ip, slot, op, itype, by, addr, lat, level, taken, target, kind, mp " \
	"or thread"

struct mistake {
	const char *text, *message;
};

static const struct mistake mistakes[] = {
	{"code=1\n\n# c\n  bad=1", "file:4:3: expected " KEYS},
	{"code=1 cod=2", "file:1:8: expected " KEYS},
	{"code=1 codes=2", "file:1:8: expected " KEYS},
	{"CODE=1", "file:1:1: expected " KEYS},
	{"code=1 =2", "file:1:8: expected " KEYS},
	{"code=1, n=2", "file:1:6: expected code= a number from 0 to 65535"},
	{"code", "file:1:5: expected '=' behind code"},
	{"code 1", "file:1:5: expected '=' behind code"},
	{"n=1", "file:1:4: expected code="},
	{"n=1 # x", "file:1:5: expected code="},
	{"code=1 code=1", "file:1:8: expected code= once"},
	{"code=", "file:1:6: expected code= a number from 0 to 65535"},
	{"code= 1", "file:1:6: expected code= a number from 0 to 65535"},
	{"code=0x", "file:1:6: expected code= a number from 0 to 65535"},
	{"code=1x", "file:1:6: expected code= a number from 0 to 65535"},
	{"code=ff", "file:1:6: expected code= a number from 0 to 65535"},
	{"code=-1", "file:1:6: expected code= a number from 0 to 65535"},
	{"code=+1", "file:1:6: expected code= a number from 0 to 65535"},
	{"code=65536", "file:1:6: expected code= a number from 0 to 65535"},
	{"code=1 sub=0x10000", "file:1:12: expected sub= a number from 0 to 65535"},
	{"code=1 n=4294967296", "file:1:10: expected n= a number from 0 to 4294967295"},
	{"code=1 ip=18446744073709551616", "file:1:11: expected ip= a number from 0 to 18446744073709551615"},
	{"code=1 ip=0x10000000000000000", "file:1:11: expected ip= a number from 0 to 18446744073709551615"},
	{"code=1 cycles=0", "file:1:15: expected cycles= a number from 1 to 72057594037927936"},
	{"code=1 cpl=4", "file:1:12: expected cpl= a number from 0 to 3"},
	{"code=1 isa=2", "file:1:12: expected isa= a number from 0 to 1"},
	{"code=1 slot=3", "file:1:13: expected slot= a number from 0 to 2"},
	{"code=1 level=256", "file:1:14: expected level= a number from 0 to 255"},
	{"code=1 taken=2", "file:1:14: expected taken= a number from 0 to 1"},
	{"code=1 mp=4", "file:1:11: expected mp= a number from 0 to 3"},
	{"code=1 thread=2", "file:1:15: expected thread= a number from 0 to 1"},
	{"code=1 itype=x", "file:1:14: expected itype=m, i, f, b, c, or 0, 1, 2, 4, 8, 16"},
	{"code=1 itype=mi", "file:1:14: expected itype=m, i, f, b, c, or 0, 1, 2, 4, 8, 16"},
	{"code=1 itype=3", "file:1:14: expected itype=m, i, f, b, c, or 0, 1, 2, 4, 8, 16"},
	{"code=1 itype=32", "file:1:14: expected itype=m, i, f, b, c, or 0, 1, 2, 4, 8, 16"},
	{"code=1 by=pmu", "file:1:11: expected by=rse, vhpt"},
	{"code=1 by=rs", "file:1:11: expected by=rse, vhpt"},
	{"code=1 by=32", "file:1:11: expected by=rse, vhpt"},
	{"code=1 kind=8", "file:1:13: expected kind=cond, call, icall, ret, ijmp, jmp, far, or 0 to 7"},
	{"code=1 kind=calls", "file:1:13: expected kind=cond, call, icall, ret, ijmp, jmp, far, or 0 to 7"},
	{"code=1 kind=", "file:1:13: expected kind=cond, call, icall, ret, ijmp, jmp, far, or 0 to 7"},
	{"code=1 t=9\ncode=1 t=8", "file:2:10: expected t= from 9, where the line before starts"},
	{"code=1 t=72057594037927936", "file:1:10: expected an end no later than cycle 72057594037927936"},
	{"t=1 code=1 cycles=72057594037927936",
	 "file:1:19: expected an end no later than cycle 72057594037927936"},
	{"code=1 n=4294967295 cycles=0x1000001", "file:1:28: expected no more than 72057594037927936 events in all"},
};

static void test_mistakes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
		assert_wrong(mistakes[i].text, mistakes[i].message);
}

static void test_nul_bytes(void **state)
{
	static const char text[] = "code=1\0\nn=1";
	struct trace *t = trace_open_memory("file", text, sizeof text - 1, THREADS);
	struct trace_segment s;

	(void)state;
	assert_int_equal(trace_next(t, &s), -1);
	assert_string_equal(trace_error(t), "file:1:6: expected code= a number from 0 to 65535");
	assert_int_equal(trace_next(t, &s), -1);		// and stays wrong
	trace_close(t);
}

//
// Segments
//

// Sums over the segments of a text, in one string: "CYCLESxN" for each, N the sum of all lines'.
static const char *segments_of(const char *text)
{
	static char found[4096];
	struct trace *t = open_text(text);
	struct trace_segment s;
	int got;

	*found = '\0';
	while ((got = trace_next(t, &s)) > 0) {
		uint64_t sum = 0;

		for (size_t i = 0; i < s.count; i++)
			sum += s.wires[i].n;
		snprintf(found + strlen(found), sizeof found - strlen(found), "%s%llux%llu", *found ? " " : "",
			 (unsigned long long)s.cycles, (unsigned long long)sum);
	}
	assert_int_equal(got, 0);
	trace_close(t);
	return found;
}

static void test_segments(void **state)
{
	(void)state;
	assert_string_equal(segments_of(""), "");
	assert_string_equal(segments_of("code=1 n=3\ncode=1 cycles=2"), "1x3 2x1");
	assert_string_equal(segments_of("t=5 code=1\nt=8 code=1 n=2"), "5x0 1x1 2x0 1x2");
	assert_string_equal(segments_of("t=0 code=1 cycles=2\nt=0 code=2 n=5 cycles=2\ncode=1"), "2x6 1x1");
	assert_string_equal(segments_of("t=0 code=1 cycles=4\nt=0 code=2 n=5 cycles=2"), "2x6 2x1");
	assert_string_equal(segments_of("t=0 code=1 cycles=9\nt=2 code=1 n=10 cycles=3\ncode=1 n=100 cycles=2"),
			    "2x1 3x11 2x101 2x1");
	assert_string_equal(segments_of("t=0 code=1 cycles=2\nt=1 code=1 n=10 cycles=2\nt=9 code=1"),
			    "1x1 1x11 1x10 6x0 1x1");
}

// Section 6.1.1.3, Table 6-1: five requests, one more in each cycle, each live for three cycles. n_live is 1, 2, 3, 3,
// 3, 2, 1 (and 0 in the eighth cycle).
static void test_table_6_1(void **state)
{
	(void)state;
	assert_string_equal(segments_of("t=0 cycles=3 code=1\nt=1 cycles=3 code=1\nt=2 cycles=3 code=1\n"
					"t=3 cycles=3 code=1\nt=4 cycles=3 code=1"),
			    "1x1 1x2 1x3 1x3 1x3 1x2 1x1");
}

// One line more than fits into a batch, in one cycle, and in cycles of their own.
static void test_lines_across_batches(void **state)
{
	enum { LINES = 3 * TRACE_BATCH + 1 };
	char *text = malloc(32 * LINES), *at = text;
	struct trace_segment s;
	struct trace *t;
	uint64_t cycles = 0, sum = 0;

	(void)state;
	for (unsigned i = 0; i < LINES; i++)
		at += sprintf(at, "t=%u cycles=3 code=1 n=2\n", i);
	t = open_text(text);
	while (trace_next(t, &s) > 0) {
		cycles += s.cycles;
		for (size_t i = 0; i < s.count; i++)
			sum += s.wires[i].n * s.cycles;
		assert_true(s.count <= 3);
	}
	assert_int_equal(cycles, LINES + 2);
	assert_int_equal(sum, 6 * LINES);
	trace_close(t);
	free(text);
}

static void test_overlap_limit(void **state)
{
	static char text[16 * (TRACE_OVERLAP_MAX + 2)];
	char *at = text;
	struct trace_segment s;
	struct trace *t;

	(void)state;
	for (unsigned i = 0; i < TRACE_OVERLAP_MAX; i++)
		at += sprintf(at, "t=3 code=1\n");
	t = open_text(text);
	assert_int_equal(trace_next(t, &s), 1);		// cycles 0 to 2
	assert_int_equal(trace_next(t, &s), 1);
	assert_int_equal(s.count, TRACE_OVERLAP_MAX);
	assert_int_equal(trace_next(t, &s), 0);
	trace_close(t);
	sprintf(at, "t=3 code=1\n");
	assert_wrong(text, "file:513: expected no more than 512 lines in cycle 3");
}

static void test_rewind(void **state)
{
	struct trace *t = open_text("t=2 code=1 n=4\nt=2 code=1");
	struct trace_segment s;

	(void)state;
	assert_true(trace_keep(t));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(trace_next(t, &s), 1);
		assert_int_equal(s.cycles, 2);
		assert_int_equal(trace_next(t, &s), 1);
		assert_int_equal(s.count, 2);
		if (i)
			assert_int_equal(trace_next(t, &s), 0);
		trace_rewind(t);
	}
	trace_close(t);
}

//
// Binary
//

static char *written;
static size_t written_size;

// The text's binary form, in `written`.
static void write_binary(const char *text)
{
	struct trace_writer w;
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_true(trace_write_start(&w, file, ""));
	assert_true(trace_write(&w, lines_of(text)));
	assert_true(trace_write_end(&w));
	free(written);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	written_size = (size_t)ftell(file);
	written = malloc(written_size);
	rewind(file);
	assert_int_equal(fread(written, 1, written_size, file), written_size);
	fclose(file);
}

static void assert_binary_wrong(const char *message)
{
	struct trace *t = trace_open_memory("file", written, written_size, THREADS);
	struct trace_batch *batch = malloc(sizeof *batch);
	int got;

	while ((got = trace_lines(t, batch)) > 0)
		;
	assert_int_equal(got, -1);
	assert_string_equal(trace_error(t), message);
	trace_close(t);
	free(batch);
}

// The bytes that trace.h describes.
static void test_binary_bytes(void **state)
{
	static const unsigned char expected[] = {
		0x89, 'P', 'M', 'T', 0x0D, 0x0A, 0x1A, 0x0A, 2, 0, 0, 0, 0, 0, 0, 0,
		2, 0, 0, 0, 0, 0, 0, 0, 33, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,	// no target
		0, 0, 0x34, 0x12,			// code only
		0x21, 0x84, 0x78, 0x56,			// fields 0, 5, 10, 15; code
		7, 0, 0, 0, 0, 0, 0, 0,			// starts at 7, not at 1
		0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01,
		0, 0, 0, 0, 0, 0, 0, 0,			// address: its presence counts
		1,
	};

	(void)state;
	write_binary("code=0x1234\nt=7 code=0x5678 ip=0x0123456789abcdef addr=0 thread=1\n");
	assert_int_equal(written_size, sizeof expected);
	assert_memory_equal(written, expected, sizeof expected);
}

static const char many[] =
	"t=5 cycles=3 n=7 code=0x123 sub=0xF5 cpl=3 isa=1 ip=0xA000000000000010 slot=2 op=0x1FFFFFFFFFF "
	"itype=m addr=18446744073709551615 lat=400 level=3 taken=1 target=0X20 mp=3 thread=1\n"
	"code=1\nt=9 code=2 addr=0\nt=9 code=3 taken=0\nt=9 code=4 mp=2\ncode=5 n=0\n"
	"code=0xc4 sub=4 kind=cond taken=0\ncode=0x188 kind=far level=14\n"
	"code=0x6C itype=m by=rse addr=8\ncode=0x6D by=vhpt addr=16\n";

static void test_binary_equals_text(void **state)
{
	struct trace_batch *found = malloc(sizeof *found);
	const struct trace_batch *text;
	struct trace *t;

	(void)state;
	write_binary(many);
	t = trace_open_memory("file", written, written_size, THREADS);
	assert_int_equal(trace_lines(t, found), 1);
	text = lines_of(many);
	assert_int_equal(found->count, text->count);
	for (size_t i = 0; i < text->count; i++) {
		assert_int_equal(found->start[i], text->start[i]);
		assert_int_equal(found->end[i], text->end[i]);
		assert_memory_equal(&found->occurrence[i], &text->occurrence[i], sizeof *text->occurrence);
	}
	assert_int_equal(trace_lines(t, found), 0);
	trace_close(t);
	free(found);
}

// What is printed is read as the same.
static void test_printed_text_equals_text(void **state)
{
	struct trace_batch first = *lines_of(many);
	const struct trace_batch *second;
	uint64_t end = 0;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_true(trace_print(file, &first, &end));
	fclose(file);
	second = lines_of(text);
	assert_int_equal(second->count, first.count);
	assert_memory_equal(second->start, first.start, first.count * sizeof *first.start);
	assert_memory_equal(second->end, first.end, first.count * sizeof *first.end);
	assert_memory_equal(second->occurrence, first.occurrence, first.count * sizeof *first.occurrence);
	free(text);
}

// Cut off anywhere it is refused, with the offset of the end.
static void test_binary_cut_off(void **state)
{
	size_t whole;

	(void)state;
	write_binary(many);
	whole = written_size;
	for (written_size = 1; written_size < 8; written_size++)
		assert_binary_wrong("file: offset 0: expected a trace's first 8 bytes");
	for (; written_size < TRACE_HEADER_BYTES; written_size++)
		assert_binary_wrong("file: offset 0: expected a header of 56 bytes");
	for (; written_size < whole; written_size++) {
		char message[80];

		sprintf(message, "file: offset %zu: expected more: the file is cut off", written_size);
		assert_binary_wrong(message);
	}
}

// Puts a byte into a good trace.
static void assert_byte_wrong(const char *text, size_t offset, unsigned char byte, const char *message)
{
	write_binary(text);
	assert_true(offset < written_size);
	written[offset] = (char)byte;
	assert_binary_wrong(message);
}

static void test_binary_corrupt(void **state)
{
	(void)state;
	assert_byte_wrong("code=1", 1, 'Q', "file: offset 0: expected a trace's first 8 bytes");
	assert_byte_wrong("code=1", 8, 3, "file: offset 8: expected version 1 or 2");
	assert_byte_wrong("code=1", 15, 1, "file: offset 12: expected 0");
	assert_byte_wrong("code=1", 16, 2, "file: offset 60: expected more: the file is cut off");
	assert_byte_wrong("code=1", 16, 0, "file: offset 56: expected the end of the file, as the header says");
	assert_byte_wrong("code=1", 24, 5, "file: offset 60: expected the end of the file, as the header says");
	assert_byte_wrong("code=1", 24, 3, "file: offset 60: expected the end of the records, as the header says");
	assert_byte_wrong("code=1 cpl=1", 60, 4, "file: offset 56: expected a privilege level from 0 to 3");
	assert_byte_wrong("code=1 isa=1", 60, 2, "file: offset 56: expected an instruction set 0 or 1");
	assert_byte_wrong("code=1 slot=1", 60, 3, "file: offset 56: expected a slot from 0 to 2");
	assert_byte_wrong("code=1 itype=m", 60, 3, "file: offset 56: expected an instruction type 0, 1, 2, 4, 8 or 16");
	assert_byte_wrong("code=1 itype=m", 60, 0x68, "file: offset 56: expected a reference by one of RSE and VHPT");
	assert_byte_wrong("code=1 taken=1", 60, 2, "file: offset 56: expected a branch's bits");
	assert_byte_wrong("code=1 taken=1", 60, 16, "file: offset 56: expected a branch's bits");
	assert_byte_wrong("code=1 taken=1", 60, 0x81, "file: offset 56: expected a branch's bits");
	assert_byte_wrong("code=1 thread=1", 60, 2, "file: offset 56: expected a thread that the processor has");
	assert_byte_wrong("code=1 cycles=2", 60, 0, "file: offset 56: expected cycles from the last record's start "
			  "on, and an end and a number of events below 2^56");
	assert_byte_wrong("code=1 t=9\ncode=1 t=11", 56 + 12 + 4, 8, "file: offset 68: expected cycles from the last "
			  "record's start on, and an end and a number of events below 2^56");
	assert_byte_wrong("code=1", 32, 'x', "file: offset 32: expected one of these targets: nehalem, "
			  "nehalem-uncore, knc, itanium, sparct4, sparct4-dram");
	assert_byte_wrong("code=1", 40, 'x', "file: offset 32: expected a target's name, filled with 0");
	free(written);
	written = NULL;
}

//
// What a sub-event says of the rest of its line
//

static int check_line(struct trace *t, struct trace_batch *batch)
{
	trace_expect(t, "itanium");
	return trace_lines(t, batch);
}

// By hand, from section 7.8. BRANCH_TAKEN_SLOT, 0x0D: 1, 2, 4: the slot of the first taken branch; 8: none.
// BRANCH_MULTIWAY, 0x0E: 8 not taken, 12 taken; 1 correct, 2 wrong path, 3 wrong target. BRANCH_PATH, 0x0F: 4, 8, 12:
// stage; 0 not taken and wrong, 1 taken and wrong, 2, 3 the same and right. BRANCH_PREDICTOR, 0x10: stage as before,
// prediction as BRANCH_MULTIWAY.
#define B	OCCURRENCE_BRANCH
#define T	(OCCURRENCE_BRANCH | OCCURRENCE_TAKEN)
#define P	OCCURRENCE_WRONG_PATH
#define A	OCCURRENCE_WRONG_TARGET

static const struct {
	const char *text;
	uint16_t sub;
	uint8_t branch, slot, served;
} agreeing[] = {
	// the sub-event follows
	{"code=0x0D taken=1", 1, T, 0, 0}, {"code=0x0D taken=1 slot=2", 4, T, 2, 0},
	{"code=0x0D taken=0 slot=2", 8, B, 2, 0},
	{"code=0x0D kind=jmp slot=1 mp=1", 2, T | P | OCCURRENCE_KIND_JUMP, 1, 0},
	{"code=0x0E taken=1", 13, T, 0, 0}, {"code=0x0E taken=0 mp=1", 10, B | P, 0, 0},
	{"code=0x0E taken=1 mp=2", 15, T | A, 0, 0}, {"code=0x0E taken=1 mp=3", 14, T | P | A, 0, 0},
	{"code=0x0E sub=12 mp=1", 14, P, 0, 0}, {"code=0x0E sub=8 taken=0", 9, B, 0, 0},
	{"code=0x0F taken=1", 3, T, 0, 0}, {"code=0x0F taken=0", 2, B, 0, 0},
	{"code=0x0F taken=1 mp=1 level=2", 9, T | P, 0, 2}, {"code=0x0F taken=0 mp=1", 0, B | P, 0, 0},
	{"code=0x0F taken=1 mp=2 level=3", 15, T | A, 0, 3},
	{"code=0x10 taken=1 level=1", 5, T, 0, 1}, {"code=0x10 taken=0 mp=1 level=3", 14, B | P, 0, 3},
	{"code=0x10 mp=2", 3, A, 0, 0}, {"code=0x10 level=2", 8, 0, 0, 2}, {"code=0x10 sub=3 level=2", 11, 0, 0, 2},
	// the others follow from it
	{"code=0x0D sub=4 taken=1", 4, T, 2, 0}, {"code=0x0D sub=8 taken=0 slot=1", 8, B, 1, 0},
	{"code=0x0E sub=14 taken=1", 14, T | P, 0, 0}, {"code=0x0E sub=15 taken=1", 15, T | A, 0, 0},
	{"code=0x0F sub=4 taken=0", 4, B | P, 0, 1}, {"code=0x0F sub=13 taken=1", 13, T | P, 0, 3},
	{"code=0x10 sub=6 taken=1", 6, T | P, 0, 1}, {"code=0x10 sub=10 taken=1 mp=3", 10, T | P | A, 0, 2},
	// nothing follows
	{"code=0x0D", 0, 0, 0, 0}, {"code=0x0D sub=3", 3, 0, 0, 0}, {"code=0x0E sub=13", 13, 0, 0, 0},
	{"code=0x0F sub=2", 2, 0, 0, 0}, {"code=0x12 taken=1 mp=2 slot=2 level=9", 0, T | A, 2, 9},
	{"code=0x60 level=1", 0, 0, 0, 1}, {"code=0x61 level=3", 0, 0, 0, 3}, {"code=0x27 level=2", 0, 0, 0, 2},
	{"code=0x61 slot=2", 0, 0, 2, 0},
};

#define DISAGREE "expected taken, mp, slot and level that agree with code and sub"
#define OPEN "expected sub, or what says it: taken, mp, slot or level"

static const struct mistake disagreeing[] = {
	{"code=0x0D sub=2 taken=1 slot=2", "file:1:15: " DISAGREE}, {"code=0x0D sub=8 taken=1", "file:1:15: " DISAGREE},
	{"code=0x0D sub=1 taken=0", "file:1:15: " DISAGREE}, {"code=0x0D sub=1 slot=1", "file:1:15: " DISAGREE},
	{"code=0x0D sub=3 taken=1", "file:1:15: " DISAGREE}, {"code=0x0D slot=1", "file:1:6: " OPEN},
	{"code=0x0E sub=9 taken=1", "file:1:15: " DISAGREE}, {"code=0x0E sub=13 mp=1", "file:1:15: " DISAGREE},
	{"code=0x0E sub=11 taken=0", "file:1:15: " DISAGREE}, {"code=0x0E taken=0 mp=2", "file:1:6: " DISAGREE},
	{"code=0x0E sub=4 taken=1", "file:1:15: " DISAGREE},
	{"code=0x0F sub=3 taken=0", "file:1:15: " DISAGREE}, {"code=0x0F sub=4 taken=1", "file:1:15: " DISAGREE},
	{"code=0x0F sub=2 mp=1", "file:1:15: " DISAGREE}, {"code=0x0F sub=7 taken=1 level=2", "file:1:15: " DISAGREE},
	{"code=0x0F mp=1", "file:1:6: " OPEN}, {"code=0x0F level=4 taken=1", "file:1:6: " DISAGREE},
	{"code=0x10 sub=1 mp=2", "file:1:15: " DISAGREE}, {"code=0x10 sub=9 level=1", "file:1:15: " DISAGREE},
	{"code=0x10 sub=2 mp=2", "file:1:15: " DISAGREE}, {"code=0x10 sub=3 taken=0", "file:1:15: " DISAGREE},
	{"code=0x60 level=4", "file:1:6: " DISAGREE}, {"code=0x61 level=1", "file:1:6: " DISAGREE},
	{"code=0x27 sub=1 level=1", "file:1:15: " DISAGREE},
};

static void test_lines_that_agree(void **state)
{
	struct trace_batch *batch = malloc(sizeof *batch);

	(void)state;
	for (size_t i = 0; i < sizeof agreeing / sizeof *agreeing; i++)
		for (unsigned form = 0; form < 3; form++) {
			const struct occurrence *o = batch->occurrence;
			char named[128];
			struct trace *t;

			write_binary(agreeing[i].text);
			snprintf(named, sizeof named, "target=itanium\n%s", agreeing[i].text);
			t = form == 0 ? trace_open_memory("file", written, written_size, THREADS) :
					open_text(form == 1 ? agreeing[i].text : named);
			if ((form == 2 ? trace_lines(t, batch) : check_line(t, batch)) != 1)
				fail_msg("%s: %s", agreeing[i].text, trace_error(t));
			if (o->sub != agreeing[i].sub || o->branch != agreeing[i].branch ||
			    o->slot != agreeing[i].slot || o->served != agreeing[i].served)
				fail_msg("%s: sub %u, branch %#x, slot %u, level %u", agreeing[i].text, o->sub,
					 o->branch, o->slot, o->served);
			trace_close(t);
		}
	free(batch);
}

static void test_lines_that_disagree(void **state)
{
	struct trace_batch *batch = malloc(sizeof *batch);

	(void)state;
	for (size_t i = 0; i < sizeof disagreeing / sizeof *disagreeing; i++) {
		struct trace *t = open_text(disagreeing[i].text);

		if (check_line(t, batch) != -1)
			fail_msg("%s is taken", disagreeing[i].text);
		assert_string_equal(trace_error(t), disagreeing[i].message);
		trace_close(t);
		write_binary(disagreeing[i].text);
		t = trace_open_memory("file", written, written_size, THREADS);
		if (check_line(t, batch) != -1)
			fail_msg("%s is taken from a binary trace", disagreeing[i].text);
		assert_string_equal(strstr(trace_error(t), "expected"), strstr(disagreeing[i].message, "expected"));
		trace_close(t);
	}
	free(batch);
}

// A target whose sub-events say nothing of that takes all lines as they are.
static void test_targets_without_such_sub_events(void **state)
{
	struct trace_batch *batch = malloc(sizeof *batch);

	(void)state;
	for (size_t i = 0; i < sizeof disagreeing / sizeof *disagreeing; i++) {
		struct trace *t = open_text(disagreeing[i].text);
		struct occurrence plain = *line_of(disagreeing[i].text);

		trace_expect(t, "nehalem");
		assert_int_equal(trace_lines(t, batch), 1);
		assert_memory_equal(batch->occurrence, &plain, sizeof plain);
		trace_close(t);
	}
	free(batch);
}

// Version 1 has no target in its header.
static void test_binary_of_version_1(void **state)
{
	struct trace_batch batch;
	struct trace *t;

	(void)state;
	write_binary("code=0x1234\ncode=0x5678\n");
	written[8] = 1;
	memmove(written + 32, written + 56, written_size - 56);
	t = trace_open_memory("file", written, written_size - 24, THREADS);
	assert_int_equal(trace_lines(t, &batch), 1);
	assert_int_equal(batch.count, 2);
	assert_int_equal(batch.occurrence[1].code, 0x5678);
	assert_string_equal(trace_target(t), "");
	trace_close(t);
}

//
// Whose trace it is
//

static void test_target_of_a_text(void **state)
{
	struct trace *t = open_text("# a trace\n\n  target=knc\t# of this one\ncode=1 taken=1 target=0x20\n");
	struct trace_batch batch;

	(void)state;
	trace_expect(t, "knc");
	assert_string_equal(trace_target(t), "");
	assert_int_equal(trace_lines(t, &batch), 1);
	assert_string_equal(trace_target(t), "knc");
	assert_int_equal(batch.count, 1);
	assert_int_equal(batch.line[0], 4);
	assert_int_equal(batch.occurrence[0].target, 0x20);
	trace_rewind(t);
	assert_int_equal(trace_lines(t, &batch), 1);
	assert_string_equal(trace_target(t), "knc");
	trace_close(t);
}

static void test_target_that_is_wrong(void **state)
{
	(void)state;
	assert_wrong("target=i386\n", "file:1:8: expected one of these targets: nehalem, nehalem-uncore, knc, itanium, "
		     "sparct4, sparct4-dram");
	assert_wrong("target=\n", "file:1:8: expected target= a number from 0 to 18446744073709551615");
	assert_wrong("target=abcdefghijklmnopqrstuvwx\n", "file:1:8: expected target= a target's name");
	assert_wrong("target=knc\ntarget=knc\n", "file:2:1: expected target= a number; target=NAME is the first line");
	assert_wrong("code=1\ntarget=knc\n", "file:2:1: expected target= a number; target=NAME is the first line");
	assert_wrong("target=knc code=1\n", "file:1:12: expected the end of the line behind target=NAME");
	// It has one thread.
	assert_wrong("target=itanium\ncode=1 thread=1\n", "file:2:15: expected thread= a number from 0 to 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_that_agree),
		cmocka_unit_test(test_lines_that_disagree),
		cmocka_unit_test(test_targets_without_such_sub_events),
		cmocka_unit_test(test_every_key_is_taken),
		cmocka_unit_test(test_what_is_left_out),
		cmocka_unit_test(test_presence_of_addr_and_taken),
		cmocka_unit_test(test_instruction_types),
		cmocka_unit_test(test_kinds_of_branches),
		cmocka_unit_test(test_comments_blanks_and_line_ends),
		cmocka_unit_test(test_longest_line),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_nul_bytes),
		cmocka_unit_test(test_segments),
		cmocka_unit_test(test_table_6_1),
		cmocka_unit_test(test_lines_across_batches),
		cmocka_unit_test(test_overlap_limit),
		cmocka_unit_test(test_rewind),
		cmocka_unit_test(test_binary_bytes),
		cmocka_unit_test(test_binary_equals_text),
		cmocka_unit_test(test_printed_text_equals_text),
		cmocka_unit_test(test_binary_cut_off),
		cmocka_unit_test(test_binary_corrupt),
		cmocka_unit_test(test_binary_of_version_1),
		cmocka_unit_test(test_target_of_a_text),
		cmocka_unit_test(test_target_that_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
