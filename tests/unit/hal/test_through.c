// SPDX-License-Identifier: BSD-2-Clause
// Write-through caches, counted by hand: the working sets at which they begin to miss, and single
// lines.

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "../../../hal/emu/model/through.h"

#define K	1024u
#define M	(1024u * K)

static unsigned happened[CPU_EVENT_COUNT];
static struct through *caches;

static void count(void *context, enum cpu_event what, uint64_t address)
{
	(void)context, (void)address;
	happened[what]++;
}

// Starts a new count of events.
static void forget(void)
{
	memset(happened, 0, sizeof happened);
}

static void begin(const char *name, const char *text)
{
	static const struct processor_needs none;
	struct processor_error error;
	struct processor processor;

	assert_true(name ? processor_load(&processor, name, &none) :
		    processor_read(&processor, text, strlen(text), &error));
	caches = through_make(&processor, count, NULL);
	assert_non_null(caches);
	forget();
}

//
// Working set x stride x level
//

// Passes over a working set, in address order or in a pointer chase with large jumps. The first
// passes warm the caches up. misses: references of the last pass that missed the L1, L2 and L3
// cache. first: the first of four events, by the level that had the line.
static void pass_over(enum through_access access, enum cpu_event first, unsigned bytes,
		      unsigned stride, bool leaps, unsigned misses[3])
{
	// odd: visits each line once
	const unsigned lines = bytes / stride, leap = leaps ? lines / 2 - 1 : 1;

	for (unsigned pass = 0; pass < 4; pass++) {
		forget();
		for (unsigned i = 0, at = 0; i < lines; i++, at = (at + leap) % lines)
			through_refer(caches, access, (uint64_t)at * stride);
	}
	misses[2] = happened[first + 3];
	misses[1] = misses[2] + happened[first + 2];
	misses[0] = misses[1] + happened[first + 1];
}

// The largest working set that each level holds. A level holds one line per way in each set that
// the stride reaches. Sets repeat every 4 KB in the L1 caches, every 16 KB in the L2 cache, every
// 256 KB in the L3 cache. For strides up to these, the limit is the cache's size. Longer strides
// reach a single set, which holds 4, 8 or 16 lines.
static const struct {
	unsigned stride, holds[3];
} cliffs[] = {
	{64, {16 * K, 128 * K, 4 * M}},
	{256, {16 * K, 128 * K, 4 * M}},
	{4 * K, {16 * K, 128 * K, 4 * M}},
	{16 * K, {64 * K, 128 * K, 4 * M}},
	{64 * K, {256 * K, 512 * K, 4 * M}},
	{256 * K, {1 * M, 2 * M, 4 * M}},
	{1 * M, {4 * M, 8 * M, 16 * M}},
};

static void the_cliffs_stand_where_the_caches_end(void **state)
{
	(void)state;
	for (unsigned leaps = 0; leaps < 2; leaps++)
		for (size_t c = 0; c < sizeof cliffs / sizeof *cliffs; c++)
			for (unsigned bytes = 8 * K; bytes <= 32 * M; bytes *= 2) {
				const unsigned lines = bytes / cliffs[c].stride;
				unsigned misses[3];

				if (lines < 4)
					continue;
				begin("sparct4", NULL);
				pass_over(THROUGH_LOAD, CPU_EVENT_LOADED_L1, bytes,
					  cliffs[c].stride, leaps, misses);
				for (unsigned level = 0; level < 3; level++)
					assert_int_equal(misses[level],
							 bytes <= cliffs[c].holds[level] ? 0 :
							 lines);
				assert_int_equal(happened[CPU_EVENT_MEMORY_READ], misses[2]);
				assert_int_equal(happened[CPU_EVENT_L2_EVICTION_CLEAN], misses[1]);
				free(caches);
			}
}

static void fetches_meet_the_same_cliffs_and_stores_none_in_the_l1_cache(void **state)
{
	unsigned misses[3];

	(void)state;
	for (unsigned bytes = 8 * K; bytes <= 8 * M; bytes *= 2) {
		begin("sparct4", NULL);
		pass_over(THROUGH_FETCH, CPU_EVENT_FETCHED_L1, bytes, 64, false, misses);
		assert_int_equal(misses[0], bytes <= 16 * K ? 0 : bytes / 64);
		assert_int_equal(misses[1], bytes <= 128 * K ? 0 : bytes / 64);
		assert_int_equal(misses[2], bytes <= 4 * M ? 0 : bytes / 64);
		free(caches);
		begin("sparct4", NULL);
		pass_over(THROUGH_STORE, CPU_EVENT_STORED_L1, bytes, 64, false, misses);
		assert_int_equal(misses[0], bytes / 64);
		assert_int_equal(misses[1], bytes <= 128 * K ? 0 : bytes / 64);
		assert_int_equal(misses[2], bytes <= 4 * M ? 0 : bytes / 64);
		assert_int_equal(happened[CPU_EVENT_L2_EVICTION_MODIFIED], misses[1]);
		assert_int_equal(happened[CPU_EVENT_MEMORY_WRITE], misses[2]);
		free(caches);
	}
}

// Two adjacent lines of 32 bytes share a line of 64 bytes in the L3 cache: a miss of the first one
// brings the second.
static void neighbours_share_a_line_of_the_l3_cache(void **state)
{
	unsigned misses[3];

	(void)state;
	begin("sparct4", NULL);
	pass_over(THROUGH_LOAD, CPU_EVENT_LOADED_L1, 8 * M, 32, false, misses);
	assert_int_equal(misses[0], 8 * M / 32);
	assert_int_equal(misses[1], 8 * M / 32);
	assert_int_equal(misses[2], 8 * M / 64);
	free(caches);
}

//
// Single lines: L1 caches of 2 lines, an L2 cache of 4, an L3 cache of 8 lines of 64 bytes, each
// with one set
//

static void begin_small(void)
{
	begin(NULL, "cache L1I bytes=64 ways=2 line=32 | here\n"
		    "cache L1D bytes=64 ways=2 line=32 | here\n"
		    "cache L2 bytes=128 ways=4 line=32 inclusive | here\n"
		    "cache L3 bytes=512 ways=8 line=64 inclusive | here\n");
}

// Address of the first half of a line of 64 bytes, or of the second.
#define HALF(line, half) (64 * (uint64_t)(line) + 32 * (half))

static void refer(enum through_access access, unsigned line)
{
	through_refer(caches, access, HALF(line, 0));
}

static void a_store_brings_its_line_to_the_l2_cache_only(void **state)
{
	(void)state;
	begin_small();
	refer(THROUGH_STORE, 1);
	assert_int_equal(happened[CPU_EVENT_STORED_MEMORY], 1);
	refer(THROUGH_STORE, 1);
	assert_int_equal(happened[CPU_EVENT_STORED_L2], 1);
	refer(THROUGH_LOAD, 1);
	assert_int_equal(happened[CPU_EVENT_LOADED_L2], 1);
	refer(THROUGH_STORE, 1);
	assert_int_equal(happened[CPU_EVENT_STORED_L2], 2);
	refer(THROUGH_LOAD, 1);
	assert_int_equal(happened[CPU_EVENT_LOADED_L1], 1);
	assert_int_equal(happened[CPU_EVENT_STORED_L1], 0);
	free(caches);
}

// The fifth line evicts the first one from the L2 cache, although an L1 cache has just used it.
static void what_the_l2_cache_evicts_leaves_the_l1_caches(void **state)
{
	(void)state;
	begin_small();
	refer(THROUGH_FETCH, 1);
	for (unsigned line = 2; line <= 4; line++)
		refer(THROUGH_LOAD, line);
	refer(THROUGH_FETCH, 1);
	assert_int_equal(happened[CPU_EVENT_FETCHED_L1], 1);
	refer(THROUGH_LOAD, 5);
	assert_int_equal(happened[CPU_EVENT_L1I_INVALIDATION], 1);
	assert_int_equal(happened[CPU_EVENT_L1D_INVALIDATION], 0);
	assert_int_equal(happened[CPU_EVENT_L2_EVICTION_CLEAN], 1);
	refer(THROUGH_FETCH, 1);
	assert_int_equal(happened[CPU_EVENT_FETCHED_L3], 1);
	// the L1 data cache no longer has line 2
	assert_int_equal(happened[CPU_EVENT_L1D_INVALIDATION], 0);
	// line 4 is now the least recently used
	refer(THROUGH_LOAD, 5);
	refer(THROUGH_STORE, 6);
	refer(THROUGH_STORE, 7);
	assert_int_equal(happened[CPU_EVENT_L2_EVICTION_CLEAN], 4);
	assert_int_equal(happened[CPU_EVENT_L1D_INVALIDATION], 1);
	free(caches);
}

static void a_modified_line_goes_to_the_l3_cache_and_then_to_memory(void **state)
{
	(void)state;
	begin_small();
	refer(THROUGH_STORE, 0);
	for (unsigned line = 1; line <= 4; line++)
		refer(THROUGH_LOAD, line);
	assert_int_equal(happened[CPU_EVENT_L2_EVICTION_MODIFIED], 1);
	assert_int_equal(happened[CPU_EVENT_L2_EVICTION_CLEAN], 0);
	assert_int_equal(happened[CPU_EVENT_MEMORY_WRITE], 0);
	for (unsigned line = 5; line <= 7; line++)
		refer(THROUGH_LOAD, line);
	assert_int_equal(happened[CPU_EVENT_MEMORY_WRITE], 0);
	refer(THROUGH_LOAD, 8);
	assert_int_equal(happened[CPU_EVENT_MEMORY_WRITE], 1);
	refer(THROUGH_LOAD, 0);		// evicts line 1, which is clean
	assert_int_equal(happened[CPU_EVENT_LOADED_MEMORY], 9);
	assert_int_equal(happened[CPU_EVENT_MEMORY_WRITE], 1);
	free(caches);
}

// Stores to half a line hit in the L2 cache again and again. The L3 cache does not see them, and
// evicts the line with both halves.
static void what_the_l3_cache_evicts_leaves_the_other_caches(void **state)
{
	(void)state;
	begin_small();
	through_refer(caches, THROUGH_FETCH, HALF(0, 0));
	through_refer(caches, THROUGH_STORE, HALF(0, 1));
	assert_int_equal(happened[CPU_EVENT_STORED_L3], 1);
	for (unsigned line = 1; line <= 8; line++) {
		through_refer(caches, THROUGH_STORE, HALF(0, 1));	// hits in the L2 cache
		refer(THROUGH_LOAD, line);
	}
	assert_int_equal(happened[CPU_EVENT_MEMORY_WRITE], 1);
	assert_int_equal(happened[CPU_EVENT_STORED_L2], 8);
	assert_int_equal(happened[CPU_EVENT_L2_EVICTION_MODIFIED], 1);
	through_refer(caches, THROUGH_STORE, HALF(0, 1));
	assert_int_equal(happened[CPU_EVENT_STORED_MEMORY], 1);
	through_refer(caches, THROUGH_FETCH, HALF(0, 0));
	assert_int_equal(happened[CPU_EVENT_FETCHED_L1], 0);
	assert_int_equal(happened[CPU_EVENT_FETCHED_L3], 1);
	free(caches);
}

static void prefetches_are_dropped_where_the_line_is(void **state)
{
	(void)state;
	begin_small();
	refer(THROUGH_PREFETCH, 1);
	assert_int_equal(happened[CPU_EVENT_PREFETCHED_MEMORY], 1);
	refer(THROUGH_PREFETCH, 1);
	assert_int_equal(happened[CPU_EVENT_PREFETCHED_L1], 1);
	refer(THROUGH_LOAD, 1);
	assert_int_equal(happened[CPU_EVENT_LOADED_L1], 1);
	refer(THROUGH_PREFETCH_L2, 2);
	refer(THROUGH_PREFETCH_L2, 2);
	refer(THROUGH_PREFETCH_L2, 1);
	assert_int_equal(happened[CPU_EVENT_PREFETCHED_L2_MEMORY], 1);
	assert_int_equal(happened[CPU_EVENT_PREFETCHED_L2_L2], 2);
	through_refer(caches, THROUGH_PREFETCH_L2, HALF(2, 1));
	assert_int_equal(happened[CPU_EVENT_PREFETCHED_L2_L3], 1);
	refer(THROUGH_LOAD, 2);
	assert_int_equal(happened[CPU_EVENT_LOADED_L2], 1);
	free(caches);
}

static void wide_loads_and_atomics_move_lines_and_are_none_of_the_others(void **state)
{
	(void)state;
	begin_small();
	refer(THROUGH_WIDE_LOAD, 1);
	refer(THROUGH_LOAD, 1);
	assert_int_equal(happened[CPU_EVENT_LOADED_L1], 1);
	refer(THROUGH_ATOMIC, 2);
	refer(THROUGH_LOAD, 2);
	assert_int_equal(happened[CPU_EVENT_LOADED_L2], 1);
	assert_int_equal(happened[CPU_EVENT_LOADED_MEMORY] + happened[CPU_EVENT_STORED_MEMORY], 0);
	assert_int_equal(happened[CPU_EVENT_MEMORY_READ], 2);
	for (unsigned line = 3; line <= 6; line++)
		refer(THROUGH_STORE, line);
	assert_int_equal(happened[CPU_EVENT_L2_EVICTION_CLEAN], 1);
	assert_int_equal(happened[CPU_EVENT_L2_EVICTION_MODIFIED], 1);
	free(caches);
}

static void a_line_that_is_given_up_is_nowhere(void **state)
{
	(void)state;
	begin_small();
	through_refer(caches, THROUGH_STORE, HALF(1, 0));
	through_refer(caches, THROUGH_FETCH, HALF(1, 0));
	through_refer(caches, THROUGH_LOAD, HALF(1, 1));
	through_give_up(caches, HALF(1, 0));
	assert_int_equal(happened[CPU_EVENT_MEMORY_WRITE], 0);
	through_refer(caches, THROUGH_FETCH, HALF(1, 0));
	assert_int_equal(happened[CPU_EVENT_FETCHED_MEMORY], 1);
	through_refer(caches, THROUGH_LOAD, HALF(1, 1));
	assert_int_equal(happened[CPU_EVENT_LOADED_L3], 2);
	free(caches);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cliffs_stand_where_the_caches_end),
		cmocka_unit_test(fetches_meet_the_same_cliffs_and_stores_none_in_the_l1_cache),
		cmocka_unit_test(neighbours_share_a_line_of_the_l3_cache),
		cmocka_unit_test(a_store_brings_its_line_to_the_l2_cache_only),
		cmocka_unit_test(what_the_l2_cache_evicts_leaves_the_l1_caches),
		cmocka_unit_test(a_modified_line_goes_to_the_l3_cache_and_then_to_memory),
		cmocka_unit_test(what_the_l3_cache_evicts_leaves_the_other_caches),
		cmocka_unit_test(prefetches_are_dropped_where_the_line_is),
		cmocka_unit_test(wide_loads_and_atomics_move_lines_and_are_none_of_the_others),
		cmocka_unit_test(a_line_that_is_given_up_is_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
