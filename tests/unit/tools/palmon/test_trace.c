// SPDX-License-Identifier: BSD-2-Clause
// Text traces: meanings of lines, lines that happen together, messages about mistakes and their
// positions.

#include "trace_lines.h"

//
// Lines
//

static void test_every_key_is_taken(void **state)
{
	static const struct occurrence all = {
		.code = 0x123, .sub = 0xF5, .n = 7, .thread = 1, .level = 3, .isa = 1,
		.type = OCCURRENCE_TYPE_M | OCCURRENCE_TYPE_WALKER,
		.slot = 2, .served = 3, .data = 1, .latency = 400, .ip = 0xA000000000000010,
		.opcode = 0x1FFFFFFFFFF,
		.address = 0xFFFFFFFFFFFFFFFF, .target = 0x20,
		.branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_WRONG_PATH |
			OCCURRENCE_WRONG_TARGET |
			  OCCURRENCE_KIND_JUMP_INDIRECT,
	};
	const struct trace_batch *batch = lines_of(
		"t=5 cycles=3 n=7 code=0x123 sub=0xF5 cpl=3 isa=1 ip=0xA000000000000010 slot=2 "
		"op=0x1FFFFFFFFFF "
		"itype=m by=vhpt addr=18446744073709551615 lat=400 level=3 taken=1 target=0X20 "
		"kind=ijmp mp=3 "
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
	assert_int_equal(batch->start[1], 4);		// default: after the last line
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
	assert_int_equal(line_of("code=1 taken=0 mp=1")->branch,
			 OCCURRENCE_BRANCH | OCCURRENCE_WRONG_PATH);
	assert_int_equal(line_of("code=1 taken=0 mp=2")->branch,
			 OCCURRENCE_BRANCH | OCCURRENCE_WRONG_TARGET);
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
	assert_int_equal(line_of("code=1 by=vhpt itype=m")->type,
			 OCCURRENCE_TYPE_WALKER | OCCURRENCE_TYPE_M);
}

static void test_kinds_of_branches(void **state)
{
	static const struct {
		const char *text;
		uint8_t branch;
	} kinds[] = {
		{"code=1 kind=call", OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_KIND_CALL},
		{"code=1 kind=icall", OCCURRENCE_BRANCH | OCCURRENCE_TAKEN |
		 OCCURRENCE_KIND_CALL_INDIRECT},
		{"code=1 kind=ret # to the caller", OCCURRENCE_BRANCH | OCCURRENCE_TAKEN |
		 OCCURRENCE_KIND_RETURN},
		{"code=1 kind=ijmp", OCCURRENCE_BRANCH | OCCURRENCE_TAKEN |
		 OCCURRENCE_KIND_JUMP_INDIRECT},
		{"code=1 kind=jmp", OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_KIND_JUMP},
		{"code=1 kind=far", OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_KIND_FAR},
		{"code=1 kind=7", OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_KIND_FAR},
		{"code=1 kind=0", OCCURRENCE_BRANCH | OCCURRENCE_TAKEN},
		{"code=1 kind=cond taken=0", OCCURRENCE_BRANCH | OCCURRENCE_KIND_CONDITIONAL},
		{"code=1 taken=1 kind=cond", OCCURRENCE_BRANCH | OCCURRENCE_TAKEN |
		 OCCURRENCE_KIND_CONDITIONAL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		assert_int_equal(line_of(kinds[i].text)->branch, kinds[i].branch);
}

static void test_comments_blanks_and_line_ends(void **state)
{
	const struct trace_batch *batch =
		lines_of("# one\n\n  \t code=1\tn=2# two\r\n#code=3\ncode=4 # three\r\n   ");

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
// Mistakes. Line and column are counted from 1; the column is that of the wrong text, or of the
// place of missing text.
//

#define KEYS "t, cycles, n, code, sub, cpl, isa, ip, slot, op, itype, by, addr, lat, level, " \
	     "taken, target, kind, mp " \
	"or thread"

static const struct mistake mistakes[] = {
	{"code=1\n\n# c\n  bad=1", "file:4:3: expected " KEYS},
	{"code=1 cod=2", "file:1:8: expected " KEYS},
	{"code=1 codes=2", "file:1:8: expected " KEYS},
	{"CODE=1", "file:1:1: expected " KEYS},
	{"code=1 =2", "file:1:8: expected " KEYS},
	{"code=1, n=2", "file:1:6: expected code= a number from 0 to 65535"},
	{"code", "file:1:5: expected '=' after code"},
	{"code 1", "file:1:5: expected '=' after code"},
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
	{"code=1 ip=18446744073709551616",
	 "file:1:11: expected ip= a number from 0 to 18446744073709551615"},
	{"code=1 ip=0x10000000000000000",
	 "file:1:11: expected ip= a number from 0 to 18446744073709551615"},
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
	{"code=1 kind=8",
	 "file:1:13: expected kind=cond, call, icall, ret, ijmp, jmp, far, or 0 to 7"},
	{"code=1 kind=calls",
	 "file:1:13: expected kind=cond, call, icall, ret, ijmp, jmp, far, or 0 to 7"},
	{"code=1 kind=",
	 "file:1:13: expected kind=cond, call, icall, ret, ijmp, jmp, far, or 0 to 7"},
	{"code=1 t=9\ncode=1 t=8", "file:2:10: expected t= from 9, where the line before starts"},
	{"code=1 t=72057594037927936",
	 "file:1:10: expected an end no later than cycle 72057594037927936"},
	{"t=1 code=1 cycles=72057594037927936",
	 "file:1:19: expected an end no later than cycle 72057594037927936"},
	{"code=1 n=4294967295 cycles=0x1000001",
	 "file:1:28: expected no more than 72057594037927936 events in all"},
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
	assert_int_equal(trace_next(t, &s), -1);		// the error persists
	trace_close(t);
}

//
// Segments
//

// The segments of a text as a string: "CYCLESxN" for each, where N is the sum of its lines.
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
			sum += s.signals[i].n;
		snprintf(found + strlen(found), sizeof found - strlen(found), "%s%llux%llu",
			 *found ? " " : "", (unsigned long long)s.cycles, (unsigned long long)sum);
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
	assert_string_equal(segments_of("t=0 code=1 cycles=2\nt=0 code=2 n=5 cycles=2\ncode=1"),
			    "2x6 1x1");
	assert_string_equal(segments_of("t=0 code=1 cycles=4\nt=0 code=2 n=5 cycles=2"), "2x6 2x1");
	assert_string_equal(segments_of("t=0 code=1 cycles=9\nt=2 code=1 n=10 cycles=3\ncode=1 "
					"n=100 cycles=2"),
			    "2x1 3x11 2x101 2x1");
	assert_string_equal(
		segments_of("t=0 code=1 cycles=2\nt=1 code=1 n=10 cycles=2\nt=9 code=1"),
			    "1x1 1x11 1x10 6x0 1x1");
}

// Section 6.1.1.3, Table 6-1: five requests, one more in each cycle, each live for three cycles.
// n_live is 1, 2, 3, 3, 3, 2, 1 (and 0 in the eighth cycle).
static void test_table_6_1(void **state)
{
	(void)state;
	assert_string_equal(segments_of("t=0 cycles=3 code=1\nt=1 cycles=3 code=1\nt=2 cycles=3 "
					"code=1\n"
					"t=3 cycles=3 code=1\nt=4 cycles=3 code=1"),
			    "1x1 1x2 1x3 1x3 1x3 1x2 1x1");
}

// More lines than fit into a batch, in one cycle, and in separate cycles.
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
			sum += s.signals[i].n * s.cycles;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
