// SPDX-License-Identifier: BSD-2-Clause
// Prefetchers, counted by hand: their requests, and the caches' response. A page has 64 lines.

#include "unit.h"

#include <stdlib.h>

#include "happened.h"

#define LINE	64u
#define PAGE	4096u
#define K	1024u

static struct processor processor;
static struct memory *memory;

static bool no_tables(void *context, uint64_t address, uint64_t *entry)
{
	(void)context, (void)address, (void)entry;
	return false;
}

// Nehalem's caches, with these prefetchers.
static void begin(const struct processor_prefetchers *prefetchers, unsigned cores)
{
	static const struct processor_needs none;

	free(memory);
	assert_true(processor_load(&processor, "nehalem", &none));
	processor.prefetchers = *prefetchers;
	memory = memory_make(&processor, 1, cores, count_cpu_event, no_tables, NULL);
	assert_non_null(memory);
	forget_cpu_events();
}

static void refer(unsigned core, enum access access, uint64_t ip, uint64_t address)
{
	memory_refer(memory, &(struct reference){
		.core = core, .access = access, .ip = ip, .linear = address, .physical = address,
		.size = 4,
	});
}

static void end(void)
{
	free(memory);
	memory = NULL;
}

static const struct processor_prefetchers stream = {.forward = 16, .backward = 4, .ahead = 8,
						    .each = 2};
static const struct processor_prefetchers next = {.next_lines = 4};
static const struct processor_prefetchers stride = {.stride_entries = 256,
						    .stride_distance = 2 * K};

//
// L2_STREAM
//

// References to the lines of a page, in order. The second one confirms the stream. From then on
// each reference prefetches two more lines, until the stream is eight lines ahead. All lines but
// the first two are prefetched, each once, and hit.
static void a_stream_of_any_kind_is_followed_through_a_page(void **state)
{
	static const struct {
		enum access access;
		enum cpu_event demand, prefetch, offcore;
	} kinds[] = {
		{ACCESS_LOAD, CPU_EVENT_L2_LOAD_I, CPU_EVENT_L2_PREFETCH_LOAD_I,
		 CPU_EVENT_OFFCORE_PREFETCH_LOAD_MEMORY},
		{ACCESS_STORE, CPU_EVENT_L2_STORE_I, CPU_EVENT_L2_PREFETCH_STORE_I,
		 CPU_EVENT_OFFCORE_PREFETCH_STORE_MEMORY},
		{ACCESS_LOCK, CPU_EVENT_L2_LOCK_I, CPU_EVENT_L2_PREFETCH_STORE_I,
		 CPU_EVENT_OFFCORE_PREFETCH_STORE_MEMORY},
		{ACCESS_FETCH, CPU_EVENT_L2_FETCH_I, CPU_EVENT_L2_PREFETCH_FETCH_I,
		 CPU_EVENT_OFFCORE_PREFETCH_FETCH_MEMORY},
	};

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		for (unsigned backward = 0; backward < 2; backward++) {
			begin(&stream, 1);
			for (unsigned line = 0; line < 64; line++)
				refer(0, kinds[i].access, 0, (backward ? 63 - line : line) * LINE);
			assert_int_equal(happened[0][kinds[i].demand], 2);
			assert_int_equal(happened[0][kinds[i].demand + 2], 62);		// exclusive
			assert_int_equal(happened[0][kinds[i].prefetch], 62);
			assert_int_equal(all_states(kinds[i].prefetch), 62);
			assert_int_equal(happened[0][kinds[i].offcore], 62);
			assert_int_equal(happened[0][CPU_EVENT_MEMORY_READ], 64);
			assert_int_equal(happened[0][CPU_EVENT_L2_FILL_EXCLUSIVE], 64);
		}
	end();
}

static unsigned asked(uint64_t address, uint64_t lines[PROCESSOR_EACH + 1])
{
	static struct prefetchers prefetchers;

	if (address == UINT64_MAX) {
		prefetchers = (struct prefetchers){0};
		return 0;
	}
	return prefetch_follow(&prefetchers, &processor.prefetchers, address, lines);
}

static void what_a_stream_asks_for(void **state)
{
	uint64_t lines[PROCESSOR_EACH + 1];

	(void)state;
	processor.prefetchers = stream;
	asked(UINT64_MAX, lines);
	assert_int_equal(asked(PAGE + 4 * LINE, lines), 0);
	assert_int_equal(asked(PAGE + 4 * LINE + 8, lines), 0);		// the same line
	assert_int_equal(asked(PAGE + 7 * LINE, lines), 2);		// a stream may skip lines
	assert_int_equal(lines[0], PAGE + 8 * LINE);
	assert_int_equal(lines[1], PAGE + 9 * LINE);
	// backward: perhaps a new stream
	assert_int_equal(asked(PAGE + 5 * LINE, lines), 0);
	// confirms the backward stream
	assert_int_equal(asked(PAGE + 4 * LINE, lines), 2);
	assert_int_equal(lines[0], PAGE + 3 * LINE);
	assert_int_equal(lines[1], PAGE + 2 * LINE);
	assert_int_equal(asked(PAGE + 3 * LINE, lines), 2);
	assert_int_equal(lines[1], PAGE);
	assert_int_equal(asked(PAGE + 2 * LINE, lines), 0);		// stops at the page's start
	assert_int_equal(asked(2 * PAGE + 2 * LINE, lines), 0);
	// nine lines on: a new stream
	assert_int_equal(asked(2 * PAGE + 11 * LINE, lines), 0);
	// eight lines on: the same stream
	assert_int_equal(asked(2 * PAGE + 19 * LINE, lines), 2);
	processor.prefetchers.paired = true;
	assert_int_equal(asked(3 * PAGE + 1 * LINE, lines), 0);
	// 3 and 4, and the other half of the pair
	assert_int_equal(asked(3 * PAGE + 2 * LINE, lines), 3);
	assert_int_equal(lines[2], 3 * PAGE + 5 * LINE);
	assert_int_equal(asked(3 * PAGE + 3 * LINE, lines), 2);		// 6 and 7 are a pair
	assert_int_equal(asked(4 * PAGE + 62 * LINE, lines), 0);
	assert_int_equal(asked(4 * PAGE + 61 * LINE, lines), 3);	// 60 and 59, 58
	assert_int_equal(lines[2], 4 * PAGE + 58 * LINE);
}

// Three pages, a line of each in turn. With two streams, the prefetcher forgets each page before
// its second line.
static void there_are_so_many_streams(void **state)
{
	(void)state;
	for (unsigned streams = 2; streams <= 3; streams++) {
		begin(&(struct processor_prefetchers){.forward = streams, .backward = 1, .ahead = 8,
						      .each = 2}, 1);
		for (unsigned line = 0; line < 64; line++)
			for (unsigned page = 0; page < 3; page++)
				refer(0, ACCESS_LOAD, 0, page * PAGE + line * LINE);
		assert_int_equal(happened[0][CPU_EVENT_L2_PREFETCH_LOAD_I], streams == 3 ? 3 * 62 :
				 0);
		assert_int_equal(happened[0][CPU_EVENT_L2_LOAD_I], streams == 3 ? 3 * 2 : 3 * 64);
	}
	end();
}

// Lines 2 and 3, which are prefetched after line 1, in each state that they can have.
static void prefetches_find_lines_in_all_states(void **state)
{
	static const enum access demand[] = {ACCESS_LOAD, ACCESS_STORE};
	static const enum cpu_event by[] = {CPU_EVENT_L2_PREFETCH_LOAD_I,
					    CPU_EVENT_L2_PREFETCH_STORE_I};
	static const enum cpu_event answers[] = {CPU_EVENT_OFFCORE_PREFETCH_LOAD_L3,
						 CPU_EVENT_OFFCORE_PREFETCH_STORE_L3};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		// Exclusive; modified, by a writeback to the L2 cache.
		begin(&stream, 2);
		refer(0, ACCESS_LOAD, 0, 2 * LINE);
		// too far for the stream: starts a new one
		refer(0, ACCESS_LOAD, 0, 30 * LINE);
		refer(0, ACCESS_STORE, 0, 3 * LINE);
		// the same set of the L1 data cache
		for (unsigned page = 1; page <= 8; page++)
			refer(0, ACCESS_LOAD, 0, page * PAGE + 3 * LINE);
		refer(0, demand[i], 0, 50 * LINE);
		refer(0, demand[i], 0, 0);
		refer(0, demand[i], 0, LINE);
		assert_int_equal(happened[0][by[i] + 2], 1);
		assert_int_equal(happened[0][by[i] + 3], 1);
		assert_int_equal(all_states(by[i]), 2);

		// Shared: a read hits it, a read for ownership misses, and the L3 cache asks the
		// other core.
		begin(&stream, 2);
		refer(0, ACCESS_LOAD, 0, 3 * LINE);
		refer(1, ACCESS_LOAD, 0, 3 * LINE);
		refer(0, ACCESS_LOAD, 0, 30 * LINE);
		refer(0, demand[i], 0, 0);
		refer(0, demand[i], 0, LINE);
		assert_int_equal(happened[0][by[i]], 1);
		assert_int_equal(happened[0][by[i] + 1], 1);
		assert_int_equal(happened[0][answers[i] + 1], i ? 1 : 0);
		assert_int_equal(happened[0][answers[i] + 3], 1);

		// Modified in another core; clean in another core.
		begin(&stream, 2);
		refer(1, ACCESS_STORE, 0, 2 * LINE);
		refer(1, ACCESS_LOAD, 0, 3 * LINE);
		refer(1, ACCESS_LOAD, 0, 30 * LINE);
		refer(0, demand[i], 0, 0);
		refer(0, demand[i], 0, LINE);
		assert_int_equal(happened[0][answers[i] + 1], 1);
		assert_int_equal(happened[0][answers[i] + 2], 1);
		assert_int_equal(happened[1][CPU_EVENT_L1D_SNOOP_MODIFIED], 1);
	}
	end();
}

// The L2 cache has 8 ways. A stream through its size and one page more evicts one line from each of
// the first 64 sets. All lines but each page's first two are prefetched, and line n + 4096 evicts
// line n, of the same kind.
static void lines_go_for_prefetches(void **state)
{
	(void)state;
	begin(&stream, 1);
	for (unsigned line = 0; line < (256 * K + PAGE) / LINE; line++)
		refer(0, ACCESS_LOAD, 0, line * LINE);
	assert_int_equal(happened[0][CPU_EVENT_L2_EVICTION_PREFETCH_CLEAN], 62);
	assert_int_equal(happened[0][CPU_EVENT_L2_EVICTION_CLEAN], 2);
	begin(&stream, 1);
	for (unsigned line = 0; line < (256 * K + PAGE) / LINE; line++)
		refer(0, ACCESS_STORE, 0, line * LINE);
	assert_int_equal(happened[0][CPU_EVENT_L2_EVICTION_PREFETCH_MODIFIED], 62);
	assert_int_equal(happened[0][CPU_EVENT_L2_EVICTION_MODIFIED], 2);
	assert_int_equal(happened[0][CPU_EVENT_L3_WRITEBACK_HIT], 64);
	end();
}

//
// The L1 data cache's prefetchers
//

// One instruction's loads. Two equal strides are needed: the third load requests the next line, and
// so does each later load but the page's last one.
static void a_stride_is_followed(void **state)
{
	(void)state;
	for (unsigned backward = 0; backward < 2; backward++) {
		begin(&stride, 1);
		for (unsigned i = 0; i < 32; i++)
			refer(0, ACCESS_LOAD, 0x1000, (backward ? 31 - i : i) * 128);
		assert_int_equal(happened[0][CPU_EVENT_L1D_PREFETCH_TRIGGER], 29);
		assert_int_equal(happened[0][CPU_EVENT_L1D_PREFETCH_REQUEST], 29);
		assert_int_equal(happened[0][CPU_EVENT_L1D_PREFETCH_MISS], 29);
		assert_int_equal(happened[0][CPU_EVENT_L1D_LOAD_I], 3);
		assert_int_equal(happened[0][CPU_EVENT_L1D_LOAD_E], 29);
		assert_int_equal(happened[0][CPU_EVENT_L1D_FILL], 32);
		// a demand load there
		assert_int_equal(happened[0][CPU_EVENT_L2_LOAD_I], 32);
		assert_int_equal(happened[0][CPU_EVENT_OFFCORE_LOAD_MEMORY], 32);
	}
	// Words: the last word of a line requests the next line, once.
	begin(&stride, 1);
	for (unsigned i = 0; i < PAGE / 8; i++)
		refer(0, ACCESS_LOAD, 0x1000, i * 8);
	assert_int_equal(happened[0][CPU_EVENT_L1D_PREFETCH_TRIGGER], 63);
	assert_int_equal(happened[0][CPU_EVENT_L1D_LOAD_I], 1);
	// A second pass: all lines are present.
	for (unsigned i = 0; i < PAGE / 8; i++)
		refer(0, ACCESS_LOAD, 0x1000, i * 8);
	assert_int_equal(happened[0][CPU_EVENT_L1D_PREFETCH_REQUEST], 126);
	assert_int_equal(happened[0][CPU_EVENT_L1D_PREFETCH_MISS], 63);
	end();
}

static void strides_that_are_not_followed(void **state)
{
	(void)state;
	// Instructions whose addresses agree in the low eight bits share a history; others do not.
	for (unsigned apart = 0; apart < 2; apart++) {
		begin(&stride, 1);
		for (unsigned i = 0; i < 32; i++)
			refer(0, ACCESS_LOAD, i % 2 * (apart ? 0x104 : 0x100),
			      i % 2 * PAGE + i / 2 * 64);
		assert_int_equal(happened[0][CPU_EVENT_L1D_PREFETCH_REQUEST], apart ? 2 * 14 : 0);
	}
	// Not followed: strides beyond the distance, stores, strides that change.
	begin(&(struct processor_prefetchers){.stride_entries = 256, .stride_distance = 64}, 1);
	for (unsigned i = 0; i < 32; i++)
		refer(0, ACCESS_LOAD, 0x1000, i * 128);
	begin(&stride, 1);
	for (unsigned i = 0; i < 32; i++)
		refer(0, ACCESS_STORE, 0x1000, i * 128);
	for (unsigned i = 0; i < 32; i++)
		refer(0, ACCESS_LOAD, 0x1000, i * 64 + i % 2 * 8);
	assert_int_equal(happened[0][CPU_EVENT_L1D_PREFETCH_TRIGGER], 0);
	end();
}

// Loads of eight words of each line, each by another instruction. A line's second load requests the
// next line.
static void the_next_line_is_asked_for_behind_a_second_load(void **state)
{
	(void)state;
	begin(&next, 1);
	for (unsigned i = 0; i < PAGE / 8; i++)
		refer(0, ACCESS_LOAD, i, i * 8);
	assert_int_equal(happened[0][CPU_EVENT_L1D_PREFETCH_TRIGGER], 63);
	assert_int_equal(happened[0][CPU_EVENT_L1D_PREFETCH_MISS], 63);
	assert_int_equal(happened[0][CPU_EVENT_L1D_LOAD_I], 1);
	assert_int_equal(happened[0][CPU_EVENT_L1D_FILL], 64);
	// Downward loads request no line.
	begin(&next, 1);
	for (unsigned i = PAGE / 8; i; i--)
		refer(0, ACCESS_LOAD, i, (i - 1) * 8);
	assert_int_equal(happened[0][CPU_EVENT_L1D_PREFETCH_TRIGGER], 0);
	assert_int_equal(happened[0][CPU_EVENT_L1D_LOAD_I], 64);
	// Line 2 is present, which ends the chain: line 3 is not requested, and misses. Line 4 is
	// requested.
	begin(&next, 1);
	refer(0, ACCESS_STORE, 0, 2 * LINE);
	for (unsigned i = 0; i < 4 * LINE / 8; i++)
		refer(0, ACCESS_LOAD, i, i * 8);
	assert_int_equal(happened[0][CPU_EVENT_L1D_PREFETCH_TRIGGER], 3);
	assert_int_equal(happened[0][CPU_EVENT_L1D_PREFETCH_REQUEST], 3);
	assert_int_equal(happened[0][CPU_EVENT_L1D_PREFETCH_MISS], 2);
	assert_int_equal(happened[0][CPU_EVENT_L1D_LOAD_I], 2);
	end();
}

// Two loads of each line, 32 bytes apart, by one instruction. The first line's second load requests
// the next line before a stride is known. In lines 1 to 62 both prefetchers request the same line.
static void both_may_ask_for_one_line(void **state)
{
	(void)state;
	begin(&(struct processor_prefetchers){.next_lines = 4, .stride_entries = 256,
					      .stride_distance = 2 * K}, 1);
	for (unsigned i = 0; i < PAGE / 32; i++)
		refer(0, ACCESS_LOAD, 0x1000, i * 32);
	assert_int_equal(happened[0][CPU_EVENT_L1D_PREFETCH_TRIGGER], 1 + 2 * 62);
	assert_int_equal(happened[0][CPU_EVENT_L1D_PREFETCH_REQUEST], 63);
	assert_int_equal(happened[0][CPU_EVENT_L1D_PREFETCH_MISS], 63);
	assert_int_equal(happened[0][CPU_EVENT_L1D_LOAD_I], 1);
	end();
}

// The L2 cache's prefetcher sees the requests of the L1 data cache's prefetchers. Of 64 lines, one
// instruction's loads miss the first three (the third load requests the fourth line). The L2 cache
// receives requests for lines 0 and 1, and from line 1 on prefetches lines 2, 3 and so on. All 64
// lines reach it in order.
static void prefetchers_work_together(void **state)
{
	(void)state;
	begin(&(struct processor_prefetchers){
		.stride_entries = 256, .stride_distance = 2 * K, .forward = 16, .backward = 4,
		.ahead = 8, .each = 2,
	}, 1);
	for (unsigned line = 0; line < 64; line++)
		refer(0, ACCESS_LOAD, 0x1000, line * LINE);
	assert_int_equal(happened[0][CPU_EVENT_L1D_LOAD_I], 3);
	assert_int_equal(happened[0][CPU_EVENT_L1D_PREFETCH_MISS], 61);
	assert_int_equal(happened[0][CPU_EVENT_L2_LOAD_I], 2);
	assert_int_equal(happened[0][CPU_EVENT_L2_LOAD_E], 62);
	assert_int_equal(happened[0][CPU_EVENT_L2_PREFETCH_LOAD_I], 62);
	end();
}

//
// Software prefetches
//

static void a_program_prefetches_into_the_caches_that_it_names(void **state)
{
	(void)state;
	begin(&(struct processor_prefetchers){0}, 1);
	refer(0, ACCESS_PREFETCH, 0, 0);
	refer(0, ACCESS_PREFETCH_L2, 0, PAGE);
	refer(0, ACCESS_PREFETCH_ONCE, 0, 2 * PAGE);
	// not loads of the L1 data cache
	assert_int_equal(all_states(CPU_EVENT_L1D_LOAD_I), 0);
	assert_int_equal(happened[0][CPU_EVENT_LOAD_MEMORY], 0);
	// but loads of the L2 cache
	assert_int_equal(happened[0][CPU_EVENT_L2_LOAD_I], 3);
	assert_int_equal(happened[0][CPU_EVENT_OFFCORE_LOAD_MEMORY], 3);
	assert_int_equal(happened[0][CPU_EVENT_L1D_FILL], 2);
	assert_int_equal(happened[0][CPU_EVENT_L2_FILL_EXCLUSIVE], 2);
	refer(0, ACCESS_PREFETCH, 0, 0);
	// already in the L1 data cache
	refer(0, ACCESS_PREFETCH_L2, 0, 0);
	assert_int_equal(happened[0][CPU_EVENT_L2_LOAD_I], 3);
	refer(0, ACCESS_LOAD, 0, 0);
	refer(0, ACCESS_LOAD, 0, PAGE);
	refer(0, ACCESS_LOAD, 0, 2 * PAGE);
	assert_int_equal(happened[0][CPU_EVENT_LOAD_L1D], 2);
	assert_int_equal(happened[0][CPU_EVENT_LOAD_L2], 1);
	// All three lines share a set of the L1 data cache. After 13 more lines, the one that is
	// not in the L2 cache is only in the L3 cache.
	for (unsigned page = 3; page <= 15; page++)
		refer(0, ACCESS_LOAD, 0, page * PAGE);
	refer(0, ACCESS_LOAD, 0, 2 * PAGE);
	assert_int_equal(happened[0][CPU_EVENT_LOAD_L3], 1);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_of_any_kind_is_followed_through_a_page),
		cmocka_unit_test(what_a_stream_asks_for),
		cmocka_unit_test(there_are_so_many_streams),
		cmocka_unit_test(prefetches_find_lines_in_all_states),
		cmocka_unit_test(lines_go_for_prefetches),
		cmocka_unit_test(a_stride_is_followed),
		cmocka_unit_test(strides_that_are_not_followed),
		cmocka_unit_test(the_next_line_is_asked_for_behind_a_second_load),
		cmocka_unit_test(both_may_ask_for_one_line),
		cmocka_unit_test(prefetchers_work_together),
		cmocka_unit_test(a_program_prefetches_into_the_caches_that_it_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
