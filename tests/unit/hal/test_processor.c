// SPDX-License-Identifier: BSD-2-Clause
// The parser of .machine files: the texts that it accepts, and its messages for others.

#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "../../../hal/emu/model/processor.h"

#define CACHE_LINES						\
	"cache L1I bytes=32K ways=4 line=64 | here\n"		\
	"cache L1D bytes=32K ways=8 line=64 policy=plru | here\n" \
	"cache L2 bytes=96K ways=6 line=64 | here\n"

static struct processor_error error;

static bool reads(struct processor *p, const char *text)
{
	return processor_read(p, text, strlen(text), &error);
}

static void sets_follow_from_bytes_ways_and_lines(void **state)
{
	struct processor p;

	(void)state;
	assert_true(reads(&p, "# comment\n\n" CACHE_LINES
			      "tlb DTLB page=2M entries=32 ways=4 | here\n"
			      "latency L2 10 | there\n" "width M 2 | there # and more"));
	assert_int_equal(p.cache[CACHE_L1D].sets, 64);		// 32,768 / 64 / 8
	assert_int_equal(p.cache[CACHE_L1D].line_shift, 6);
	assert_int_equal(p.cache[CACHE_L1D].policy, CACHE_PLRU);
	assert_int_equal(p.cache[CACHE_L2].sets, 256);		// 98,304 / 64 / 6
	assert_int_equal(p.cache[CACHE_L3].ways, 0);
	assert_int_equal(p.tlb[TLB_DTLB][PAGE_2M].sets, 8);
	assert_int_equal(p.tlb[TLB_DTLB][PAGE_2M].line_shift, 21);
	assert_int_equal(p.latency[LATENCY_L2], 10);
	assert_int_equal(p.latency[LATENCY_L3], 0);
	assert_int_equal(p.width[WIDTH_M], 2);
}

// An invalid line after valid ones, and its message.
static const struct {
	const char *line, *says;
} wrong[] = {
	{"chache L3 bytes=8M ways=16 line=64 | x",
	 "chache is none of cache, tlb, latency, width, prefetcher, queue, predictor, uops"},
	{"cache", "it has no source: '| SOURCE'"},
	{"uops add r | x", "uops needs mnemonics, a form and micro-ops"},
	{"uops add q p0 | x", "q is not r, m, d or s, a width of 8 to 80, and :1, :2, :3 or :i"},
	{"uops add r32:4 p0 | x",
	 "r32 is not r, m, d or s, a width of 8 to 80, and :1, :2, :3 or :i"},
	{"uops add r p6 | x", "p6 is none of p0 to p012345, load, sta, std, none"},
	{"uops add r p0*17 | x", "more than 16 micro-ops"},
	{"uops add r p0 latency=300 | x", "uops: more than 255 cycles"},
	{"uops add r p0 ways=3 | x", "uops can have no ways"},
	{"uops add,add r p0 | x", "uops add is there twice"},
	{"cache | x", "a cache without a name"},
	{"cache L4 bytes=8M ways=16 line=64 | x", "there is no cache L4"},
	{"cache L3 bytes=8M ways=16 line=64", "it has no source: '| SOURCE'"},
	{"cache L3 bytes=8M ways=16 line=64 | ", "it has no source: '| SOURCE'"},
	{"| x", "a source without a statement"},
	{"cache L3 ways=16 line=64 | x", "L3 has no bytes"},
	{"cache L3 bytes=8M line=64 | x", "L3 has no ways"},
	{"cache L3 bytes=8M ways=16 | x", "L3 has no line"},
	{"cache L3 bytes=8M ways=16 line=64 page=4K | x", "L3 can have no page"},
	{"cache L3 bytes=8M ways=16 line=64 color=1 | x", "there is no key color"},
	{"cache L3 bytes=8M ways=16 line=64 ways=16 | x", "ways is there twice"},
	{"cache L3 bytes=8M ways=16 line=64 big | x", "big is not KEY=VALUE"},
	{"cache L3 bytes=8M ways=16 line=64 policy=random | x", "there is no policy random"},
	{"cache L3 bytes=8M ways=x line=64 | x", "ways: x is not a number"},
	{"cache L3 bytes=8M ways= line=64 | x", "ways:  is not a number"},
	{"cache L3 bytes=8M ways=-16 line=64 | x", "ways: -16 is not a number"},
	{"cache L3 bytes=8G ways=16 line=64 | x", "bytes: 8G is not a number"},
	{"cache L3 bytes=8MM ways=16 line=64 | x", "bytes: 8MM is not a number"},
	{"cache L3 bytes=0 ways=16 line=64 | x", "bytes: 0 is not from 1 to 1024M"},
	{"cache L3 bytes=1025M ways=16 line=64 | x", "bytes: 1025M is not from 1 to 1024M"},
	{"cache L3 bytes=99999999999999999999 ways=1 line=64 | x",
	 "bytes: 99999999999999999999 is not a number"},
	{"cache L3 bytes=8M ways=16 line=48 | x",
	 "L3: a line of 48 bytes is not a power of two from 16 to 4096"},
	{"cache L3 bytes=8M ways=16 line=8 | x",
	 "L3: a line of 8 bytes is not a power of two from 16 to 4096"},
	{"cache L3 bytes=100 ways=1 line=64 | x", "L3: 100 bytes are no whole number of lines"},
	{"cache L3 bytes=96K ways=4 line=64 | x",
	 "L3: 1536 lines in 4 ways are not a power of two of sets"},
	{"cache L3 bytes=64 ways=16 line=64 | x",
	 "L3: 1 lines in 16 ways are not a power of two of sets"},
	{"cache L3 bytes=8M ways=1K line=64 | x", "L3 has more than 512 ways, or 4194304 lines"},
	{"cache L3 bytes=1024M ways=16 line=64 | x", "L3 has more than 512 ways, or 4194304 lines"},
	{"cache L3 bytes=96K ways=6 line=64 policy=plru | x",
	 "L3: plru needs a power of two of ways, 64 at most"},
	{"cache L1D bytes=32K ways=8 line=64 | x", "L1D is there twice"},
	{"tlb UTLB page=4K entries=64 ways=4 | x", "there is no tlb UTLB"},
	{"tlb DTLB page=8K entries=64 ways=4 | x", "there is no page 8K"},
	{"tlb DTLB page=4K ways=4 | x", "DTLB has no entries"},
	{"tlb DTLB page=4K entries=64 ways=4 inclusive | x", "DTLB cannot be inclusive"},
	{"tlb DTLB page=4K entries=63 ways=4 | x",
	 "DTLB: 63 lines in 4 ways are not a power of two of sets"},
	{"latency L9 4 | x", "there is no latency L9"},
	{"latency L2 | x", "latency L2 without a number"},
	{"latency L2 4 5 | x", "5 is too much"},
	{"latency L2 0 | x", "L2: 0 is not from 1 to 1024M"},
	{"width M two | x", "M: two is not a number"},
	{"prefetcher L3_NEXT lines=4 | x", "there is no prefetcher L3_NEXT"},
	{"prefetcher L1D_NEXT | x", "L1D_NEXT has no lines"},
	{"prefetcher L1D_NEXT lines=4", "it has no source: '| SOURCE'"},
	{"prefetcher L1D_NEXT lines=4 ahead=2 | x", "L1D_NEXT can have no ahead"},
	{"prefetcher L1D_NEXT lines=17 | x", "L1D_NEXT: lines is more than 16"},
	{"prefetcher L1D_NEXT lines=4 paired | x", "L1D_NEXT cannot be paired"},
	{"prefetcher L1D_STRIDE entries=256 | x", "L1D_STRIDE has no distance"},
	{"prefetcher L1D_STRIDE entries=512 distance=2K | x",
	 "L1D_STRIDE: entries is more than 256"},
	{"prefetcher L1D_STRIDE entries=255 distance=2K | x",
	 "L1D_STRIDE: 255 entries are not a power of two"},
	{"prefetcher L1D_STRIDE entries=256 distance=5K | x",
	 "L1D_STRIDE: distance is more than 4096"},
	{"prefetcher L2_STREAM forward=1 backward=1 ahead=8 | x", "L2_STREAM has no each"},
	{"prefetcher L2_STREAM forward=33 backward=1 ahead=8 each=2 | x",
	 "L2_STREAM: forward is more than 32"},
	{"prefetcher L2_STREAM forward=1 backward=1 ahead=8 each=9 | x",
	 "L2_STREAM: each is more than 8"},
	{"cache L3 bytes=8M ways=16 line=64 paired | x", "L3 cannot be paired"},
	{"queue LINE 4 | x", "there is no queue LINE"},
	{"queue FILL 65 | x", "FILL has more than 64 entries"},
	{"predictor BTB entries=256 ways=4 | x", "there is no predictor BTB"},
	{"predictor TARGETS entries=256 ways=4", "it has no source: '| SOURCE'"},
	{"predictor TARGETS entries=256 | x", "TARGETS has no ways"},
	{"predictor TARGETS entries=250 ways=4 | x",
	 "TARGETS: 250 lines in 4 ways are not a power of two of sets"},
	{"predictor TARGETS entries=16K ways=4 | x", "TARGETS has more than 8192 entries"},
	{"predictor TARGETS entries=256 ways=4 policy=lru | x", "TARGETS can have no policy"},
	{"predictor TARGETS entries=256 ways=4 inclusive | x", "TARGETS cannot be inclusive"},
	{"predictor INDIRECT entries=256 ways=4 | x", "INDIRECT has no history"},
	{"predictor INDIRECT entries=256 ways=4 history=17 | x",
	 "INDIRECT: history is more than 16"},
	{"predictor PATTERNS entries=1000 history=8 | x",
	 "PATTERNS: 1000 entries are not a power of two"},
	{"predictor PATTERNS entries=1 history=8 | x",
	 "PATTERNS: 1 entries are not a power of two"},
	{"predictor PATTERNS entries=128K history=8 | x", "PATTERNS: entries is more than 65536"},
	{"predictor PATTERNS entries=1K history=33 | x", "PATTERNS: history is more than 32"},
	{"predictor PATTERNS entries=1K history=8 decoded | x", "PATTERNS cannot be decoded"},
	{"predictor RETURNS entries=65 | x", "RETURNS: entries is more than 64"},
	{"cache \x01", "a character that is not printable ASCII"},
	{"cache L\xc3\xa9", "a character that is not printable ASCII"},
};

static void each_wrong_line_is_named(void **state)
{
	char text[1000];
	struct processor p;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		snprintf(text, sizeof text, CACHE_LINES "%s\nmore", wrong[i].line);
		assert_false(reads(&p, text));
		assert_string_equal(error.text, wrong[i].says);
		assert_int_equal(error.line, 4);
	}
}

static void a_part_is_described_once(void **state)
{
	struct processor p;

	(void)state;
	assert_true(reads(&p,
			  CACHE_LINES "prefetcher L2_STREAM forward=16 backward=4 ahead=8 each=2 "
				      "paired | x\n"
			      "prefetcher L1D_STRIDE entries=256 distance=2K | x\nqueue FILL 10 "
			      "| x"));
	assert_int_equal(p.prefetchers.forward, 16);
	assert_int_equal(p.prefetchers.backward, 4);
	assert_int_equal(p.prefetchers.ahead, 8);
	assert_int_equal(p.prefetchers.each, 2);
	assert_true(p.prefetchers.paired);
	assert_int_equal(p.prefetchers.stride_distance, 2048);
	assert_int_equal(p.prefetchers.next_lines, 0);
	assert_int_equal(p.queue[QUEUE_FILL], 10);
	assert_false(reads(&p,
			   CACHE_LINES "prefetcher L1D_NEXT lines=4 | x\nprefetcher L1D_NEXT "
				       "lines=4 | x"));
	assert_string_equal(error.text, "L1D_NEXT is there twice");
	assert_false(reads(&p, CACHE_LINES "queue FILL 10 | x\nqueue FILL 10 | x"));
	assert_string_equal(error.text, "queue FILL is there twice");
}

static void a_predictor_is_described_once(void **state)
{
	struct processor p;

	(void)state;
	assert_true(reads(&p, CACHE_LINES "predictor TARGETS entries=2K ways=4 decoded | x\n"
			      "predictor PATTERNS entries=16K history=18 | x\n"
			      "predictor INDIRECT entries=512 ways=4 history=8 | x\npredictor "
			      "RETURNS entries=16 | x"));
	assert_int_equal(p.predictor.targets.sets, 512);
	assert_int_equal(p.predictor.indirect.sets, 128);
	assert_int_equal(p.predictor.patterns, 16384);
	assert_int_equal(p.predictor.history, 18);
	assert_int_equal(p.predictor.indirect_history, 8);
	assert_int_equal(p.predictor.returns, 16);
	assert_true(p.predictor.decoder);
	assert_false(reads(&p,
			   CACHE_LINES "predictor RETURNS entries=16 | x\npredictor RETURNS "
				       "entries=16 | x"));
	assert_string_equal(error.text, "RETURNS is there twice");
	assert_false(reads(&p, CACHE_LINES "predictor RETURNS entries=16 | x"));
	assert_string_equal(error.text, "there is a predictor, but no TARGETS");
}

static void what_is_missing_is_no_line_s(void **state)
{
	struct processor p;

	(void)state;
	assert_false(reads(&p, ""));
	assert_int_equal(error.line, 0);
	assert_string_equal(error.text, "there is no cache L1I");
	assert_false(reads(&p, CACHE_LINES "tlb STLB page=4K entries=512 ways=4 | x"));
	assert_int_equal(error.line, 0);
	assert_string_equal(error.text, "there is an STLB, but no DTLB for pages of 4K");
	assert_false(reads(&p,
			   "cache L1I bytes=16K ways=4 line=32 | x\ncache L1D bytes=16K ways=4 "
			   "line=32 | x\n"
			       "cache L2 bytes=96K ways=6 line=64 | x\nprefetcher L1D_NEXT lines=4 "
			       "| x"));
	assert_string_equal(error.text, "prefetchers and FILL need lines of 64 bytes");
}

static void long_lines_and_zeros_are_refused(void **state)
{
	char text[202];
	struct processor p;

	(void)state;
	memset(text, '#', sizeof text);
	assert_false(processor_read(&p, text, 201, &error));
	assert_string_equal(error.text, "more than 200 characters");
	assert_false(processor_read(&p, text, 200, &error));
	assert_string_equal(error.text, "there is no cache L1I");
	assert_false(processor_read(&p, "a\0b", 3, &error));
	assert_string_equal(error.text, "a character that is not printable ASCII");
}

static void a_machine_gets_what_it_needs_or_a_name(void **state)
{
	struct processor p;

	(void)state;
	assert_true(reads(&p, CACHE_LINES "latency L2 10 | x"));
	assert_true(processor_has(&p, &(struct processor_needs){.caches = 7,
								.latencies = 1u << LATENCY_L2},
								&error));
	assert_false(processor_has(&p, &(struct processor_needs){.caches = 15}, &error));
	assert_string_equal(error.text, "there is no cache L3");
	assert_false(processor_has(&p, &(struct processor_needs){.latencies = 1u << LATENCY_MEMORY},
				   &error));
	assert_string_equal(error.text, "there is no latency MEMORY");
	assert_false(processor_has(&p, &(struct processor_needs){.widths = 1u << WIDTH_BUNDLES},
				   &error));
	assert_string_equal(error.text, "there is no width BUNDLES");
}

// The performance analysis guide, "Core Out of Order Pipeline" and "Core Memory Subsystem": caches
// of 32, 32 and 256 KB, and 8 MB in 16 ways; TLBs of 64 and 128 entries, a second level of 512, 32
// for large pages, 7 for each thread. The Itanium manual's table 8-1.
static void texts_of_the_folder_have_what_the_manuals_say(void **state)
{
	static const struct processor_needs none;
	struct processor p;

	(void)state;
	assert_true(processor_load(&p, "nehalem", &none));
	assert_int_equal(cache_lines(&p.cache[CACHE_L1I]) << 6, 32768);
	assert_int_equal(cache_lines(&p.cache[CACHE_L1D]) << 6, 32768);
	assert_int_equal(cache_lines(&p.cache[CACHE_L2]) << 6, 262144);
	assert_int_equal(cache_lines(&p.cache[CACHE_L3]) << 6, 8388608);
	assert_int_equal(p.cache[CACHE_L3].ways, 16);
	assert_true(p.inclusive[CACHE_L3]);
	assert_int_equal(cache_lines(&p.tlb[TLB_DTLB][PAGE_4K]), 64);
	assert_int_equal(cache_lines(&p.tlb[TLB_DTLB][PAGE_2M]), 32);
	assert_int_equal(cache_lines(&p.tlb[TLB_ITLB][PAGE_4K]), 128);
	assert_int_equal(cache_lines(&p.tlb[TLB_ITLB][PAGE_2M]), 7);
	assert_int_equal(cache_lines(&p.tlb[TLB_STLB][PAGE_4K]), 512);
	// Optimization Reference Manual: half of a page
	assert_int_equal(p.prefetchers.stride_distance, 2048);
	assert_int_equal(p.queue[QUEUE_FILL], 10);
	assert_true(processor_load(&p, "merced", &none));
	assert_int_equal(cache_lines(&p.cache[CACHE_L2]) << 6, 98304);
	assert_true(processor_load(&p, "knc", &none));
	assert_false(processor_load(&p, "nothing", &none));
	assert_false(processor_load(&p, "/nowhere/nothing.machine", &none));
	assert_false(processor_load(&p, "/dev/zero", &none));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_follow_from_bytes_ways_and_lines),
		cmocka_unit_test(each_wrong_line_is_named),
		cmocka_unit_test(a_part_is_described_once),
		cmocka_unit_test(a_predictor_is_described_once),
		cmocka_unit_test(what_is_missing_is_no_line_s),
		cmocka_unit_test(long_lines_and_zeros_are_refused),
		cmocka_unit_test(a_machine_gets_what_it_needs_or_a_name),
		cmocka_unit_test(texts_of_the_folder_have_what_the_manuals_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
