// SPDX-License-Identifier: BSD-2-Clause
// The meaning of a trace's lines for its target: sub-events that imply other words, the named
// target; and printed lines.

#include "trace_lines.h"

//
// Printing
//

static const char many[] =
	"t=5 cycles=3 n=7 code=0x123 sub=0xF5 cpl=3 isa=1 ip=0xA000000000000010 slot=2 "
	"op=0x1FFFFFFFFFF "
	"itype=m addr=18446744073709551615 lat=400 level=3 taken=1 target=0X20 mp=3 thread=1\n"
	"code=1\nt=9 code=2 addr=0\nt=9 code=3 taken=0\nt=9 code=4 mp=2\ncode=5 n=0\n"
	"code=0xc4 sub=4 kind=cond taken=0\ncode=0x188 kind=far level=14\n"
	"code=0x6C itype=m by=rse addr=8\ncode=0x6D by=vhpt addr=16\n";

// Reading printed text reproduces the lines.
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
	assert_memory_equal(second->occurrence, first.occurrence,
			    first.count * sizeof *first.occurrence);
	free(text);
}

//
// Sub-events that imply other words of their line
//

static int check_line(struct trace *t, struct trace_batch *batch)
{
	trace_expect(t, "itanium");
	return trace_lines(t, batch);
}

// Computed by hand from section 7.8. BRANCH_TAKEN_SLOT, 0x0D: 1, 2, 4: the slot of the first taken
// branch; 8: none. BRANCH_MULTIWAY, 0x0E: 8 not taken, 12 taken; 1 correct, 2 wrong path, 3 wrong
// target. BRANCH_PATH, 0x0F: 4, 8, 12: stage; 0 not taken and wrong, 1 taken and wrong, 2, 3 the
// same and right. BRANCH_PREDICTOR, 0x10: stage as before, prediction as BRANCH_MULTIWAY.
#define B	OCCURRENCE_BRANCH
#define T	(OCCURRENCE_BRANCH | OCCURRENCE_TAKEN)
#define P	OCCURRENCE_WRONG_PATH
#define A	OCCURRENCE_WRONG_TARGET

static const struct {
	const char *text;
	uint16_t sub;
	uint8_t branch, slot, served;
} agreeing[] = {
	// the other words imply the sub-event
	{"code=0x0D taken=1", 1, T, 0, 0}, {"code=0x0D taken=1 slot=2", 4, T, 2, 0},
	{"code=0x0D taken=0 slot=2", 8, B, 2, 0},
	{"code=0x0D kind=jmp slot=1 mp=1", 2, T | P | OCCURRENCE_KIND_JUMP, 1, 0},
	{"code=0x0E taken=1", 13, T, 0, 0}, {"code=0x0E taken=0 mp=1", 10, B | P, 0, 0},
	{"code=0x0E taken=1 mp=2", 15, T | A, 0, 0},
	{"code=0x0E taken=1 mp=3", 14, T | P | A, 0, 0},
	{"code=0x0E sub=12 mp=1", 14, P, 0, 0}, {"code=0x0E sub=8 taken=0", 9, B, 0, 0},
	{"code=0x0F taken=1", 3, T, 0, 0}, {"code=0x0F taken=0", 2, B, 0, 0},
	{"code=0x0F taken=1 mp=1 level=2", 9, T | P, 0, 2},
	{"code=0x0F taken=0 mp=1", 0, B | P, 0, 0},
	{"code=0x0F taken=1 mp=2 level=3", 15, T | A, 0, 3},
	{"code=0x10 taken=1 level=1", 5, T, 0, 1}, {"code=0x10 taken=0 mp=1 level=3", 14, B | P, 0,
						    3},
	{"code=0x10 mp=2", 3, A, 0, 0}, {"code=0x10 level=2", 8, 0, 0, 2},
	{"code=0x10 sub=3 level=2", 11, 0, 0, 2},
	// the sub-event implies the other words
	{"code=0x0D sub=4 taken=1", 4, T, 2, 0}, {"code=0x0D sub=8 taken=0 slot=1", 8, B, 1, 0},
	{"code=0x0E sub=14 taken=1", 14, T | P, 0, 0},
	{"code=0x0E sub=15 taken=1", 15, T | A, 0, 0},
	{"code=0x0F sub=4 taken=0", 4, B | P, 0, 1}, {"code=0x0F sub=13 taken=1", 13, T | P, 0, 3},
	{"code=0x10 sub=6 taken=1", 6, T | P, 0, 1},
	{"code=0x10 sub=10 taken=1 mp=3", 10, T | P | A, 0, 2},
	// nothing is implied
	{"code=0x0D", 0, 0, 0, 0}, {"code=0x0D sub=3", 3, 0, 0, 0},
	{"code=0x0E sub=13", 13, 0, 0, 0},
	{"code=0x0F sub=2", 2, 0, 0, 0}, {"code=0x12 taken=1 mp=2 slot=2 level=9", 0, T | A, 2, 9},
	{"code=0x60 level=1", 0, 0, 0, 1}, {"code=0x61 level=3", 0, 0, 0, 3},
	{"code=0x27 level=2", 0, 0, 0, 2},
	{"code=0x61 slot=2", 0, 0, 2, 0},
};

#define DISAGREE "expected taken, mp, slot and level that agree with code and sub"
#define OPEN "expected sub, or a word that implies it: taken, mp, slot or level"

static const struct mistake disagreeing[] = {
	{"code=0x0D sub=2 taken=1 slot=2", "file:1:15: " DISAGREE},
	{"code=0x0D sub=8 taken=1", "file:1:15: " DISAGREE},
	{"code=0x0D sub=1 taken=0", "file:1:15: " DISAGREE},
	{"code=0x0D sub=1 slot=1", "file:1:15: " DISAGREE},
	{"code=0x0D sub=3 taken=1", "file:1:15: " DISAGREE},
	{"code=0x0D slot=1", "file:1:6: " OPEN},
	{"code=0x0E sub=9 taken=1", "file:1:15: " DISAGREE},
	{"code=0x0E sub=13 mp=1", "file:1:15: " DISAGREE},
	{"code=0x0E sub=11 taken=0", "file:1:15: " DISAGREE},
	{"code=0x0E taken=0 mp=2", "file:1:6: " DISAGREE},
	{"code=0x0E sub=4 taken=1", "file:1:15: " DISAGREE},
	{"code=0x0F sub=3 taken=0", "file:1:15: " DISAGREE},
	{"code=0x0F sub=4 taken=1", "file:1:15: " DISAGREE},
	{"code=0x0F sub=2 mp=1", "file:1:15: " DISAGREE},
	{"code=0x0F sub=7 taken=1 level=2", "file:1:15: " DISAGREE},
	{"code=0x0F mp=1", "file:1:6: " OPEN}, {"code=0x0F level=4 taken=1", "file:1:6: " DISAGREE},
	{"code=0x10 sub=1 mp=2", "file:1:15: " DISAGREE},
	{"code=0x10 sub=9 level=1", "file:1:15: " DISAGREE},
	{"code=0x10 sub=2 mp=2", "file:1:15: " DISAGREE},
	{"code=0x10 sub=3 taken=0", "file:1:15: " DISAGREE},
	{"code=0x60 level=4", "file:1:6: " DISAGREE}, {"code=0x61 level=1", "file:1:6: " DISAGREE},
	{"code=0x27 sub=1 level=1", "file:1:15: " DISAGREE},
};

// The reader searches sub-events by code, so they must be sorted.
static void test_meanings_are_in_order_of_codes(void **state)
{
	(void)state;
	for (const struct target_meanings *const *t = target_meanings; *t; t++)
		for (size_t i = 1; i < (*t)->sub_count; i++)
			assert_true((*t)->sub[i - 1].code <= (*t)->sub[i].code);
}

static void test_lines_that_agree(void **state)
{
	struct trace_batch *batch = malloc(sizeof *batch);

	(void)state;
	for (size_t i = 0; i < sizeof agreeing / sizeof *agreeing; i++)
		for (unsigned named = 0; named < 2; named++) {
			const struct occurrence *o = batch->occurrence;
			char text[128];
			struct trace *t;

			snprintf(text, sizeof text, "%s%s", named ? "target=itanium\n" : "",
				 agreeing[i].text);
			t = open_text(text);
			if ((named ? trace_lines(t, batch) : check_line(t, batch)) != 1)
				fail_msg("%s: %s", agreeing[i].text, trace_error(t));
			if (o->sub != agreeing[i].sub || o->branch != agreeing[i].branch ||
			    o->slot != agreeing[i].slot || o->served != agreeing[i].served)
				fail_msg("%s: sub %u, branch %#x, slot %u, level %u",
					 agreeing[i].text, o->sub, o->branch, o->slot, o->served);
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
	}
	free(batch);
}

// A target whose sub-events imply nothing accepts all lines unchanged.
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

static void test_target_of_a_text(void **state)
{
	struct trace *t =
		open_text("# a trace\n\n  target=knc\t# of this one\ncode=1 taken=1 target=0x20\n");
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
	assert_wrong("target=i386\n",
		     "file:1:8: expected one of these targets: nehalem, nehalem-uncore, knc, "
		     "itanium, "
		     "sparct4, sparct4-dram, intel, amd");
	assert_wrong("target=\n",
		     "file:1:8: expected target= a number from 0 to 18446744073709551615");
	assert_wrong("target=abcdefghijklmnopqrstuvwx\n",
		     "file:1:8: expected target= a target's name");
	assert_wrong("target=knc\ntarget=knc\n",
		     "file:2:1: expected target= a number; target=NAME is the first line");
	assert_wrong("code=1\ntarget=knc\n",
		     "file:2:1: expected target= a number; target=NAME is the first line");
	assert_wrong("target=knc code=1\n",
		     "file:1:12: expected the end of the line after target=NAME");
	// The target has one thread.
	assert_wrong("target=itanium\ncode=1 thread=1\n",
		     "file:2:15: expected thread= a number from 0 to 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_meanings_are_in_order_of_codes),
		cmocka_unit_test(test_lines_that_agree),
		cmocka_unit_test(test_lines_that_disagree),
		cmocka_unit_test(test_targets_without_such_sub_events),
		cmocka_unit_test(test_printed_text_equals_text),
		cmocka_unit_test(test_target_of_a_text),
		cmocka_unit_test(test_target_that_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
